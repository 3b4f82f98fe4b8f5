#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robot_council::brake {

// The members of a hook's payload that the check looks at. All are at the top level but
// tool_call_name (toolCall.name).
enum class Field : std::uint8_t {
  agent_action_name,
  conversation_id,    // conversation_id
  conversation_id_c,  // conversationId
  cursor_version,
  event,
  event_type,
  hook_event_name,
  hook_event_name_c,  // hookEventName
  model,
  session_id,
  session_id_c,  // sessionId
  tool_args,     // toolArgs
  tool_call,     // toolCall
  tool_call_name,
  tool_name,
  tool_name_c,  // toolName
  trajectory_id,
  turn_id,
  count,
};

struct HookPayload {
  // It was one whole JSON object. False: cut, no JSON, too large, read too slowly; the fields read
  // so far are kept.
  bool readable = false;
  // Present and not null; the text of a string, "" for any other kind. Of a repeated member the
  // last.
  std::array<std::optional<std::string>, static_cast<std::size_t>(Field::count)> fields;
  // cwd, working_dir, workspaceRoot, workspace_roots[], workspacePaths[]: all of them, repeated
  // members too.
  std::vector<std::string> roots;

  [[nodiscard]] bool has(Field field) const {
    return fields.at(static_cast<std::size_t>(field)).has_value();
  }
  [[nodiscard]] std::string text(Field field) const {
    return fields.at(static_cast<std::size_t>(field)).value_or(std::string());
  }
  // The tool's name and the session's id, whatever this client calls them; "" when it tells none.
  [[nodiscard]] std::string tool() const;
  [[nodiscard]] std::string session() const;
};

// Reads a payload piece by piece and keeps only the fields above, at most kMaxPayloadKept bytes: a
// tool input of any size costs no memory. Raw control characters inside strings are let through,
// some clients write them. Threads: one at a time. Errors: none, HookPayload::readable tells.
class PayloadReader {
 public:
  void feed(std::string_view bytes);
  // The end of the input.
  [[nodiscard]] HookPayload finish();

 private:
  enum class Expect : std::uint8_t {
    value,
    value_or_end,
    key,
    key_or_end,
    colon,
    comma_or_end,
    nothing
  };
  enum class In : std::uint8_t { none, string, escape, hex, literal };
  enum class Sink : std::uint8_t { none, field, root };

  std::size_t skip_string(std::string_view bytes, std::size_t at);
  bool take(char byte);
  bool take_in_string(char byte);
  bool take_in_escape(char byte);
  bool take_literal(char byte);
  bool take_structure(char byte);
  bool begin_value(char byte);
  bool begin_string(Expect as);
  bool end_string();
  bool end_literal();
  bool open(bool object);
  bool close(bool object);
  void after_value();
  void choose_sink();
  void store(std::string text);

  bool failed_ = false;
  Expect expect_ = Expect::value;
  In in_ = In::none;
  bool string_is_key_ = false;
  bool keeping_ = false;
  int hex_left_ = 0;
  std::vector<bool> objects_;  // one a level: object (true) or array
  bool in_roots_ = false;      // inside workspace_roots or workspacePaths, level 2
  bool in_tool_call_ = false;
  std::string buffer_;   // the literal being kept, with its quotes
  std::string literal_;  // a number or word, its first bytes
  std::string key_;      // last key of the level that matters
  Sink sink_ = Sink::none;
  Field field_ = Field::count;
  std::size_t kept_ = 0;
  bool first_bytes_ = true;
  HookPayload payload_;
};

// Reads `fd` to its end within kPayloadWait and kMaxPayloadBytes: some clients void the answer of a
// hook that does not read. A closed descriptor gives an unreadable payload.
[[nodiscard]] HookPayload read_hook_payload(int fd);

}  // namespace robot_council::brake
