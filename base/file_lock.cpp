#include "base/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>
#include <utility>

#include "base/files.hpp"
#include "base/text.hpp"

namespace robot_council::base {
namespace {

int flock_once(int fd, int operation) {
  int got = 0;
  do {
    got = ::flock(fd, operation);
  } while (got != 0 && errno == EINTR);
  return got;
}

}  // namespace

FileLock::FileLock(Fd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

Result<FileLock> FileLock::try_acquire(const std::string& path) {
  auto fd = open_file(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (!fd) {
    if (auto info = file_info(path, Links::dont); info && info->kind == FileKind::symlink) {
      return Error{Errc::refused, "lock " + path + ": it is a symbolic link"};
    }
    return Error{fd.error().code, "lock: " + fd.error().what};
  }
  if (auto info = file_info(fd->get()); info && info->owner != ::geteuid()) {
    return Error{Errc::refused, "lock " + path + ": it belongs to another user"};
  }
  if (flock_once(fd->get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return Error{Errc::busy, "lock " + path + ": held by another process"};
    }
    return errno_error("lock " + path);
  }
  return FileLock(std::move(*fd), path);
}

Result<FileLock> FileLock::acquire(const std::string& path, SteadyTime deadline,
                                   Milliseconds step) {
  while (true) {
    auto lock = try_acquire(path);
    if (lock || lock.error().code != Errc::busy || time_left(deadline).count() == 0) {
      return lock;
    }
    std::this_thread::sleep_for(std::min(step, time_left(deadline)));
  }
}

Status FileLock::write_owner() {
  if (::ftruncate(fd_.get(), 0) != 0) {
    return errno_error("write " + path_);
  }
  const std::string text = std::to_string(::getpid()) + "\n";
  if (::pwrite(fd_.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    return errno_error("write " + path_);
  }
  return {};
}

bool FileLock::still_at_path() const {
  auto mine = file_info(fd_.get());
  auto there = file_info(path_, Links::dont);
  return mine && there && mine->device == there->device && mine->inode == there->inode;
}

std::optional<std::int64_t> FileLock::owner(const std::string& path) {
  auto text = read_file(path, 64, Links::dont);
  return text ? parse_digits(trim(*text)) : std::nullopt;
}

Result<bool> FileLock::held(const std::string& path) {
  auto fd = open_file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!fd) {
    if (fd.error().code == Errc::not_found) {
      return false;
    }
    return fd.error();
  }
  if (flock_once(fd->get(), LOCK_SH | LOCK_NB) == 0) {
    return false;
  }
  if (errno == EWOULDBLOCK) {
    return true;
  }
  return errno_error("lock " + path);
}

}  // namespace robot_council::base
