#pragma once

#include <vector>

#include "cli/command.hpp"

namespace robot_council::cli {

// Enrolling a machine, and proving that it works.
[[nodiscard]] std::vector<Command> account_commands();

}  // namespace robot_council::cli
