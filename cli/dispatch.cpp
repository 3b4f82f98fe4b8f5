#include "cli/dispatch.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/paths.hpp"
#include "base/version.hpp"
#include "cli/exit.hpp"
#include "cli/help.hpp"

namespace robot_council::cli {
namespace {

constexpr base::Milliseconds kPrintTime{30000};  // a reader that takes longer is gone

int code(Exit exit) {
  return static_cast<int>(exit);
}

int print_and_end(const base::Context& context, std::string_view text) {
  return print(context, text) ? code(Exit::ok) : code(Exit::failed);
}

// The longest name of one or two words that begins the line.
const Command* command_of(const std::vector<std::string>& words, std::size_t& used) {
  if (words.size() > 1 && words[1].compare(0, 1, "-") != 0) {
    if (const Command* two = find_command(words[0] + " " + words[1])) {
      used = 2;
      return two;
    }
  }
  used = 1;
  return words.empty() ? nullptr : find_command(words[0]);
}

// Whether the word begins names of two words only ("hooks"): then the list is more use than "not
// defined".
bool is_group(std::string_view word) {
  const std::string head = std::string(word) + " ";
  return std::any_of(commands().begin(), commands().end(), [&head](const Command& command) {
    return command.name.substr(0, head.size()) == head;
  });
}

int start_network_executable(const base::Context& context, const std::vector<std::string>& words) {
  const std::string path = network_executable();
  std::vector<std::string> owned = {path};
  owned.insert(owned.end(), words.begin(), words.end());
  std::vector<char*> argv;
  argv.reserve(owned.size() + 1);
  for (auto& word : owned) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  ::execv(path.c_str(), argv.data());
  context.log.error("cannot run " + path + ": " + base::errno_error("exec").what.substr(6) +
                    "; reinstall robot-council");
  return code(Exit::failed);
}

bool wants_help(const std::vector<std::string>& words) {
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::find(words.begin(), end, "--help") != end ||
         std::find(words.begin(), end, "-h") != end;
}

}  // namespace

bool print(const base::Context& context, std::string_view text) {
  const auto written = base::write_all(STDOUT_FILENO, text, base::deadline_in(kPrintTime));
  if (!written) {
    context.log.error("cannot write the answer to stdout: " + written.error().what);
  }
  return written.ok();
}

std::string network_executable() {
  const std::string folder = base::parent_path(base::own_executable());
  std::string beside = folder + "/robot-council-net";
  if (base::exists(beside)) {
    return beside;
  }
  return base::parent_path(folder) + "/libexec/robot-council/robot-council-net";
}

std::string small_executable() {
  const std::string folder = base::parent_path(base::own_executable());
  std::string beside = folder + "/robot-council";
  if (auto info = base::file_info(beside, base::Links::follow);
      info && info->kind == base::FileKind::regular) {
    return beside;
  }
  return base::parent_path(base::parent_path(folder)) + "/bin/robot-council";
}

namespace {

// `help`, and `help COMMAND` as people type it.
int show_help(const base::Context& context, const std::vector<std::string>& words) {
  if (words.empty()) {
    return print_and_end(context, list_text());
  }
  std::size_t used = 0;
  if (const Command* command = command_of(words, used)) {
    return print_and_end(context, help_text(*command));
  }
  if (is_group(words[0]) && words.size() == 1) {
    return print_and_end(context, list_text());
  }
  context.log.error(
      unknown_command_text(is_group(words[0]) ? words[0] + " " + words[1] : words[0]));
  return code(Exit::usage);
}

}  // namespace

int dispatch(const base::Context& context, Where self, const std::vector<Binding>& bindings,
             const std::vector<std::string>& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    return show_help(context, {words.begin() + (words.empty() ? 0 : 1), words.end()});
  }
  if (words[0] == "--version") {
    return print_and_end(context, "robot-council " + std::string(base::version()) + "\n");
  }
  std::size_t used = 0;
  const Command* command = command_of(words, used);
  if (command == nullptr) {
    if (is_group(words[0]) && (words.size() == 1 || wants_help(words))) {
      return print_and_end(context, list_text());
    }
    const bool two = is_group(words[0]) && words.size() > 1;
    context.log.error(unknown_command_text(two ? words[0] + " " + words[1] : words[0]));
    return code(Exit::usage);
  }
  const std::vector<std::string> rest(words.begin() + static_cast<std::ptrdiff_t>(used),
                                      words.end());
  if (wants_help(rest)) {
    return print_and_end(context, help_text(*command));
  }
  if (command->where == Where::net && self == Where::here) {
    return start_network_executable(context, words);
  }
  const auto bound =
      std::find_if(bindings.begin(), bindings.end(),
                   [command](const Binding& binding) { return binding.name == command->name; });
  if (bound == bindings.end()) {
    context.log.error("\"" + std::string(command->name) +
                      "\" is run by robot-council, not by this program.");
    return code(Exit::usage);
  }
  auto args = parse(*command, rest);
  if (!args) {
    context.log.error(args.error().what);
    return command->usage_exit;
  }
  return bound->action(context, *args);
}

}  // namespace robot_council::cli
