#include "bridge/output.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <string>

namespace robot_council::bridge {

base::Result<Output> Output::open(int fd) {
  base::Result<base::Pipe> wake = base::Pipe::open();
  if (!wake.ok()) {
    return wake.error();
  }
  return Output(fd, *std::move(wake));
}

Output::Output(Output&& other) noexcept : fd_(other.fd_), wake_(std::move(other.wake_)) {}

void Output::on_broken(std::function<void()> callback) {
  const base::MutexLock lock(mu_);
  on_broken_ = std::move(callback);
}

bool Output::write_all(std::string_view bytes) {
  // A descriptor that poll calls writable takes PIPE_BUF bytes without blocking, whatever its mode.
  while (!bytes.empty()) {
    std::array<pollfd, 2> watched = {pollfd{fd_, POLLOUT, 0},
                                     pollfd{wake_.read_end.get(), POLLIN, 0}};
    if (::poll(watched.data(), watched.size(), -1) < 0) {
      if (errno == EINTR) {
        continue;
      }
      return false;
    }
    if (watched[1].revents != 0) {
      return false;
    }
    const ssize_t n = ::write(fd_, bytes.data(), std::min<std::size_t>(bytes.size(), PIPE_BUF));
    if (n < 0) {
      if (errno == EINTR || errno == EAGAIN) {
        continue;
      }
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

void Output::write_line(std::string_view line) {
  std::string bytes(line);
  bytes.push_back('\n');
  std::function<void()> tell;
  {
    const base::MutexLock lock(mu_);
    if (dead_) {
      return;
    }
    if (!write_all(bytes)) {
      dead_ = true;
      tell = std::move(on_broken_);
    }
  }
  if (tell) {
    tell();
  }
}

void Output::close() {
  // Makes the read end readable for good; a blocked writer holds the mutex, so it is not taken
  // here.
  const char byte = 0;
  const ssize_t ignored = ::write(wake_.write_end.get(), &byte, 1);
  static_cast<void>(ignored);
}

}  // namespace robot_council::bridge
