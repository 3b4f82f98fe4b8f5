#include "cli/manual.hpp"

#include "base/text.hpp"
#include "base/version.hpp"

namespace robot_council::cli {
namespace {

// A line of text: a hyphen is a minus sign in commands, and no line may begin with a control
// character of roff.
std::string escaped(std::string_view text) {
  std::string result = base::replace_all(std::string(text), "\\", "\\e");
  result = base::replace_all(std::move(result), "-", "\\-");
  if (!result.empty() && (result.front() == '.' || result.front() == '\'')) {
    result.insert(0, "\\&");
  }
  return result;
}

std::string title(const std::string& name, std::string_view summary) {
  return ".TH " + base::replace_all(name, "-", "\\-") + R"( 1 "" "robot\-council )" +
         escaped(base::version()) + "\" \"robot\\-council\"\n.SH NAME\n" + escaped(name) + " \\- " +
         escaped(summary) + "\n";
}

void item(std::string& page, std::string_view head, std::string_view text) {
  page += ".TP\n.B " + escaped(head) + "\n" + escaped(text) + "\n";
}

}  // namespace

std::string manual_name(const Command& command) {
  return "robot-council-" + base::replace_all(std::string(command.name), " ", "-");
}

std::string manual_page() {
  std::string page = title("robot-council", "connects AI coding agents to their fleet");
  page += ".SH SYNOPSIS\n.B robot\\-council\nCOMMAND [options]\n.SH COMMANDS\n";
  for (const auto& command : commands()) {
    if (command.show == Show::listed) {
      item(page, command.name,
           std::string(command.summary) + ". See " + manual_name(command) + "(1).");
    }
  }
  page += ".SH EXIT STATUS\n";
  item(page, "0", "done, also: nothing to do");
  item(page, "1", "failed or misconfigured");
  item(page, "2", "usage: unknown command, option or value (pending answers 1)");
  item(page, "3", "a sink exists and cannot be read");
  item(page, "130", "interrupted");
  return page;
}

std::string manual_page(const Command& command) {
  std::string page = title(manual_name(command), command.summary);
  page += ".SH SYNOPSIS\n.B robot\\-council " + escaped(command.name) + "\n";
  page += command.options.empty() ? "" : "[options]\n";
  for (const auto& argument : command.arguments) {
    const std::string word = std::string(argument.name) + (argument.rest ? "..." : "");
    page += (argument.required ? word : "[" + word + "]") + "\n";
  }
  page += ".SH DESCRIPTION\n" + escaped(command.summary) + ".\n";
  for (const auto& argument : command.arguments) {
    item(page, argument.name, argument.help);
  }
  if (!command.options.empty()) {
    page += ".SH OPTIONS\n";
    for (const auto& option : command.options) {
      std::string help(option.help);
      if (!option.choices.empty()) {
        help += " (" + base::join(base::split(option.choices, ' '), ", ") + ")";
      }
      item(page,
           std::string(option.name) + (option.value.empty() ? "" : " " + std::string(option.value)),
           help);
    }
  }
  if (!command.variables.empty()) {
    page += ".SH ENVIRONMENT\n";
    for (const auto& variable : command.variables) {
      item(page, variable.name, variable.help);
    }
  }
  if (!command.exits.empty()) {
    page += ".SH EXIT STATUS\n";
    for (const auto& exit : command.exits) {
      item(page, std::to_string(exit.code), exit.help);
    }
  }
  if (!command.example.empty()) {
    page += ".SH EXAMPLE\n.nf\n" + escaped(command.example) + "\n.fi\n";
  }
  return page + ".SH SEE ALSO\nrobot\\-council(1)\n";
}

}  // namespace robot_council::cli
