#pragma once

#include <string>
#include <string_view>

#include "cli/command.hpp"

namespace robot_council::cli {

// The list of commands with their summaries and the exit codes: what `robot-council` alone and
// `--help` print.
[[nodiscard]] std::string list_text();
// `robot-council COMMAND --help`.
[[nodiscard]] std::string help_text(const Command& command);
// `Command "<x>" is not defined.` with a suggestion within two edits or for a prefix.
[[nodiscard]] std::string unknown_command_text(std::string_view word);

}  // namespace robot_council::cli
