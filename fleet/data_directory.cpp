#include "fleet/data_directory.hpp"

#include <utility>

#include "base/atomic_file.hpp"
#include "base/files.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "fleet/limits.hpp"

namespace robot_council::fleet {

namespace {

constexpr std::size_t kMaxTokenFile = 4096;  // bytes
constexpr unsigned kOthers = 077;

// A folder that others may read and that holds something else is not made private behind its
// owner's back: it is perhaps a project or a home folder, typed by mistake.
base::Status check_old_folder(const std::string& path) {
  const auto info = base::file_info(path, base::Links::dont);
  if (!info || info->kind != base::FileKind::directory || (info->mode & kOthers) == 0) {
    return {};
  }
  const auto names = base::list_directory(path);
  if (names && (names->empty() || base::exists(base::join_path(path, "fleet.db")))) {
    return {};
  }
  return base::Error{base::Errc::refused,
                     "the folder " + path +
                         " is open to others and holds other files. Give --data a folder of its "
                         "own, or run: chmod 700 " +
                         base::shell_quote(path)};
}

}  // namespace

base::Result<DataDirectory> DataDirectory::open(const std::string& path) {
  if (auto checked = check_old_folder(path); !checked) {
    return checked.error();
  }
  if (auto made = base::make_private_directory(path); !made) {
    return base::Error{made.error().code,
                       "cannot use the folder " + path + ": " + made.error().what};
  }
  const std::string lock_path = base::join_path(path, "serve.lock");
  auto lock = base::FileLock::try_acquire(lock_path);
  if (!lock) {
    if (lock.error().code != base::Errc::busy) {
      return lock.error();
    }
    const auto pid = base::FileLock::owner(lock_path);
    return base::Error{base::Errc::busy,
                       "another serve uses " + path +
                           (pid ? ": pid " + std::to_string(*pid) : std::string()) +
                           ". Stop it, or give --data another folder"};
  }
  if (auto written = lock->write_owner(); !written) {
    return written.error();
  }
  return DataDirectory(path, *std::move(lock));
}

std::string DataDirectory::operator_token_path() const {
  return base::join_path(path_, "operator.token");
}

base::Result<std::string> DataDirectory::operator_token() const {
  const std::string path = operator_token_path();
  if (!base::exists(path)) {
    const std::string token = base::random_hex(kOperatorTokenBytes);
    if (auto written = base::replace_file(path, token + "\n", base::Sync::yes); !written) {
      return written.error();
    }
    return token;
  }
  if (auto checked = base::check_private_file(path); !checked) {
    return base::Error{base::Errc::refused,
                       checked.error().what + ". Run: chmod 600 " + base::shell_quote(path)};
  }
  auto text = base::read_file(path, kMaxTokenFile, base::Links::dont);
  if (!text) {
    return text.error();
  }
  std::string token(base::trim(*text));
  if (token.size() != 2 * kOperatorTokenBytes) {
    return base::Error{base::Errc::corrupt,
                       path + " holds no token of this service. Remove it to have a new one made"};
  }
  return token;
}

base::Status DataDirectory::write_url(const std::string& url) const {
  return base::replace_file(base::join_path(path_, "service.url"), url + "\n", base::Sync::no);
}

void DataDirectory::remove_url() const {
  // Gone already is as good.
  (void)base::remove_file(base::join_path(path_, "service.url"));
}

std::string DataDirectory::store_path() const {
  return base::join_path(path_, "fleet.db");
}

}  // namespace robot_council::fleet
