#pragma once

#include <string_view>
#include <vector>

namespace robot_council::cli {

// Which executable runs a command: the small one that people and hooks call, or the one that links
// the network.
enum class Where : unsigned char { here, net };
enum class Repeat : unsigned char { last_wins, all };
// Whether an option that takes a value may stand alone: it is then there without one.
enum class Bare : unsigned char { no, allowed };
enum class Show : unsigned char { listed, hidden };
// What a command line with an unknown option or word does: a usage error, one that names all
// options, or nothing (what a client calls at every turn end must not fail because an older program
// reads a newer entry).
enum class Unknown : unsigned char { refused, refused_with_list, ignored };

// One option. `value` is the word for its value in the help ("URL"); empty for a switch.
struct Option {
  std::string_view name;  // "--service"
  std::string_view value;
  std::string_view help;
  std::string_view choices = {};  // "block cursor deny": for the help and completions
  Repeat repeat = Repeat::last_wins;
  Bare bare = Bare::no;
};

struct Argument {
  std::string_view name;  // "CODE"
  std::string_view help;
  bool required = true;
  bool rest = false;  // takes all that follow
};

struct Variable {
  std::string_view name;
  std::string_view help;
};

struct ExitCode {
  int code;
  std::string_view help;
};

// One command of the table that both executables share, and from which help, completions and manual
// pages are made. Names of two words are sub-commands ("hooks scan"). A released command is never
// removed, only hidden.
struct Command {
  std::string_view name;
  std::string_view summary;
  Where where;
  std::vector<Option> options = {};
  std::vector<Argument> arguments = {};
  std::vector<ExitCode> exits = {};
  std::string_view example = {};
  std::vector<Variable> variables = {};
  Show show = Show::listed;
  // Exit code of a usage error: 2, but 1 for what a delivering hook calls (harnesses read 2 as "go
  // on").
  int usage_exit = 2;
  std::string_view group = {};  // heading in the list
  Unknown unknown = Unknown::refused;
};

// All commands, in the order of the list.
[[nodiscard]] const std::vector<Command>& commands();
// The command with exactly this name; nullptr if there is none.
[[nodiscard]] const Command* find_command(std::string_view name);

}  // namespace robot_council::cli
