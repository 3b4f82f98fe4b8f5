#pragma once

#include <vector>

#include "cli/command.hpp"

namespace robot_council::cli {

// The brake's part of the table.
[[nodiscard]] std::vector<Command> brake_commands();

}  // namespace robot_council::cli
