#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/settings_edit.hpp"

// The texts that setup writes into a client's files.
// Source  account contract, section 6; wake contract, section 2.
namespace robot_council::harness {

// The delivering entry of the client, compact JSON, for the script at this path.
[[nodiscard]] std::string hook_entry(Client client, const std::string& script);
// Claude Code's background entry: "<script> --wait".
[[nodiscard]] std::string wake_entry(const std::string& script);

// The values of the seat that a recorder looks at.
struct RecordValues {
  std::string program;  // BIN
  std::string service;
  std::string project;  // "" = none
};
// The entry that records turn ends. Claude Code runs it in the background, where nobody waits for
// it; the others wait up to 10 s. "" for a client whose turn ends are not recorded.
[[nodiscard]] std::string record_entry(Client client, const RecordValues& values);

struct ServerValues {
  std::string program;  // BIN
  std::string service;
  std::string project;  // "" = none
  std::map<std::string, std::string>
      variables;  // Codex: XDG_STATE_HOME, XDG_CONFIG_HOME of the shell at setup
};
// The value of mcpServers.robot-council, compact JSON. Never a credential.
[[nodiscard]] std::string server_entry(Client client, const ServerValues& values);
// Codex's block in config.toml, without its marks and without a last line end.
[[nodiscard]] std::string codex_block(const ServerValues& values);

enum class Wake : std::uint8_t { yes, no };
// What a client's hook file must hold: the delivering entry, for Claude Code also the two of the
// background hook (Wake::no: they are taken out).
[[nodiscard]] std::vector<WantedHook> wanted_hooks(Client client, const std::string& script,
                                                   Wake wake);
// The same kinds, none of which may be left.
[[nodiscard]] std::vector<WantedHook> unwanted_hooks(Client client);

}  // namespace robot_council::harness
