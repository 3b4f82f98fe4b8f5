#include "cli/help.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "base/version.hpp"

namespace robot_council::cli {
namespace {

constexpr std::size_t kSuggestEdits = 2;  // account contract, section 1

void row(std::string& into, std::string_view left, std::string_view right, std::size_t width) {
  into += "  ";
  into += left;
  into += std::string(left.size() < width ? width - left.size() : 1, ' ');
  into += "  ";
  into += right;
  into += '\n';
}

std::string option_word(const Option& option) {
  std::string word(option.name);
  if (!option.value.empty()) {
    word += " ";
    word += option.value;
  }
  return word;
}

std::string usage_line(const Command& command) {
  std::string line = "robot-council " + std::string(command.name);
  if (!command.options.empty()) {
    line += " [options]";
  }
  for (const auto& argument : command.arguments) {
    std::string word(argument.name);
    if (argument.rest) {
      word += "...";
    }
    line += argument.required ? " " + word : " [" + word + "]";
  }
  return line;
}

}  // namespace

std::string list_text() {
  std::string text = "robot-council " + std::string(base::version()) +
                     ": connects AI coding agents to their fleet.\n\n"
                     "usage: robot-council COMMAND [options]     robot-council COMMAND --help\n";
  std::size_t width = 0;
  for (const auto& command : commands()) {
    width = std::max(width, command.name.size());
  }
  std::string_view group;
  for (const auto& command : commands()) {
    if (command.show == Show::hidden) {
      continue;
    }
    if (command.group != group) {
      group = command.group;
      text += "\n" + std::string(group) + "\n";
    }
    row(text, command.name, command.summary, width);
  }
  text += "\nexit codes\n";
  row(text, "0", "done, also: nothing to do", width);
  row(text, "1", "failed or misconfigured", width);
  row(text, "2", "usage: unknown command, option or value (pending answers 1)", width);
  row(text, "3", "a sink exists and cannot be read", width);
  row(text, "130", "interrupted", width);
  text += "Commands that answer a harness follow the harness's protocol instead.\n";
  return text;
}

std::string help_text(const Command& command) {
  std::string text = std::string(command.summary) + ".\n\nusage: " + usage_line(command) + "\n";
  std::size_t width = 0;
  for (const auto& option : command.options) {
    width = std::max(width, option_word(option).size());
  }
  for (const auto& argument : command.arguments) {
    width = std::max(width, argument.name.size());
  }
  if (!command.arguments.empty()) {
    text += "\narguments\n";
    for (const auto& argument : command.arguments) {
      row(text, argument.name, argument.help, width);
    }
  }
  if (!command.options.empty()) {
    text += "\noptions\n";
    for (const auto& option : command.options) {
      std::string help(option.help);
      if (!option.choices.empty()) {
        help += " (" + base::join(base::split(option.choices, ' '), ", ") + ")";
      }
      row(text, option_word(option), help, width);
    }
  }
  if (!command.variables.empty()) {
    text += "\nenvironment\n";
    for (const auto& variable : command.variables) {
      row(text, variable.name, variable.help, width);
    }
  }
  if (!command.exits.empty()) {
    text += "\nexit codes\n";
    for (const auto& code : command.exits) {
      row(text, std::to_string(code.code), code.help, width);
    }
  }
  if (!command.example.empty()) {
    text += "\nexample\n  " + std::string(command.example) + "\n";
  }
  return text;
}

std::string unknown_command_text(std::string_view word) {
  std::string text = "Command \"" + base::for_display(word) + "\" is not defined.";
  std::string_view best;
  std::size_t best_edits = kSuggestEdits + 1;
  for (const auto& command : commands()) {
    if (command.show == Show::hidden) {
      continue;
    }
    const bool prefix = !word.empty() && command.name.substr(0, word.size()) == word;
    const std::size_t edits = prefix ? 0 : base::edit_distance(word, command.name);
    if (edits < best_edits) {
      best_edits = edits;
      best = command.name;
    }
  }
  if (!best.empty()) {
    text += " Did you mean \"" + std::string(best) + "\"?";
  }
  return text;
}

}  // namespace robot_council::cli
