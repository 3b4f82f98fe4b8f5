#include "brake/disk.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/fd.hpp"

namespace robot_council::brake {
namespace {

int read_open(int fd, std::size_t max_bytes, std::string* into) {
  struct ::stat info {};
  // LCOV_EXCL_START: fstat(2) of a descriptor that was just opened
  if (::fstat(fd, &info) != 0) {
    return errno;
  }
  // LCOV_EXCL_STOP
  if (!S_ISREG(info.st_mode)) {
    return EINVAL;
  }
  if (static_cast<std::size_t>(info.st_size) > max_bytes) {
    return EFBIG;
  }
  // One byte more than the limit: the file may have grown since.
  std::string bytes(static_cast<std::size_t>(info.st_size) + 1, '\0');
  std::size_t filled = 0;
  while (true) {
    if (filled == bytes.size()) {
      if (filled > max_bytes) {
        return EFBIG;
      }
      bytes.resize(max_bytes + 1);
    }
    const ssize_t got = ::read(fd, bytes.data() + filled, bytes.size() - filled);
    // LCOV_EXCL_START: a signal in the middle of a read
    if (got < 0 && errno == EINTR) {
      continue;
    }
    // LCOV_EXCL_STOP
    if (got < 0) {
      return errno;
    }
    if (got == 0) {
      break;
    }
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  *into = std::move(bytes);
  return filled > max_bytes ? EFBIG : 0;
}

int open_and_read(const std::string& path, int flags, std::size_t max_bytes, std::string* into) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) {
    return errno;
  }
  const base::Fd owner(fd);
  return read_open(owner.get(), max_bytes, into);
}

}  // namespace

int look(const std::string& path, struct ::stat* into) {
  return ::lstat(path.c_str(), into) == 0 ? 0 : errno;
}

int look_through(const std::string& path, struct ::stat* into) {
  return ::stat(path.c_str(), into) == 0 ? 0 : errno;
}

bool is_absent(int error_number) {
  return error_number == ENOENT || error_number == ENOTDIR;
}

std::string errno_words(int error_number) {
  switch (error_number) {
    case EINVAL:
      return "no regular file";
    case EFBIG:
      return "too large";
    case ELOOP:
      return "a symbolic link";
    default:
      return std::strerror(error_number);
  }
}

int read_regular(const std::string& path, std::size_t max_bytes, std::string* into) {
  struct ::stat info {};
  const int error_number = look(path, &info);
  if (error_number != 0) {
    return error_number;
  }
  if (S_ISLNK(info.st_mode)) {
    return ELOOP;
  }
  if (!S_ISREG(info.st_mode)) {
    return EINVAL;
  }
  return open_and_read(path, O_NOFOLLOW, max_bytes, into);
}

int read_followed(const std::string& path, std::size_t max_bytes, std::string* into) {
  return open_and_read(path, 0, max_bytes, into);
}

}  // namespace robot_council::brake
