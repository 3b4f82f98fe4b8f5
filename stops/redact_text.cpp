#include "stops/redact_text.hpp"

#include <algorithm>
#include <bit>

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

// true, null and the like.
bool is_word_for_nothing(std::string_view value) {
  constexpr std::array<std::string_view, 7> kWords = {"true", "false",     "null", "none",
                                                      "nil",  "undefined", "empty"};
  return value.size() <= 9 &&
         std::any_of(kWords.begin(), kWords.end(), [value](std::string_view word) {
           return value.size() == word.size() && starts_with_nocase(value, word);
         });
}

constexpr std::string_view kScheme = "://";
constexpr Finder kSchemeFinder(kScheme);

}  // namespace

std::size_t Runs::end(Class wanted, std::size_t at) {
  Slots& slots = by_class_[static_cast<std::size_t>(std::countr_zero(wanted))];
  for (const Known& known : slots.known) {
    if (at >= known.begin && at < known.end) {
      return known.end;
    }
  }
  const std::size_t end = skip(text_, at, wanted);
  if (end > at) {
    slots.known[slots.next] = {at, end};
    slots.next = (slots.next + 1) % slots.known.size();
  }
  return end;
}

std::size_t marker_end(std::string_view text, std::size_t at) {
  if (at >= text.size() || text[at] != '[' || text.substr(at, kMarkerHead.size()) != kMarkerHead) {
    return kNowhere;
  }
  const std::size_t kind = at + kMarkerHead.size();
  const std::size_t end = skip(text.substr(0, kind + kMaxKind), kind, kDashed);
  return end < text.size() && text[end] == ']' ? end + 1 : kNowhere;
}

bool starts_with_nocase(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() &&
         std::equal(lower.begin(), lower.end(), text.begin(), [](char want, char have) {
           return want == (have >= 'A' && have <= 'Z' ? static_cast<char>(have - 'A' + 'a') : have);
         });
}

void Rewriter::replace(std::size_t begin, std::size_t end, std::string_view kind) {
  if (out_.empty()) {
    out_.reserve(text_.size() + text_.size() / 4);
  }
  out_ += text_.substr(last_, begin - last_);
  out_ += kMarkerHead;
  out_ += kind;
  out_ += ']';
  last_ = end;
}

void Rewriter::restart() {
  out_.clear();
  last_ = 0;
}

bool Rewriter::finish(std::string& text) {
  if (last_ == 0) {
    return false;
  }
  out_ += text_.substr(last_);
  text = std::move(out_);
  return true;
}

bool PlainValues::has(std::size_t begin, std::size_t end, Quotes quotes) {
  if (begin >= end || marker_end(text_.substr(0, end), begin) != kNowhere) {
    return true;
  }
  const std::string_view value = text_.substr(begin, end - begin);
  if ((quotes != Quotes::literal && is_reference(value)) || is_word_for_nothing(value)) {
    return true;
  }
  const bool repeated =
      value.size() >= kLeastRepeated &&
      std::all_of(value.begin(), value.end(), [value](char c) { return c == value.front(); });
  if (repeated || is_path(begin, end)) {
    return true;
  }
  const std::size_t scheme =
      in_class(value.front(), kAlnum)
          ? scheme_.from(begin, [this](std::size_t at) { return kSchemeFinder.find(text_, at); })
          : kNowhere;
  return scheme != kNowhere && scheme + kScheme.size() <= end;
}

// /usr/x, ./x, ~/x: a path is not a secret. Base64 has other characters than a path's.
bool PlainValues::is_path(std::size_t begin, std::size_t end) {
  constexpr std::array<std::string_view, 4> kHeads = {"/", "./", "../", "~/"};
  const std::string_view value = text_.substr(begin, end - begin);
  return std::any_of(kHeads.begin(), kHeads.end(),
                     [value](std::string_view head) { return value.starts_with(head); }) &&
         base64_.from(begin, [this](std::size_t at) { return skip(text_, at, kNoSum); }) >= end;
}

}  // namespace robot_council::stops::redaction
