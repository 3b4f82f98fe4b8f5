#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/settings_json.hpp"

// Which fleet, harness and project a piece of wiring speaks for: the stop-hook script and the MCP
// server entry must agree, else events go to one sink and the hook looks into another.
namespace robot_council::harness {

struct WiredValues {
  std::size_t line = 0;  // 1-based; 0 in a script
  std::optional<std::string> service;
  std::optional<std::string> harness;
  std::optional<std::string> project;
  std::optional<std::string> state_home;  // XDG_STATE_HOME
  bool unsets_state_home = false;         // script: XDG_STATE_HOME is unset for the hook
  std::string program;                    // script: ROBOT_COUNCIL_BIN; server: its command
  std::vector<std::string> arguments;     // server
  bool calls_format = false;  // script: the earlier one, which calls `pending --format=`
};

// Values assigned at the start of a line of a POSIX shell script, with or without `export`: the
// earlier script and those a person wrote. A value that the shell would compute ($, `) counts as
// not given.
[[nodiscard]] WiredValues read_script_values(std::string_view script);

// The server of ours in an object of MCP servers: the one named robot-council, else one that runs
// `robot-council mcp`.
[[nodiscard]] std::optional<WiredValues> read_server_values(const SettingsDocument& document,
                                                            const SettingsNode& servers);

// The word of a shell as text: quotes removed, nothing expanded.
[[nodiscard]] std::string unquote_shell(std::string_view word);

}  // namespace robot_council::harness
