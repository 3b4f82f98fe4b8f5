#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/settings_command.hpp"
#include "harness/settings_json.hpp"

// Hook files of the six wired clients: bytes in, entries and faults out, as the client itself takes
// them. Source  measured on Claude Code 2.1.332, Codex 0.171, Gemini CLI 0.61, Copilot CLI 1.0.102;
// Cursor 3.17 and goose 1.54
//         from their documentation and reports.
namespace robot_council::harness {

enum class Client : std::uint8_t { claude, codex, cursor, gemini, copilot, goose };
[[nodiscard]] std::string_view client_name(Client client);   // "claude"
[[nodiscard]] std::string_view client_title(Client client);  // "Claude Code"
[[nodiscard]] std::optional<Client> parse_client(std::string_view name);

enum class HookFileKind : std::uint8_t {
  settings,    // Claude Code, Gemini CLI, Copilot CLI: settings.json, hooks are one key of it
  managed,     // the same, set by an administrator
  hooks_file,  // a file of hooks only
};

enum class FaultSeverity : std::uint8_t { error, warning, information };

// One thing wrong with a file. `text` and `remedy` are sentences without control characters.
struct SettingsFault {
  FaultSeverity severity = FaultSeverity::error;
  std::string rule;      // id: syntax, encoding, root, wrapper, void, shape, unknown-key
  std::size_t line = 0;  // 1-based; 0: the whole file
  std::string text;
  std::string remedy;
  std::size_t column = 0;  // 1-based; 0: the whole line
};

// An entry under an event, whether or not the client takes it.
struct HookEntry {
  std::string event;
  bool at_stop = false;    // the client's own stop event
  std::size_t group = 0;   // index in the event's list
  std::size_t index = 0;   // index in the group's list (flat form: 0)
  std::size_t line = 0;    // 1-based
  std::string type;        // "command" where the client makes it optional
  std::string line_text;   // the command as written; type http: the URL
  bool exec_form = false;  // Claude Code's `args`: run without a shell
  HookCommand command;
  std::string name;       // Gemini CLI
  bool accepted = false;  // the client keeps it, going by its shape
  bool async = false;
  bool async_rewake = false;
  std::optional<double> timeout;  // as written, in the client's unit
  std::int64_t timeout_ms = 0;    // with the client's default
  std::string status_message;     // Codex: part of the trusted hash
  bool hash_known = true;  // Codex: false when keys are there whose part in the hash is not known
};

struct HooksFile {
  bool taken = false;         // the client reads the file: none of its faults voids it
  bool stops_client = false;  // with this file the client does not start
  std::vector<HookEntry>
      entries;  // at the stop event, and ours at SessionStart and UserPromptSubmit
  std::vector<SettingsFault> faults;
  std::optional<bool> disable_all;  // disableAllHooks, if a boolean
  std::size_t disable_all_line = 0;
  bool mentions_us = false;  // the text names a command of ours somewhere, readable or not
  SettingsDocument document;
};

// Reads a file as its client does. Never fails: what is wrong is in `faults`.
[[nodiscard]] HooksFile read_hooks_file(Client client, HookFileKind kind, std::string_view bytes);

// The same of an object of events that stands elsewhere (`hooks` inside a plugin.json), in a
// document that was read.
[[nodiscard]] std::vector<HookEntry> read_hook_events(Client client,
                                                      const SettingsDocument& document,
                                                      const SettingsNode& events);

// The stop event's name as ours are written: "Stop", "stop", "AfterAgent", "agentStop".
[[nodiscard]] std::string_view stop_event_name(Client client);

// A text of a file as a finding may repeat it: control characters removed, bad UTF-8 replaced, cut.
[[nodiscard]] std::string quoted_text(std::string_view text);

}  // namespace robot_council::harness
