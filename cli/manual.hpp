#pragma once

#include <string>

#include "cli/command.hpp"

namespace robot_council::cli {

// Manual pages in roff's man macros, made from the command table: robot-council(1) and
// robot-council-COMMAND(1).
[[nodiscard]] std::string manual_page();
[[nodiscard]] std::string manual_page(const Command& command);
// "robot-council-hooks-scan" for "hooks scan".
[[nodiscard]] std::string manual_name(const Command& command);

}  // namespace robot_council::cli
