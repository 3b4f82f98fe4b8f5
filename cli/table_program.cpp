// Commands about the program itself.

#include "cli/table_program.hpp"

namespace robot_council::cli {

std::vector<Command> program_commands() {
  Command completion{"completion",
                     "Print a shell's completion script",
                     Where::here,
                     {},
                     {{"SHELL", "bash, zsh or fish"}}};
  completion.example =
      "robot-council completion bash > ~/.local/share/bash-completion/completions/robot-council";
  completion.group = "the program";
  Command generate{"generate",
                   "Write manual pages and completions into a share folder",
                   Where::here,
                   {},
                   {{"FOLDER", "an absolute path"}}};
  generate.show = Show::hidden;
  return {completion, generate};
}

}  // namespace robot_council::cli
