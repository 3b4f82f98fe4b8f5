#include "harness/answer.hpp"

#include "base/json.hpp"

namespace robot_council::harness {

AnswerShape answer_shape(PayloadKind kind) {
  switch (kind) {
    case PayloadKind::cursor:
      return AnswerShape::cursor;
    case PayloadKind::gemini:
      return AnswerShape::deny;
    case PayloadKind::claude:
    case PayloadKind::codex:
    case PayloadKind::copilot:
    case PayloadKind::goose:
    case PayloadKind::unknown:
      break;
  }
  return AnswerShape::block;
}

std::optional<AnswerShape> parse_answer_shape(std::string_view word) {
  if (word == "block") {
    return AnswerShape::block;
  }
  if (word == "cursor") {
    return AnswerShape::cursor;
  }
  if (word == "deny") {
    return AnswerShape::deny;
  }
  return std::nullopt;
}

std::string render_answer(AnswerShape shape, std::string_view text) {
  const std::string literal = base::quote_json(text);
  switch (shape) {
    case AnswerShape::cursor:
      return R"({"followup_message":)" + literal + "}";
    case AnswerShape::deny:
      return R"({"decision":"deny","reason":)" + literal + "}";
    case AnswerShape::block:
      break;
  }
  return R"({"decision":"block","reason":)" + literal + "}";
}

}  // namespace robot_council::harness
