#pragma once

#include <functional>
#include <string>

#include "base/context.hpp"
#include "base/result.hpp"
#include "wiring/status.hpp"

namespace robot_council::wiring {

// The two executables, as `robot-council version` finds them.
struct Programs {
  std::string small;    // path
  std::string network;  // path
};

// `robot-council version [--json]`: version and path of both executables, what they are linked
// with, the stop-hook scripts that setup filled and by which version. Starts the network executable
// once (kVersionTime); opens no socket, writes nothing. Result 0; 1: the executables differ, one
// does not start, or stdout failed.
[[nodiscard]] int version(const base::Context& context, const Programs& programs, Shape shape,
                          const std::function<base::Status(std::string_view)>& out);

}  // namespace robot_council::wiring
