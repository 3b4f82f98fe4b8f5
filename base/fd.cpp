#include "base/fd.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace robot_council::base {
namespace {

int poll_timeout(SteadyTime deadline) {
  return static_cast<int>(std::min<std::int64_t>(time_left(deadline).count(), 3600000));
}

Result<Ready> wait_for(int fd, short events, SteadyTime deadline) {
  while (true) {
    pollfd entry{fd, events, 0};
    const int got = ::poll(&entry, 1, poll_timeout(deadline));
    if (got < 0) {
      if (errno == EINTR) {
        continue;
      }
      return errno_error("poll");
    }
    if (got == 0) {
      if (time_left(deadline).count() > 0) {
        continue;
      }
      return Ready::timeout;
    }
    if ((entry.revents & events) != 0) {
      return Ready::yes;
    }
    return Ready::hung_up;
  }
}

}  // namespace

void Fd::reset() {
  if (fd_ >= 0) {
    // Not repeated on EINTR: Linux has closed it by then.
    (void)::close(fd_);
    fd_ = -1;
  }
}

Result<Fd> Fd::duplicate() const {
  const int copy = ::fcntl(fd_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) {
    return errno_error("duplicate a descriptor");
  }
  return Fd(copy);
}

Result<Pipe> Pipe::open() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return errno_error("pipe");
  }
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

Result<Fd> open_file(const std::string& path, int flags, unsigned mode) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) {
    return errno_error("open " + path);
  }
  return Fd(fd);
}

Result<Ready> wait_readable(int fd, SteadyTime deadline) {
  auto ready = wait_for(fd, POLLIN, deadline);
  // A pipe whose writers are gone is at its end of file: that can be read.
  if (ready && *ready == Ready::hung_up) {
    pollfd entry{fd, POLLIN, 0};
    if (::poll(&entry, 1, 0) > 0 && (entry.revents & POLLNVAL) == 0 &&
        (entry.revents & POLLHUP) != 0) {
      return Ready::yes;
    }
  }
  return ready;
}

Result<Ready> wait_writable(int fd, SteadyTime deadline) {
  return wait_for(fd, POLLOUT, deadline);
}

Result<std::size_t> read_some(int fd, std::span<char> into) {
  ssize_t got = 0;
  do {
    got = ::read(fd, into.data(), into.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) {
    return errno_error("read");
  }
  return static_cast<std::size_t>(got);
}

Result<std::string> read_all(int fd, std::size_t max_bytes, SteadyTime deadline) {
  std::string all;
  std::array<char, 65536> buffer{};
  while (true) {
    auto ready = wait_readable(fd, deadline);
    if (!ready) {
      return ready.error();
    }
    if (*ready == Ready::timeout) {
      return Error{Errc::timeout, "read: the time is over"};
    }
    auto got = read_some(fd, buffer);
    if (!got) {
      if (got.error().code == Errc::busy) {
        continue;
      }
      return got.error();
    }
    if (*got == 0) {
      return all;
    }
    if (all.size() + *got > max_bytes) {
      return Error{Errc::invalid, "read: more than " + std::to_string(max_bytes) + " bytes"};
    }
    all.append(buffer.data(), *got);
  }
}

Status write_all(int fd, std::string_view bytes, SteadyTime deadline, std::size_t* written) {
  if (written != nullptr) {
    *written = 0;
  }
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(wrote));
      if (written != nullptr) {
        *written += static_cast<std::size_t>(wrote);
      }
      continue;
    }
    if (wrote < 0 && errno == EINTR) {
      continue;
    }
    if (wrote < 0 && errno != EAGAIN) {
      return errno_error("write");
    }
    auto ready = wait_writable(fd, deadline);
    if (!ready) {
      return ready.error();
    }
    if (*ready == Ready::timeout) {
      return Error{Errc::timeout, "write: the time is over"};
    }
    if (*ready == Ready::hung_up) {
      return errno_error("write", EPIPE);
    }
  }
  return {};
}

Status set_nonblocking(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) {
    return errno_error("make a descriptor non-blocking");
  }
  return {};
}

}  // namespace robot_council::base
