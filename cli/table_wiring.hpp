#pragma once

#include <vector>

#include "cli/command.hpp"

namespace robot_council::cli {

// Wiring a harness and taking it out again.
[[nodiscard]] std::vector<Command> wiring_commands();

}  // namespace robot_council::cli
