#pragma once

#include <vector>

#include "cli/command.hpp"

namespace robot_council::cli {

// Commands about the program itself.
[[nodiscard]] std::vector<Command> program_commands();

}  // namespace robot_council::cli
