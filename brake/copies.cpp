#include "brake/copies.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/fd.hpp"
#include "base/files.hpp"
#include "brake/disk.hpp"
#include "brake/homes.hpp"

namespace robot_council::brake {
namespace {

constexpr base::Milliseconds kDiskWait{
    10000};  // a regular file is never waited for; write_all wants a deadline
constexpr base::Milliseconds kLockStep{20};

base::Status make_own_folder(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return base::errno_error("cannot make " + folder);
  }
  struct ::stat info {};
  const int error_number = look_through(folder, &info);
  if (error_number != 0) {
    return base::errno_error("cannot look at " + folder, error_number);
  }
  if (!S_ISDIR(info.st_mode)) {
    return base::Error{base::Errc::refused, folder + " is no folder"};
  }
  if (info.st_uid != ::geteuid()) {
    return base::Error{base::Errc::refused, folder + " belongs to another user"};
  }
  // Narrowed, never widened: a folder that its owner made read-only stays so, and the copy fails.
  if ((info.st_mode & 07077U) != 0 && ::chmod(folder.c_str(), info.st_mode & 0700U) != 0) {
    return base::errno_error("cannot set the mode of " + folder);
  }
  return {};
}

// The folders of ours above a copy: ".robot-council", and "stops" for a home copy.
base::Status make_folders(const std::string& path) {
  const std::string folder = base::parent_path(path);
  if (base::base_name(folder) == "stops") {
    base::Status ours = make_own_folder(base::parent_path(folder));
    if (!ours.ok()) {
      return ours;
    }
  }
  return make_own_folder(folder);
}

base::Status write_temporary(const std::string& temporary, const std::string& bytes) {
  ::unlink(temporary.c_str());  // left by a process that had this pid
  const base::Result<base::Fd> file =
      base::open_file(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (!file.ok()) {
    return file.error();
  }
  if (::fchmod(file.value().get(), 0600) != 0) {
    return base::errno_error("cannot set the mode of " + temporary);
  }
  base::Status written = base::write_all(file.value().get(), bytes, base::deadline_in(kDiskWait));
  if (!written.ok()) {
    return written;
  }
  if (::fsync(file.value().get()) != 0) {
    return base::errno_error("cannot sync " + temporary);
  }
  return {};
}

}  // namespace

bool is_own_home(const std::string& home) {
  struct ::stat info {};
  return look_through(home, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid();
}

std::vector<std::string> CopyPaths::all() const {
  std::vector<std::string> paths = home;
  for (const std::vector<std::string>* more : {&repository, &read_only}) {
    for (const std::string& path : *more) {
      if (std::find(paths.begin(), paths.end(), path) == paths.end()) {
        paths.push_back(path);
      }
    }
  }
  return paths;
}

CopyPaths copy_paths(const std::vector<std::string>& homes, const Repository& repository,
                     const std::string& worktree) {
  CopyPaths paths;
  for (const std::string& home : homes) {
    (is_own_home(home) ? paths.home : paths.read_only)
        .push_back(base::join_path(stops_folder(home), repository.key + ".json"));
  }
  paths.repository.push_back(repository.stop_file());
  const std::string own = base::join_path(worktree, ".robot-council/stop.json");
  if (!worktree.empty() && own != paths.repository.front()) {
    paths.read_only.push_back(own);
  }
  return paths;
}

CopyPaths everywhere_paths(const std::vector<std::string>& homes) {
  CopyPaths paths;
  for (const std::string& home : homes) {
    (is_own_home(home) ? paths.home : paths.read_only).push_back(everywhere_file(home));
  }
  return paths;
}

base::Status write_copy(const std::string& path, const Stop& stop) {
  base::Status done = make_folders(path);
  if (!done.ok()) {
    return done;
  }
  const std::string temporary = path + ".tmp." + std::to_string(::getpid());
  done = write_temporary(temporary, write_stop(stop));
  if (done.ok()) {
    done = base::rename_file(temporary, path);
  }
  if (!done.ok()) {
    ::unlink(temporary.c_str());
    return done;
  }
  return base::sync_directory(base::parent_path(path));
}

base::Status remove_copy(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && !is_absent(errno)) {
    const int why = errno;
    // unlink(2) of a folder: EISDIR on Linux, EPERM elsewhere.
    if ((why != EISDIR && why != EPERM) || ::rmdir(path.c_str()) != 0) {
      return base::errno_error("cannot remove " + path, why);
    }
  }
  const std::string folder = base::parent_path(path);
  return base::exists(folder) ? base::sync_directory(folder) : base::Status{};
}

void remove_empty_folder(const std::string& checkout_copy) {
  const std::string folder = base::parent_path(checkout_copy);
  if (base::base_name(folder) == ".robot-council" && ::rmdir(folder.c_str()) == 0) {
    (void)base::sync_directory(base::parent_path(folder));
  }
}

WriterLocks lock_writers(const std::vector<std::string>& homes, base::SteadyTime deadline) {
  WriterLocks locks;
  for (const std::string& home : homes) {
    const std::string folder = stops_folder(home);
    if (!is_own_home(home) || !make_folders(folder + "/.lock").ok()) {
      continue;  // nothing is written there
    }
    base::Result<base::FileLock> lock =
        base::FileLock::acquire(folder + "/.lock", deadline, kLockStep);
    if (lock.ok()) {
      locks.held.push_back(std::move(lock).value());
    } else {
      locks.all = false;
      locks.problem = lock.error().what;
    }
  }
  return locks;
}

}  // namespace robot_council::brake
