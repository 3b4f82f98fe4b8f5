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
  Command version{"version",
                  "Say which programs and scripts are installed, where, and of which version",
                  Where::here,
                  {{"--json", "", "as JSON"}},
                  {},
                  {{0, "shown"},
                   {1, "the two executables differ, or the network executable does not start"},
                   {2, "unknown option"}},
                  "robot-council version --json"};
  version.group = "the program";
  Command linked{"linked", "Print what the network executable is, for `version`", Where::net};
  linked.show = Show::hidden;
  Command generate{"generate",
                   "Write manual pages and completions into a share folder",
                   Where::here,
                   {},
                   {{"FOLDER", "an absolute path"}}};
  generate.show = Show::hidden;
  return {version, completion, linked, generate};
}

}  // namespace robot_council::cli
