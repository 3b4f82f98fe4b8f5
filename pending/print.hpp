#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace robot_council::pending {

// Writes every byte to a descriptor that may be blocking, non-blocking, or a pipe nobody reads, in
// pieces that cannot block once poll() said yes. The descriptor's flags are left alone: they are
// shared with other processes. SIGPIPE must be ignored. Errors  timeout: the deadline passed; io:
// EPIPE or another write error. `*written` tells how many bytes left. `after_piece` runs after each
// piece but the last.
[[nodiscard]] base::Status print_all(int fd, std::string_view bytes, base::SteadyTime deadline,
                                     std::size_t* written,
                                     const std::function<void()>& after_piece = {});

}  // namespace robot_council::pending
