#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// What a hook entry's command runs, as far as its text tells.
namespace robot_council::harness {

enum class CommandForm : std::uint8_t {
  other,    // not ours
  script,   // robot-council-stop-hook, in any folder
  pending,  // robot-council pending
  wait,     // robot-council-stop-hook --wait, or robot-council wait
  record,   // robot-council stops record
  brake,    // robot-council brake-check, alone or inside the line that the brake wires
};

struct HookCommand {
  CommandForm form = CommandForm::other;
  std::string
      program;  // the word that is run, unquoted; of the part after "||" when that one is ours
  std::vector<std::string> words;  // the words after it, unquoted, up to an operator of the shell
  std::vector<std::string> assignments;  // NAME=VALUE before it
  bool names_us = false;                 // "robot-council" stands somewhere in the text

  // The value of the last --<name>=V or --<name> V; "" if there is none.
  [[nodiscard]] std::string option(std::string_view name) const;
  [[nodiscard]] bool has_option(std::string_view name) const;  // --<name> or --<name>=...
  [[nodiscard]] bool ours() const { return form != CommandForm::other; }
  // Hands events over (script, pending).
  [[nodiscard]] bool delivers() const {
    return form == CommandForm::script || form == CommandForm::pending;
  }
};

// A command line for a shell. Ours is told by the first word, or the first word after "||" (the
// guarded form `test ! -x S || S`), assignments before it skipped; a path of ours as another
// program's argument is not ours. Quotes are honoured; "\" before a blank keeps the blank,
// elsewhere it is taken as "/". Source  delivery contract 8.3.
[[nodiscard]] HookCommand read_command(std::string_view line);
// A command and arguments that are run without a shell (Claude Code's `args`).
[[nodiscard]] HookCommand read_command(std::string_view program,
                                       const std::vector<std::string>& arguments);

}  // namespace robot_council::harness
