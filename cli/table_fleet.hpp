#pragma once

#include <vector>

#include "cli/command.hpp"

namespace robot_council::cli {

// The service itself, and what its operator does.
[[nodiscard]] std::vector<Command> fleet_commands();

}  // namespace robot_council::cli
