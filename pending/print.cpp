#include "pending/print.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/fd.hpp"
#include "pending/limits.hpp"

namespace robot_council::pending {

base::Status print_all(int fd, std::string_view bytes, base::SteadyTime deadline,
                       std::size_t* written, const std::function<void()>& after_piece) {
  *written = 0;
  while (*written < bytes.size()) {
    auto ready = base::wait_writable(fd, deadline);
    if (!ready) {
      return ready.error();
    }
    if (*ready == base::Ready::timeout) {
      return base::Error{base::Errc::timeout, "the reader took too long"};
    }
    if (*ready == base::Ready::hung_up) {
      return base::errno_error("write", EPIPE);
    }
    const ssize_t wrote =
        ::write(fd, bytes.data() + *written, std::min(kWriteChunk, bytes.size() - *written));
    // LCOV_EXCL_START: a signal, or another writer of the same pipe was quicker
    if (wrote < 0 && (errno == EINTR || errno == EAGAIN)) {
      continue;
    }
    // LCOV_EXCL_STOP
    if (wrote < 0) {
      return base::errno_error("write");
    }
    *written += static_cast<std::size_t>(wrote);
    if (after_piece && *written < bytes.size()) {
      after_piece();
    }
  }
  return {};
}

}  // namespace robot_council::pending
