#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/context.hpp"
#include "cli/command.hpp"
#include "cli/parse.hpp"

namespace robot_council::cli {

// A command's work: reads its arguments, calls its room, prints, returns an exit code.
using Action = int (*)(const base::Context& context, const Args& args);

struct Binding {
  std::string_view name;  // a name of the table whose `where` is this executable
  Action action;
};

// What main() does: finds the command, prints help or a usage error, runs the action, or starts the
// network executable for a command that lives there. Returns the exit code.
int dispatch(const base::Context& context, Where self, const std::vector<Binding>& bindings,
             const std::vector<std::string>& words);

// Path of the network executable that belongs to the running one:
// ../libexec/robot-council/robot-council-net beside an installed bin/, else robot-council-net in
// the same folder (a build).
[[nodiscard]] std::string network_executable();
// The small executable that belongs to the running one, the other way round.
[[nodiscard]] std::string small_executable();

// Writes the answer to stdout: every byte, or false after a line on stderr.
[[nodiscard]] bool print(const base::Context& context, std::string_view text);

}  // namespace robot_council::cli
