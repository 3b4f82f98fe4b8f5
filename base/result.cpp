#include "base/result.hpp"

#include <array>
#include <cerrno>
#include <cstring>

namespace robot_council::base {
namespace {

Errc code_of(int error_number) {
  switch (error_number) {
    case ENOENT:
      return Errc::not_found;
    case EAGAIN:
    case EBUSY:
      return Errc::busy;
    case EACCES:
    case EPERM:
      return Errc::refused;
    case ETIMEDOUT:
      return Errc::timeout;
    case EINVAL:
      return Errc::invalid;
    default:
      return Errc::io;
  }
}

}  // namespace

Error errno_error(std::string_view what, int error_number) {
  std::array<char, 256> buffer{};
  // The GNU strerror_r returns the text, which need not be in the buffer. What is not there is
  // asked for at every turn end, and looking its text up touches pages of libc that nothing else
  // needs.
  const char* text = error_number == ENOENT
                         ? "No such file or directory"
                         : ::strerror_r(error_number, buffer.data(), buffer.size());
  return Error{code_of(error_number), std::string(what) + ": " + text};
}

Error errno_error(std::string_view what) {
  return errno_error(what, errno);
}

}  // namespace robot_council::base
