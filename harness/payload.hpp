#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_scan.hpp"
#include "base/result.hpp"

namespace robot_council::harness {

// The agent client whose payload this is. Qwen Code sends Claude Code's payload and counts as
// claude.
enum class PayloadKind : std::uint8_t { claude, codex, cursor, gemini, copilot, goose, unknown };
// "claude", "codex", ...; "unknown".
[[nodiscard]] std::string_view kind_name(PayloadKind kind);

// One member of the payload's object.
struct PayloadMember {
  std::string key;
  base::JsonKind kind = base::JsonKind::null;
  // A string: its characters, UTF-8. Anything else: strict compact JSON in UTF-8, whatever the
  // client sent; values nested deeper than kMaxPayloadDepth are null in it.
  std::string text;
};

// What a client told its hook. A field that is missing, null or of another type is "" or nothing.
struct Payload {
  PayloadKind kind = PayloadKind::unknown;
  std::string event;                // hook_event_name, else event
  bool stop_event = false;          // the turn of the main agent ends
  bool continuation = false;        // a stop hook's answer began this turn
  bool tells_continuation = false;  // stop_hook_active or loop_count is there
  std::string session;  // session_id; cursor conversation_id first, copilot sessionId first
  std::string turn;     // prompt_id; codex turn_id, cursor generation_id
  std::optional<std::int64_t> loop_count;  // cursor
  std::string agent_id;                    // set inside a subagent
  std::string transcript;                  // transcript_path, transcriptPath
  std::string cwd;                         // goose working_dir after cwd
  std::string status;                      // cursor: completed, aborted, error
  std::string last_message;                // last_assistant_message; gemini prompt_response
  std::string prompt;                      // UserPromptSubmit
  std::string source;                      // SessionStart: startup, resume, clear, compact
  std::vector<PayloadMember> members;      // each key once; the last of equal keys won

  // The member, nullptr if there is none.
  [[nodiscard]] const PayloadMember* member(std::string_view key) const;
  // A string member's characters; "" for all else.
  [[nodiscard]] std::string_view text(std::string_view key) const;
};

// Reads one JSON object tolerantly: a UTF-8 byte-order mark, blanks around it, raw control bytes in
// strings, invalid escapes (the backslash stays), lone surrogates and invalid UTF-8 (U+FFFD),
// duplicate keys, any depth. What follows the closing brace is ignored. Errors  invalid: `what` is
// one of "it is empty", "no JSON object", "cut short", "not JSON". Source  delivery contract 5.1
// and 6; fields as measured on Claude Code 2.1.332, Codex 0.171, Gemini CLI 0.61,
//         Copilot CLI 1.0.102; Cursor 3.17 and goose 1.54 from their documentation.
[[nodiscard]] base::Result<Payload> parse_payload(std::string_view bytes);

// Finds the end of the first JSON object in bytes that come in pieces. Only quotes and brackets
// count, so that it is linear and keeps no state per level.
class ObjectScanner {
 public:
  enum class State : std::uint8_t {
    before,     // only a byte-order mark and blanks so far
    inside,     // the brace is open
    complete,   // begin() and end() are set
    no_object,  // it begins with something else
  };
  // `buffer`: everything read so far; the part seen by an earlier call is not looked at again.
  State advance(std::string_view buffer);
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] std::size_t begin() const { return begin_; }
  [[nodiscard]] std::size_t end() const { return position_; }

 private:
  void skip_to_begin(std::string_view buffer);
  State state_ = State::before;
  std::size_t position_ = 0;
  std::size_t begin_ = 0;
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

}  // namespace robot_council::harness
