#include "stops/redact_text.hpp"

#include <algorithm>
#include <bit>

#include "base/text.hpp"

namespace robot_council::stops::redaction {
namespace {

constexpr std::string_view kMarkerHead = "[REDACTED:";
constexpr std::size_t kLeastRepeated = 3;  // "***" stands for a secret; one letter may be one
constexpr std::size_t kMaxKind = 24;       // bytes of a kind's name

// $VAR, ${VAR}, $(c), {{ x }}, %VAR%.
bool is_reference(std::string_view value) {
  if (value.size() < 2) {
    return false;
  }
  const char second = value[1];
  if (value[0] == '$') {
    return second == '{' || second == '(' || second == '_' ||
           (in_class(second, kAlnum) && !in_class(second, kDigit));
  }
  if (value.substr(0, 2) == "{{") {
    return true;
  }
  return value[0] == '%' && value.back() == '%' && value.size() > 2 &&
         std::all_of(value.begin() + 1, value.end() - 1, [](char c) { return in_class(c, kWord); });
}

// /usr/x, ./x, ~/x: a path is not a secret. Base64 has other characters than a path's.
bool is_path(std::string_view value) {
  constexpr std::array<std::string_view, 4> kHeads = {"/", "./", "../", "~/"};
  const bool begins = std::any_of(kHeads.begin(), kHeads.end(), [value](std::string_view head) {
    return value.substr(0, head.size()) == head;
  });
  return begins && value.find_first_of("+=") == std::string_view::npos;
}

}  // namespace

Class class_of(char letter) {
  switch (letter) {
    case 'a':
      return kAlnum;
    case 'h':
      return kHex;
    case 'b':
      return kBase64;
    case 'd':
      return kDigit;
    case 'u':
      return kUpperDigit;
    case 'l':
      return kLowerDigit;
    case 't':
      return kWordDot;
    case 'p':
      return kWordSlash;
    case 'j':
      return kBase64Any;
    case 's':
      return kPlainBase64;
    case 'n':
      return kDashed;
    default:
      return kWord;
  }
}

std::size_t Runs::end(Class wanted, std::size_t at) {
  Slots& slots = by_class_[static_cast<std::size_t>(std::countr_zero(wanted))];
  for (const Known& known : slots.known) {
    if (at >= known.begin && at < known.end) {
      return known.end;
    }
  }
  std::size_t end = at;
  while (end < text_.size() && in_class(text_[end], wanted)) {
    ++end;
  }
  if (end > at) {
    slots.known[slots.next] = {at, end};
    slots.next = (slots.next + 1) % slots.known.size();
  }
  return end;
}

std::size_t marker_end(std::string_view text, std::size_t at) {
  if (text.substr(at, kMarkerHead.size()) != kMarkerHead) {
    return kNowhere;
  }
  std::size_t end = at + kMarkerHead.size();
  const std::size_t limit = std::min(text.size(), end + kMaxKind);
  while (end < limit && in_class(text[end], kDashed)) {
    ++end;
  }
  return end < text.size() && text[end] == ']' ? end + 1 : kNowhere;
}

bool starts_with_nocase(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() &&
         std::equal(lower.begin(), lower.end(), text.begin(), [](char want, char have) {
           return want == (have >= 'A' && have <= 'Z' ? static_cast<char>(have - 'A' + 'a') : have);
         });
}

void Rewriter::replace(std::size_t begin, std::size_t end, std::string_view kind) {
  out_ += text_.substr(last_, begin - last_);
  out_ += kMarkerHead;
  out_ += kind;
  out_ += ']';
  last_ = end;
}

std::string Rewriter::finish() {
  out_ += text_.substr(last_);
  return std::move(out_);
}

bool is_plain_value(std::string_view value, Quotes quotes) {
  constexpr std::array<std::string_view, 7> kWords = {"true", "false",     "null", "none",
                                                      "nil",  "undefined", "empty"};
  if (value.empty() || marker_end(value, 0) != kNowhere) {
    return true;
  }
  if (quotes != Quotes::literal && is_reference(value)) {
    return true;
  }
  if (std::any_of(kWords.begin(), kWords.end(), [value](std::string_view word) {
        return base::equals_ignoring_case(value, word);
      })) {
    return true;
  }
  const bool repeated =
      value.size() >= kLeastRepeated &&
      std::all_of(value.begin(), value.end(), [value](char c) { return c == value.front(); });
  return repeated || is_path(value) ||
         (value.find("://") != std::string_view::npos && in_class(value.front(), kAlnum));
}

}  // namespace robot_council::stops::redaction
