#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "harness/settings_hooks.hpp"

// Edits of a client's files as text: bytes in, bytes out. Only our entry is spliced in, replaced or
// taken out; every other byte stays, comments and a byte order mark too, and taking out what was
// put in gives the old bytes back. Errors  invalid: the file is not one that may be written. `what`
// is "<line>:<column>: <why>", for the caller to put the
//         file's name before it. Never thrown, never half done.
// Source  account contract, section 7 "Editing a harness's file".
namespace robot_council::harness {

// What a file is to its client; it decides which JSON is taken.
enum class EditFile : std::uint8_t {
  settings,    // Claude Code's and Gemini CLI's settings.json
  hooks_file,  // Codex, Cursor, Copilot CLI, goose
  servers,     // a file of MCP servers alone: mcp.json, mcp-config.json, .mcp.json, ~/.claude.json
};

// One of our entries in a hooks object.
struct WantedHook {
  std::string event;                       // "Stop"
  CommandForm kind = CommandForm::script;  // script: also a `pending` entry is ours; wait; record
  std::string entry;  // compact JSON of the entry itself, "" = none of this kind may be left
};

struct EditPlan {
  Client client = Client::claude;
  EditFile file = EditFile::settings;
  std::string script;  // path of our script: an entry that is just this path, unquoted, is ours too
  std::vector<WantedHook> hooks;
  bool touch_server = false;  // the member `robot-council` of mcpServers is put in or taken out
  std::string server;         // its compact JSON, "" = taken out
  std::set<std::string>
      removable;  // containers that we made ("hooks", "hooks.Stop", "mcpServers"): go when empty
};

struct Edited {
  std::string bytes;
  bool changed = false;
  std::set<std::string> made;  // containers that were not there before
};

// `old_bytes` nothing: there is no file; the result is a whole new one ("" when nothing is wanted).
[[nodiscard]] base::Result<Edited> edit_settings(const std::optional<std::string>& old_bytes,
                                                 const EditPlan& plan);

// Nothing but empty containers and fixed keys (version, name, description) is left: a file that we
// made may go.
[[nodiscard]] bool is_empty_settings(std::string_view bytes);

// The read-back: `after` parses, holds what the plan wants exactly once, and is `before` in all
// else.
[[nodiscard]] base::Status check_edit(const std::optional<std::string>& before,
                                      std::string_view after, const EditPlan& plan);

// Codex's block in config.toml: `block` without its marks, "" = taken out. The rest is never
// re-printed. Errors  invalid, also: a server of ours outside the block, mcp_servers that is no
// table, marks that do not pair.
[[nodiscard]] base::Result<Edited> edit_codex_block(const std::optional<std::string>& old_text,
                                                    std::string_view block);

// Two JSON values are equal: order of members and blanks do not count.
[[nodiscard]] bool equal_values(const SettingsNode& a, const SettingsNode& b);

}  // namespace robot_council::harness
