#pragma once

#include <vector>

#include "cli/command.hpp"

namespace robot_council::cli {

// The part of the table that records turn ends and reports on them.
[[nodiscard]] std::vector<Command> stops_commands();

}  // namespace robot_council::cli
