#include "base/edit_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/atomic_file.hpp"
#include "base/file_lock.hpp"
#include "base/files.hpp"
#include "base/sha256.hpp"

namespace robot_council::base {

namespace {

constexpr int kTries = 5;                 // another program writes a settings file in milliseconds
constexpr int kMaxLinks = 40;             // as the system follows them
constexpr std::size_t kLockNameHex = 32;  // hex digits of the lock's name

// Where a link points, as an absolute path; nothing: it is no link.
std::optional<std::string> link_target(const std::string& path) {
  std::array<char, 4096> bytes{};
  const ssize_t length = ::readlink(path.c_str(), bytes.data(), bytes.size());
  if (length <= 0 || static_cast<std::size_t>(length) == bytes.size()) {
    return std::nullopt;
  }
  const std::string target(bytes.data(), static_cast<std::size_t>(length));
  return target.front() == '/' ? target : join_path(parent_path(path), target);
}

// The path that is replaced: a link's target, also one that is not there yet.
std::string target_of(const std::string& path) {
  const auto real = real_path(path);
  if (real.ok()) {
    return *real;
  }
  std::string last = path;
  for (int links = 0; links < kMaxLinks; ++links) {
    auto next = link_target(last);
    if (!next) {
      break;
    }
    last = std::move(*next);
  }
  const auto folder = real_path(parent_path(last));
  return folder.ok() ? join_path(*folder, base_name(last)) : last;
}

Result<std::optional<std::string>> read_old(const std::string& path, std::size_t max_bytes) {
  auto bytes = read_file(path, max_bytes);
  if (bytes.ok()) {
    return std::optional<std::string>(std::move(bytes).value());
  }
  if (bytes.error().code == Errc::not_found) {
    return std::optional<std::string>();
  }
  return bytes.error();
}

Status make_folder(const std::string& folder, bool private_folder) {
  if (private_folder || exists(folder)) {
    return exists(folder) ? Status() : make_private_directory(folder);
  }
  if (auto status = make_folder(parent_path(folder), private_folder); !status.ok()) {
    return status;
  }
  if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) {
    return errno_error("make folder " + folder);
  }
  return {};
}

Status put(const std::string& path, const std::optional<std::string>& bytes, unsigned mode) {
  if (bytes) {
    return replace_file(path, *bytes, Sync::yes, mode);
  }
  if (auto status = remove_file(path); !status.ok() && status.error().code != Errc::not_found) {
    return status;
  }
  return sync_directory(parent_path(path));
}

class Editing {
 public:
  Editing(const FileEdit& edit, std::string target) : edit_(edit), target_(std::move(target)) {}

  Result<FileEdited> run() {
    for (int i = 0; i < kTries; ++i) {
      auto done = once();
      if (!done.ok() || *done) {
        return done.ok() ? Result<FileEdited>(std::move(edited_))
                         : Result<FileEdited>(done.error());
      }
    }
    return Error{Errc::busy,
                 edit_.path + " was changed by another program each time it was to be written"};
  }

 private:
  // True: done; false: another program wrote meanwhile.
  Result<bool> once() {
    auto old = read_old(target_, edit_.max_bytes);
    if (!old.ok()) {
      return old.error();
    }
    auto built = edit_.build(*old);
    if (!built.ok()) {
      return built.error();
    }
    edited_ = {};
    edited_.before = *old;
    if (*built == *old) {
      return true;
    }
    const auto info = file_info(target_, Links::follow);
    const unsigned mode = info.ok() ? info->mode : edit_.new_mode;
    if (auto status = make_folder(parent_path(target_), edit_.private_folder); !status.ok()) {
      return status.error();
    }
    const auto again = read_old(target_, edit_.max_bytes);
    if (!again.ok() || *again != *old) {
      return again.ok() ? Result<bool>(false) : Result<bool>(again.error());
    }
    if (!edit_.backup.empty() && *old && !exists(edit_.backup)) {
      if (auto status = replace_file(edit_.backup, **old, Sync::yes, mode); !status.ok()) {
        return status.error();
      }
    }
    if (auto status = put(target_, *built, mode); !status.ok()) {
      return status.error();
    }
    if (auto status = read_back(*old, *built); !status.ok()) {
      (void)put(target_, *old, mode);
      return status.error();
    }
    edited_.changed = true;
    edited_.made = !*old;
    edited_.removed = !*built;
    return true;
  }

  Status read_back(const std::optional<std::string>& old,
                   const std::optional<std::string>& built) const {
    const auto now = read_old(target_, edit_.max_bytes);
    if (!now.ok()) {
      return now.error();
    }
    if (*now != built) {
      return Error{Errc::corrupt, edit_.path + " does not hold what was written"};
    }
    return built && edit_.verify ? edit_.verify(old, *built) : Status();
  }

  const FileEdit& edit_;
  std::string target_;
  FileEdited edited_;
};

}  // namespace

Result<FileEdited> edit_file(const FileEdit& edit, SteadyTime lock_deadline) {
  const std::string target = target_of(edit.path);
  if (auto status = make_private_directory(edit.lock_folder); !status.ok()) {
    return status.error();
  }
  const std::string lock = join_path(edit.lock_folder, sha256_hex(target).substr(0, kLockNameHex));
  const auto held = FileLock::acquire(lock, lock_deadline);
  if (!held.ok()) {
    return held.error();
  }
  return Editing(edit, target).run();
}

}  // namespace robot_council::base
