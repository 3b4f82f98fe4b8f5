#pragma once

#include <vector>

#include "cli/command.hpp"

namespace robot_council::cli {

// What a harness launches beside a session.
[[nodiscard]] std::vector<Command> bridge_commands();

}  // namespace robot_council::cli
