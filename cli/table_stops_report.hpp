#pragma once

#include <vector>

#include "cli/command.hpp"

namespace robot_council::cli {

// The report on recorded turn ends, and what asks a judge for the recorder.
[[nodiscard]] std::vector<Command> stops_report_commands();

}  // namespace robot_council::cli
