#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace robot_council::base {

// Owns one file descriptor and closes it. All descriptors of this project are close-on-exec.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() { reset(); }
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }
  // Gives the descriptor up without closing it.
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }
  void reset();
  // A second descriptor for the same file.
  [[nodiscard]] Result<Fd> duplicate() const;

 private:
  int fd_ = -1;
};

struct Pipe {
  Fd read_end;
  Fd write_end;
  [[nodiscard]] static Result<Pipe> open();
};

// open(2), repeated on EINTR, O_CLOEXEC added. Errors: as errno_error, `what` names the path.
[[nodiscard]] Result<Fd> open_file(const std::string& path, int flags, unsigned mode = 0600);

enum class Ready : unsigned char { yes, timeout, hung_up };
// Waits until `fd` can be read (or is at its end). hung_up: POLLHUP, POLLERR or POLLNVAL without
// data.
[[nodiscard]] Result<Ready> wait_readable(int fd, SteadyTime deadline);
[[nodiscard]] Result<Ready> wait_writable(int fd, SteadyTime deadline);

// One read(2), repeated on EINTR. 0 = end of file. busy: a non-blocking descriptor has nothing.
[[nodiscard]] Result<std::size_t> read_some(int fd, std::span<char> into);
// Everything up to end of file. invalid: over max_bytes. Works on blocking and non-blocking
// descriptors.
[[nodiscard]] Result<std::string> read_all(int fd, std::size_t max_bytes, SteadyTime deadline);
// Every byte, or an error: timeout, io (EPIPE too; SIGPIPE must be ignored). `*written` (may be
// null) tells how many went out. A non-blocking descriptor is waited for with poll.
[[nodiscard]] Status write_all(int fd, std::string_view bytes, SteadyTime deadline,
                               std::size_t* written = nullptr);

[[nodiscard]] Status set_nonblocking(int fd);

}  // namespace robot_council::base
