#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace robot_council::stops {

// Whose words one line of a Claude Code transcript holds. Source: transcripts of Claude Code 2.0 to
// 2.1.332 (tests/fixtures/transcripts); no field is required, unknown ones are ignored.
enum class LineClass : std::uint8_t {
  person,         // a prompt that a person submitted
  command,        // a custom slash command: it starts a turn
  shell,          // a `!` line: it starts a turn too
  local_command,  // a built-in command (/compact, /model): no turn
  absorbed,       // typed while the agent worked and taken into that turn: no answer to a stop
  enqueue,        // a prompt was put into the queue; dates a queued prompt
  unqueue,        // it was taken out again
  sdk,            // a prompt of a program (-p, SDK)
  machine,        // a prompt of the client itself: a task's end, a peer, a schedule
  other,          // everything else: tool results, hook feedback, summaries, other families
};

struct TranscriptLine {
  LineClass kind = LineClass::other;
  // `user` lines.
  bool from_user = false;
  std::optional<std::int64_t> time_ms;  // `timestamp`; of a queued prompt: when it was taken in
  std::optional<std::int64_t> sent_ms;  // `sentAtMs`: Enter
  std::string prompt_id;                // "" = none, of the next two as well
  std::string parent_uuid;
  std::string session_id;
  bool queued = false;      // by promptSource; also when the line has neither that nor an origin
  bool attachment = false;  // an image, a document or a pasted block came with it
  // Words of a person, an enqueued or absorbed prompt: unwrapped, UTF-8, trimmed.
  std::string text;
};

// Whether a line can be of interest, by its bytes: most are not and need not be parsed.
[[nodiscard]] bool worth_parsing(std::string_view line);

// Reads one line. NUL bytes and a CR around it are passed over, bad UTF-8 becomes U+FFFD.
// invalid: no JSON object (a torn end), or nested deeper than kMaxTranscriptDepth. Threads: any.
[[nodiscard]] base::Result<TranscriptLine> classify_line(std::string_view bytes);

}  // namespace robot_council::stops
