#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/payload.hpp"

namespace robot_council::harness {

// What a harness takes from a stop hook as "go on, with this text".
enum class AnswerShape : std::uint8_t {
  block,   // {"decision":"block","reason":<text>}: Claude Code, Codex, Copilot CLI, goose, Qwen
           // Code, unknown callers
  cursor,  // {"followup_message":<text>}
  deny,    // {"decision":"deny","reason":<text>}: Gemini CLI
};

// The shape the caller reads. The payload alone chooses it, never configuration: harnesses run each
// other's hook files.
[[nodiscard]] AnswerShape answer_shape(PayloadKind kind);
// "block", "cursor", "deny"; nothing for any other word.
[[nodiscard]] std::optional<AnswerShape> parse_answer_shape(std::string_view word);

// The whole answer: exactly these keys in this order (Codex refuses any other one beside them), "/"
// and non-ASCII as they are, no line end. The text must not be empty: Codex ignores a blank reason.
[[nodiscard]] std::string render_answer(AnswerShape shape, std::string_view text);

}  // namespace robot_council::harness
