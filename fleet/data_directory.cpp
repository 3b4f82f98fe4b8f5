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

}  // namespace

base::Result<DataDirectory> DataDirectory::open(const std::string& path) {
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
