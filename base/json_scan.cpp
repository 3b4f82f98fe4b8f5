#include "base/json_scan.hpp"

#include <algorithm>
#include <cstdint>

#include "base/utf8.hpp"

namespace robot_council::base {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

int hex_value(char c) {
  if (is_digit(c)) {
    return c - '0';
  }
  if (c >= 'a' && c <= 'f') {
    return c - 'a' + 10;
  }
  if (c >= 'A' && c <= 'F') {
    return c - 'A' + 10;
  }
  return -1;
}

// Walks over one text; every member moves `at` and returns false at the first byte that is wrong.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) {}

  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] bool end() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek() const { return end() ? '\0' : text_[at_]; }
  void skip_space() {
    while (!end() && is_space(text_[at_])) {
      ++at_;
    }
  }
  bool take(char c) {
    if (end() || text_[at_] != c) {
      return false;
    }
    ++at_;
    return true;
  }
  bool word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) {
      return false;
    }
    at_ += word.size();
    return true;
  }
  bool string() {
    if (!take('"')) {
      return false;
    }
    while (!end()) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (static_cast<unsigned char>(c) < 0x20) {
        return false;
      }
      if (c == '\\') {
        if (!escape()) {
          return false;
        }
      } else {
        ++at_;
      }
    }
    return false;
  }
  bool number() {
    (void)take('-');
    if (!take('0') && !digit_run()) {
      return false;
    }
    if (take('.') && !digit_run()) {
      return false;
    }
    if (take('e') || take('E')) {
      if (!take('+')) {
        (void)take('-');
      }
      return digit_run();
    }
    return true;
  }
  bool scalar() {
    switch (peek()) {
      case '"':
        return string();
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return number();
    }
  }
  // Past one whole value of a text that is known to be valid.
  void skip_value() {
    std::size_t depth = 0;
    do {
      skip_space();
      if (end()) {
        return;
      }
      const char c = peek();
      if (c == '{' || c == '[') {
        ++depth;
        ++at_;
      } else if (c == '}' || c == ']') {
        --depth;
        ++at_;
      } else if (c == ',' || c == ':' || !scalar()) {
        ++at_;
      }
    } while (depth > 0);
  }

 private:
  bool digit_run() {
    const std::size_t first = at_;
    while (!end() && is_digit(text_[at_])) {
      ++at_;
    }
    return at_ > first;
  }
  bool escape() {
    ++at_;
    if (end()) {
      return false;
    }
    const char c = text_[at_++];
    if (c != 'u') {
      return std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos;
    }
    for (int i = 0; i < 4; ++i) {
      if (end() || hex_value(text_[at_]) < 0) {
        return false;
      }
      ++at_;
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// What may come next inside the containers that are open.
enum class Expect : std::uint8_t { value, value_or_end, key, key_or_end, comma_or_end };

class Validator {
 public:
  Validator(std::string_view text, std::size_t max_depth) : walker_(text), max_depth_(max_depth) {}

  Status run() {
    while (true) {
      walker_.skip_space();
      if (done_) {
        return walker_.end() ? Status() : wrong();
      }
      if (walker_.end() || !(this->*next())()) {
        return too_deep_ ? Status(Error{Errc::refused, "nested deeper than " +
                                                           std::to_string(max_depth_) + " levels"})
                         : wrong();
      }
    }
  }

 private:
  using Part = bool (Validator::*)();

  [[nodiscard]] Part next() const {
    switch (expect_) {
      case Expect::key:
      case Expect::key_or_end:
        return &Validator::key;
      case Expect::comma_or_end:
        return &Validator::comma_or_end;
      default:
        return &Validator::value;
    }
  }

  bool value() {
    const char c = walker_.peek();
    if (c == '{' || c == '[') {
      if (open_.size() >= max_depth_) {
        too_deep_ = true;
        return false;
      }
      (void)walker_.take(c);
      open_.push_back(c);
      expect_ = c == '{' ? Expect::key_or_end : Expect::value_or_end;
      return true;
    }
    if (c == ']' && expect_ == Expect::value_or_end) {
      return close();
    }
    if (!walker_.scalar()) {
      return false;
    }
    value_ended();
    return true;
  }

  bool key() {
    if (expect_ == Expect::key_or_end && walker_.peek() == '}') {
      return close();
    }
    if (!walker_.string()) {
      return false;
    }
    walker_.skip_space();
    expect_ = Expect::value;
    return walker_.take(':');
  }

  bool comma_or_end() {
    if (walker_.take(',')) {
      expect_ = open_.back() == '{' ? Expect::key : Expect::value;
      return true;
    }
    return close();
  }

  bool close() {
    if (!walker_.take(open_.back() == '{' ? '}' : ']')) {
      return false;
    }
    open_.pop_back();
    value_ended();
    return true;
  }

  void value_ended() {
    done_ = open_.empty();
    expect_ = Expect::comma_or_end;
  }

  [[nodiscard]] Status wrong() const {
    return Error{Errc::invalid, "not JSON at byte " + std::to_string(walker_.at() + 1)};
  }

  Walker walker_;
  std::size_t max_depth_;
  std::string open_;  // one bracket per open container
  Expect expect_ = Expect::value;
  bool done_ = false;
  bool too_deep_ = false;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_space(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

char32_t hex4(std::string_view text) {
  char32_t value = 0;
  for (const char c : text.substr(0, 4)) {
    value = value * 16 + static_cast<char32_t>(std::max(0, hex_value(c)));
  }
  return value;
}

// Reads the escape whose backslash is at `at`; moves past it.
void unescape_one(std::string_view body, std::size_t& at, std::string& into) {
  const char c = at + 1 < body.size() ? body[at + 1] : '\\';
  at += 2;
  if (c != 'u') {
    constexpr std::string_view kFrom = "bfnrt";
    constexpr std::string_view kTo = "\b\f\n\r\t";
    const auto known = kFrom.find(c);
    into += known == std::string_view::npos ? c : kTo[known];
    return;
  }
  char32_t unit = hex4(body.substr(std::min(at, body.size())));
  at += 4;
  const bool high = unit >= 0xD800 && unit <= 0xDBFF;
  if (high && at + 6 <= body.size() && body[at] == '\\' && body[at + 1] == 'u') {
    const char32_t low = hex4(body.substr(at + 2));
    if (low >= 0xDC00 && low <= 0xDFFF) {
      unit = 0x10000 + ((unit - 0xD800) << 10U) + (low - 0xDC00);
      at += 6;
    }
  }
  append_utf8(into, unit);  // a lone surrogate becomes U+FFFD there
}

}  // namespace

Status validate_json(std::string_view text, std::size_t max_depth) {
  if (!is_utf8(text)) {
    return Error{Errc::invalid, "not UTF-8"};
  }
  return Validator(text, max_depth).run();
}

JsonKind json_kind(std::string_view value) {
  const std::string_view text = trimmed(value);
  switch (text.empty() ? '\0' : text.front()) {
    case '{':
      return JsonKind::object;
    case '[':
      return JsonKind::array;
    case '"':
      return JsonKind::string;
    case 't':
    case 'f':
      return JsonKind::boolean;
    case 'n':
      return JsonKind::null;
    default:
      return JsonKind::number;
  }
}

std::vector<JsonMember> json_members(std::string_view object) {
  std::vector<JsonMember> members;
  Walker walker(object);
  walker.skip_space();
  if (!walker.take('{')) {
    return members;
  }
  while (true) {
    walker.skip_space();
    if (walker.take('}') || walker.end()) {
      return members;
    }
    (void)walker.take(',');
    walker.skip_space();
    const std::size_t key_at = walker.at();
    if (!walker.string()) {
      return members;
    }
    const std::string_view key = object.substr(key_at, walker.at() - key_at);
    walker.skip_space();
    (void)walker.take(':');
    walker.skip_space();
    const std::size_t value_at = walker.at();
    walker.skip_value();
    members.push_back(
        {json_unescape(key), trimmed(object.substr(value_at, walker.at() - value_at))});
  }
}

std::vector<std::string_view> json_elements(std::string_view array) {
  std::vector<std::string_view> elements;
  Walker walker(array);
  walker.skip_space();
  if (!walker.take('[')) {
    return elements;
  }
  while (true) {
    walker.skip_space();
    if (walker.take(']') || walker.end()) {
      return elements;
    }
    (void)walker.take(',');
    walker.skip_space();
    const std::size_t value_at = walker.at();
    walker.skip_value();
    elements.push_back(trimmed(array.substr(value_at, walker.at() - value_at)));
  }
}

std::string_view json_member(std::string_view object, std::string_view key) {
  std::string_view found;
  for (const auto& member : json_members(object)) {
    if (member.key == key) {
      found = member.value;
    }
  }
  return found;
}

std::string json_unescape(std::string_view literal) {
  const std::string_view text = trimmed(literal);
  if (text.size() < 2 || text.front() != '"') {
    return {};
  }
  const std::string_view body = text.substr(1, text.size() - 2);
  std::string result;
  result.reserve(body.size());
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t escape = std::min(body.find('\\', at), body.size());
    result += body.substr(at, escape - at);
    at = escape;
    if (at < body.size()) {
      unescape_one(body, at, result);
    }
  }
  return result;
}

}  // namespace robot_council::base
