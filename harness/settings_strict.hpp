#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/settings_hooks.hpp"

// Faults for which a client drops a whole file, though they stand beside the stop event: with the
// file goes its stop hook.
namespace robot_council::harness {

struct VoidFault {
  std::size_t offset = 0;  // in the document's text
  std::string what;        // "an entry of PreToolUse has no \"type\""
  std::string remedy;
};

// Faults of one event of the `hooks` object.
[[nodiscard]] std::vector<VoidFault> void_faults_of_event(Client client,
                                                          const SettingsMember& event);

// Faults of the other keys of a settings file (Claude Code, Cursor, Copilot CLI).
[[nodiscard]] std::vector<VoidFault> void_faults_of_root(Client client, const SettingsNode& root);

// A `type` of an entry that the client knows.
[[nodiscard]] bool is_hook_type(Client client, std::string_view type);
// An event of Codex: only these are read, and strictly.
[[nodiscard]] bool is_codex_event(std::string_view name);
[[nodiscard]] bool is_cursor_event(std::string_view name);

}  // namespace robot_council::harness
