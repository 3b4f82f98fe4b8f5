#include "harness/payload_parser.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/json.hpp"
#include "base/utf8.hpp"
#include "harness/limits.hpp"

namespace robot_council::harness {

namespace {

constexpr char32_t kReplacement = 0xFFFD;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_high(unsigned unit) {
  return unit >= 0xD800 && unit <= 0xDBFF;
}
bool is_low(unsigned unit) {
  return unit >= 0xDC00 && unit <= 0xDFFF;
}

base::JsonKind kind_of(char first) {
  switch (first) {
    case '{':
      return base::JsonKind::object;
    case '[':
      return base::JsonKind::array;
    case '"':
      return base::JsonKind::string;
    case 't':
    case 'f':
      return base::JsonKind::boolean;
    case 'n':
      return base::JsonKind::null;
    default:
      return base::JsonKind::number;
  }
}

// The character of a one-letter escape, 0 if there is none.
char simple_escape(char letter) {
  switch (letter) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case '"':
    case '\\':
    case '/':
      return letter;
    default:
      return '\0';
  }
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

}  // namespace

bool PayloadParser::parse(std::vector<PayloadMember>& members) {
  std::unordered_map<std::string, std::size_t> places;
  if (!take('{')) {
    return false;
  }
  blanks();
  if (take('}')) {
    return true;
  }
  while (true) {
    PayloadMember member;
    blanks();
    if (!string(member.key)) {
      return false;
    }
    blanks();
    if (!take(':')) {
      return false;
    }
    blanks();
    if (!member_value(member)) {
      return false;
    }
    const auto [place, added] = places.try_emplace(member.key, members.size());
    if (added) {
      members.push_back(std::move(member));
    } else {
      members[place->second] = std::move(member);
    }
    blanks();
    if (take('}')) {
      return true;
    }
    if (!take(',')) {
      return false;
    }
  }
}

bool PayloadParser::member_value(PayloadMember& member) {
  member.kind = kind_of(peek());
  return member.kind == base::JsonKind::string ? string(member.text) : value(member.text, 2);
}

bool PayloadParser::value(std::string& out, std::size_t depth) {
  switch (peek()) {
    case '"': {
      std::string characters;
      if (!string(characters)) {
        return false;
      }
      out += base::quote_json(characters);
      return true;
    }
    case '{':
    case '[':
      if (depth > kMaxPayloadDepth) {
        return skip_deep(out);
      }
      return container(out, depth, peek() == '{' ? '}' : ']');
    case 't':
      return word("true", out);
    case 'f':
      return word("false", out);
    case 'n':
      return word("null", out);
    default:
      return number(out);
  }
}

bool PayloadParser::container(std::string& out, std::size_t depth, char close) {
  out.push_back(peek());
  ++at_;
  blanks();
  if (take(close)) {
    out.push_back(close);
    return true;
  }
  while (true) {
    blanks();
    if (close == '}') {
      std::string key;
      if (!string(key)) {
        return false;
      }
      blanks();
      if (!take(':')) {
        return false;
      }
      blanks();
      out += base::quote_json(key) + ":";
    }
    if (!value(out, depth + 1)) {
      return false;
    }
    blanks();
    if (take(close)) {
      out.push_back(close);
      return true;
    }
    if (!take(',')) {
      return false;
    }
    out.push_back(',');
  }
}

bool PayloadParser::string(std::string& characters) {
  if (!take('"')) {
    return false;
  }
  std::string raw;
  while (at_ < text_.size()) {
    const std::size_t special = std::min(text_.find_first_of("\"\\", at_), text_.size());
    raw += text_.substr(at_, special - at_);
    at_ = special;
    if (take('"')) {
      characters = base::is_utf8(raw) ? std::move(raw) : base::to_utf8(raw);
      return true;
    }
    if (at_ < text_.size()) {
      ++at_;  // the backslash
      escape(raw);
    }
  }
  return false;
}

// at_ is behind a backslash.
void PayloadParser::escape(std::string& characters) {
  const char letter = peek();
  if (const char simple = simple_escape(letter); simple != '\0') {
    characters.push_back(simple);
    ++at_;
    return;
  }
  unsigned unit = 0;
  if (letter != 'u' || !code_unit(at_ + 1, unit)) {
    // A path such as C:\Users that nobody escaped: the backslash was meant.
    characters.push_back('\\');
    if (at_ < text_.size()) {
      characters.push_back(letter);
      ++at_;
    }
    return;
  }
  at_ += 5;
  unsigned low = 0;
  if (is_high(unit) && text_.substr(at_, 2) == "\\u" && code_unit(at_ + 2, low) && is_low(low)) {
    at_ += 6;
    base::append_utf8(characters, 0x10000U + ((unit - 0xD800U) << 10U) + (low - 0xDC00U));
    return;
  }
  base::append_utf8(characters,
                    is_high(unit) || is_low(unit) ? kReplacement : static_cast<char32_t>(unit));
}

bool PayloadParser::code_unit(std::size_t at, unsigned& unit) const {
  if (at + 4 > text_.size()) {
    return false;
  }
  unit = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const int digit = hex_value(text_[at + i]);
    if (digit < 0) {
      return false;
    }
    unit = unit * 16U + static_cast<unsigned>(digit);
  }
  return true;
}

bool PayloadParser::number(std::string& out) {
  const std::size_t begin = at_;
  const auto digits = [this] {
    const std::size_t first = at_;
    while (is_digit(peek())) {
      ++at_;
    }
    return at_ > first;
  };
  take('-');
  if (!take('0') && !digits()) {
    return false;
  }
  if (take('.') && !digits()) {
    return false;
  }
  if (take('e') || take('E')) {
    if (!take('+')) {
      take('-');
    }
    if (!digits()) {
      return false;
    }
  }
  out += text_.substr(begin, at_ - begin);
  return true;
}

bool PayloadParser::word(std::string_view expected, std::string& out) {
  if (text_.substr(at_, expected.size()) != expected) {
    return false;
  }
  at_ += expected.size();
  out += expected;
  return true;
}

// A value too deep to be read: only its end is looked for.
bool PayloadParser::skip_deep(std::string& out) {
  const std::string_view rest = text_.substr(at_);
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (--depth == 0) {
        at_ += i + 1;
        out += "null";
        return true;
      }
    }
  }
  return false;
}

void PayloadParser::blanks() {
  while (at_ < text_.size() &&
         std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) {
    ++at_;
  }
}

bool PayloadParser::take(char c) {
  if (at_ < text_.size() && text_[at_] == c) {
    ++at_;
    return true;
  }
  return false;
}

}  // namespace robot_council::harness
