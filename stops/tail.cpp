#include "stops/tail.hpp"

#include <algorithm>

#include "base/json_value.hpp"
#include "base/utf8.hpp"
#include "stops/limits.hpp"
#include "stops/redact.hpp"
#include "stops/redact_text.hpp"

namespace robot_council::stops {
namespace {

bool continues_code_point(char c) {
  return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

bool is_blank(char c) {
  return redaction::in_class(c, redaction::kBlank);
}

// The place behind the marker that `at` is inside of, else `at`.
std::size_t behind_marker(std::string_view text, std::size_t at) {
  const std::size_t open = text.rfind('[', at);
  if (open == std::string_view::npos || open == at) {
    return at;
  }
  const std::size_t end = redaction::marker_end(text, open);
  return end != redaction::kNowhere && end > at ? end : at;
}

std::size_t behind_word(std::string_view text, std::size_t at) {
  if (at == 0 || at >= text.size() || is_blank(text[at - 1]) || is_blank(text[at])) {
    return at;
  }
  std::size_t chars = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    if (is_blank(text[i])) {
      return i;
    }
    chars += continues_code_point(text[i]) ? 0U : 1U;
    if (chars > kTailWordChars) {
      break;
    }
  }
  return at;
}

std::string state_text(std::string_view message, bool cut) {
  base::OrderedJson state;
  state["closing_message"] = std::string(message);
  state["cut"] = cut;
  return base::dump_safe(state);
}

}  // namespace

std::string_view end_of_message(std::string_view text) {
  if (text.size() <= kMaxRedactedBytes) {
    return text;
  }
  const std::size_t from = text.size() - kMaxRedactedBytes;
  std::size_t start = text.find('\n', from - 1);
  if (start == std::string_view::npos) {
    start = text.find(' ', from);
  }
  if (start != std::string_view::npos) {
    return text.substr(start + 1);
  }
  start = from;
  while (start < text.size() && continues_code_point(text[start])) {
    ++start;
  }
  return text.substr(start);
}

Tail cut_tail(std::string_view redacted, std::size_t max_chars) {
  std::size_t start = redacted.size();
  std::size_t chars = 0;
  while (start > 0) {
    std::size_t before = start - 1;
    while (before > 0 && continues_code_point(redacted[before])) {
      --before;
    }
    if (chars == max_chars) {
      break;
    }
    start = before;
    ++chars;
  }
  Tail tail;
  tail.cut = start > 0;
  if (tail.cut) {
    start = behind_word(redacted, behind_marker(redacted, start));
  }
  tail.text = redacted.substr(start);
  tail.chars = base::count_code_points(tail.text);
  return tail;
}

std::string state_json(const Tail& tail) {
  return state_text(tail.text, tail.cut);
}

std::string redacted_state(std::string_view state) {
  const base::Result<base::Json> json = base::parse_bounded(state, kMaxJudgeRequestBytes * 2);
  if (!json.ok()) {
    return state_text("", false);
  }
  const std::string message = base::get_string(*json, "closing_message").value_or("");
  return state_text(redact(message).text, base::get_bool(*json, "cut").value_or(false));
}

}  // namespace robot_council::stops
