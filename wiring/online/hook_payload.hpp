#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace robot_council::wiring::online {

enum class Continued : std::uint8_t {
  no,
  yes,  // a stop hook had answered in this turn
};

// One turn end as a harness tells it.
struct StopTurn {
  std::string session;  // of the harness
  std::string turn;     // id, for the harnesses that have one
  std::string folder;
  Continued continued = Continued::no;
};

// The payload of a harness's stop event on one line, with the fields that its clients send
// (wiki/Harnesses.md). Cursor's begins with a byte order mark, as some of its versions send one. An
// unknown harness gets Claude Code's.
[[nodiscard]] std::string stop_payload(std::string_view harness, const StopTurn& turn);

// How a harness starts its stop hook: the shell's words before the command, its own variables, the
// working directory.
struct HookStart {
  std::vector<std::string> shell;
  std::vector<std::string> variables;  // NAME=VALUE
  std::string directory;
};
// user_shell: $SHELL, "" = none; home: of the person.
[[nodiscard]] HookStart hook_start(std::string_view harness, const StopTurn& turn,
                                   const std::string& home, const std::string& user_shell);

}  // namespace robot_council::wiring::online
