#include "harness/settings_json.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/utf8.hpp"
#include "harness/settings_limits.hpp"

namespace robot_council::harness {

namespace {

constexpr std::string_view kUtf8Bom = "\xEF\xBB\xBF";

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

void append_code_point(std::string& out, std::uint32_t c) {
  if (c < 0x80U) {
    out += static_cast<char>(c);
  } else if (c < 0x800U) {
    out += static_cast<char>(0xC0U | (c >> 6U));
    out += static_cast<char>(0x80U | (c & 0x3FU));
  } else if (c < 0x10000U) {
    out += static_cast<char>(0xE0U | (c >> 12U));
    out += static_cast<char>(0x80U | ((c >> 6U) & 0x3FU));
    out += static_cast<char>(0x80U | (c & 0x3FU));
  } else {
    out += static_cast<char>(0xF0U | (c >> 18U));
    out += static_cast<char>(0x80U | ((c >> 12U) & 0x3FU));
    out += static_cast<char>(0x80U | ((c >> 6U) & 0x3FU));
    out += static_cast<char>(0x80U | (c & 0x3FU));
  }
}

// The document being read. One instance reads one text.
class Reader {
 public:
  explicit Reader(SettingsDocument& document) : document_(document), s_(document.text) {}

  void read() {
    skip_blanks();
    if (failed_) {
      return;
    }
    if (at_end() && !document_.comment) {
      document_.blank = true;
      return;
    }
    if (value(document_.root, 0)) {
      skip_blanks();
      if (!failed_ && !at_end()) {
        fail("something follows the value");
      }
    }
  }

 private:
  [[nodiscard]] bool at_end() const { return i_ >= s_.size(); }
  [[nodiscard]] char peek() const { return at_end() ? '\0' : s_[i_]; }

  bool fail(std::string what) { return fail_at(i_, std::move(what)); }
  bool fail_at(std::size_t offset, std::string what) {
    if (!failed_) {
      failed_ = true;
      document_.error = SettingsError{offset, std::move(what)};
    }
    return false;
  }

  // White space and comments.
  void skip_blanks() {
    while (!at_end()) {
      if (is_space(s_[i_])) {
        ++i_;
      } else if (s_[i_] == '/' && i_ + 1 < s_.size() && (s_[i_ + 1] == '/' || s_[i_ + 1] == '*')) {
        skip_comment();
      } else {
        return;
      }
    }
  }

  void skip_comment() {
    if (!document_.comment) {
      document_.comment = i_;
    }
    const bool line = s_[i_ + 1] == '/';
    const std::size_t found = s_.find(line ? "\n" : "*/", i_ + 2);
    if (found == std::string_view::npos) {
      if (!line) {
        fail("a comment is not closed");
      }
      i_ = s_.size();
    } else {
      i_ = found + (line ? 1U : 2U);
    }
  }

  bool value(SettingsNode& node, std::size_t depth) {
    if (failed_) {
      return false;
    }
    node.begin = i_;
    bool good = false;
    switch (peek()) {
      case '{':
        good = object(node, depth + 1);
        break;
      case '[':
        good = array(node, depth + 1);
        break;
      case '"':
        node.kind = SettingsKind::string;
        good = string(node.text);
        break;
      default:
        good = scalar(node);
        break;
    }
    node.end = i_;
    return good;
  }

  bool scalar(SettingsNode& node) {
    const char c = peek();
    if (c == '-' || is_digit(c)) {
      return number(node);
    }
    if (word("true") || word("false")) {
      node.kind = SettingsKind::boolean;
      node.boolean = c == 't';
      return true;
    }
    if (word("null")) {
      node.kind = SettingsKind::null;
      return true;
    }
    return fail(at_end() ? "the text ends where a value is expected" : "expected a value");
  }

  bool word(std::string_view text) {
    if (s_.substr(i_, text.size()) != text) {
      return false;
    }
    i_ += text.size();
    return true;
  }

  bool digits() {
    if (!is_digit(peek())) {
      return fail("expected a digit");
    }
    while (is_digit(peek())) {
      ++i_;
    }
    return true;
  }

  bool number(SettingsNode& node) {
    node.kind = SettingsKind::number;
    const std::size_t begin = i_;
    if (peek() == '-') {
      ++i_;
    }
    if (peek() == '0') {
      ++i_;
    } else if (!digits()) {
      return false;
    }
    if (peek() == '.') {
      ++i_;
      if (!digits()) {
        return false;
      }
    }
    if (peek() == 'e' || peek() == 'E') {
      ++i_;
      if (peek() == '+' || peek() == '-') {
        ++i_;
      }
      if (!digits()) {
        return false;
      }
    }
    node.text = s_.substr(begin, i_ - begin);
    return true;
  }

  std::optional<std::uint32_t> hex4() {
    if (i_ + 4 > s_.size()) {
      return std::nullopt;
    }
    std::uint32_t code = 0;
    for (int k = 0; k < 4; ++k) {
      const char c = s_[i_++];
      std::uint32_t digit = 0;
      if (is_digit(c)) {
        digit = static_cast<std::uint32_t>(c - '0');
      } else if (c >= 'a' && c <= 'f') {
        digit = static_cast<std::uint32_t>(c - 'a') + 10U;
      } else if (c >= 'A' && c <= 'F') {
        digit = static_cast<std::uint32_t>(c - 'A') + 10U;
      } else {
        return std::nullopt;
      }
      code = code * 16U + digit;
    }
    return code;
  }

  // After "\u". A high surrogate takes the low one that follows; a lone one becomes U+FFFD.
  bool unicode_escape(std::string& out, std::size_t begin) {
    const auto first = hex4();
    if (!first) {
      return fail_at(begin, "\\u needs four hexadecimal digits");
    }
    std::uint32_t code = *first;
    if (code >= 0xD800U && code <= 0xDBFFU && s_.substr(i_, 2) == "\\u") {
      const std::size_t back = i_;
      i_ += 2;
      const auto second = hex4();
      if (second && *second >= 0xDC00U && *second <= 0xDFFFU) {
        code = 0x10000U + ((code - 0xD800U) << 10U) + (*second - 0xDC00U);
      } else {
        i_ = back;
      }
    }
    append_code_point(out, code >= 0xD800U && code <= 0xDFFFU ? 0xFFFDU : code);
    return true;
  }

  bool escape(std::string& out) {
    const std::size_t begin = i_ - 1;
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
    const char c = peek();
    const std::size_t known = at_end() ? std::string_view::npos : kNames.find(c);
    if (known != std::string_view::npos) {
      out += kValues[known];
      ++i_;
      return true;
    }
    if (c == 'u' && !at_end()) {
      ++i_;
      return unicode_escape(out, begin);
    }
    return fail_at(begin, "unknown escape in a string");
  }

  bool string(std::string& out) {
    const std::size_t begin = i_++;
    while (!at_end()) {
      const char c = s_[i_++];
      if (c == '"') {
        return true;
      }
      if (c == '\\') {
        if (!escape(out)) {
          return false;
        }
      } else if (static_cast<unsigned char>(c) < 0x20U) {
        return fail_at(i_ - 1, "a control character in a string");
      } else {
        out += c;
      }
    }
    return fail_at(begin, "a string is not closed");
  }

  // After an element: true = another one follows. `close` ends the container (i_ is then behind
  // it).
  bool more(char close, std::size_t& comma) {
    skip_blanks();
    if (failed_) {
      return false;
    }
    if (peek() == close && !at_end()) {
      ++i_;
      return false;
    }
    if (peek() != ',' || at_end()) {
      return fail(at_end() ? std::string("the text ends inside ") +
                                 (close == '}' ? "an object" : "a list")
                           : std::string(R"(expected "," or ")") + close + "\"");
    }
    comma = i_++;
    skip_blanks();
    if (!failed_ && peek() == close && !at_end()) {
      if (!document_.trailing_comma) {
        document_.trailing_comma = comma;
      }
      ++i_;
      return false;
    }
    return !failed_;
  }

  bool enter(std::size_t depth) {
    if (depth > kMaxSettingsDepth) {
      return fail("nested deeper than " + std::to_string(kMaxSettingsDepth) + " levels");
    }
    document_.depth = std::max(document_.depth, depth);
    ++i_;
    skip_blanks();
    return !failed_;
  }

  bool object(SettingsNode& node, std::size_t depth) {
    node.kind = SettingsKind::object;
    if (!enter(depth)) {
      return false;
    }
    if (peek() == '}') {
      ++i_;
      return true;
    }
    std::size_t comma = 0;
    do {
      SettingsMember member;
      member.key_begin = i_;
      if (peek() != '"') {
        return fail(at_end() ? "the text ends inside an object"
                             : "expected a key in double quotes");
      }
      if (!string(member.key)) {
        return false;
      }
      member.key_end = i_;
      skip_blanks();
      if (failed_ || peek() != ':') {
        return fail("expected \":\"");
      }
      ++i_;
      skip_blanks();
      if (!value(member.value, depth)) {
        return false;
      }
      node.members.push_back(std::move(member));
    } while (more('}', comma));
    return !failed_;
  }

  bool array(SettingsNode& node, std::size_t depth) {
    node.kind = SettingsKind::array;
    if (!enter(depth)) {
      return false;
    }
    if (peek() == ']') {
      ++i_;
      return true;
    }
    std::size_t comma = 0;
    do {
      SettingsNode element;
      if (!value(element, depth)) {
        return false;
      }
      node.elements.push_back(std::move(element));
    } while (more(']', comma));
    return !failed_;
  }

  SettingsDocument& document_;
  std::string_view s_;
  std::size_t i_ = 0;
  bool failed_ = false;
};

enum class ByteOrder : std::uint8_t { little, big };

std::string from_utf16(std::string_view bytes, ByteOrder order) {
  std::string out;
  const auto unit = [&](std::size_t i) {
    const auto a = static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i]));
    const auto b = static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i + 1]));
    return order == ByteOrder::little ? a | (b << 8U) : (a << 8U) | b;
  };
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    std::uint32_t code = unit(i);
    if (code >= 0xD800U && code <= 0xDBFFU && i + 3 < bytes.size()) {
      const std::uint32_t low = unit(i + 2);
      if (low >= 0xDC00U && low <= 0xDFFFU) {
        code = 0x10000U + ((code - 0xD800U) << 10U) + (low - 0xDC00U);
        i += 2;
      }
    }
    append_code_point(out, code >= 0xD800U && code <= 0xDFFFU ? 0xFFFDU : code);
  }
  return out;
}

std::optional<std::size_t> first_bad_utf8(std::string_view text) {
  if (base::is_utf8(text)) {
    return std::nullopt;
  }
  std::size_t i = 0;
  while (i < text.size()) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80U ? 1U : lead < 0xE0U ? 2U : lead < 0xF0U ? 3U : 4U;
    if (!base::is_utf8(text.substr(i, length))) {
      return i;
    }
    i += length;
  }
  return std::nullopt;
}

}  // namespace

const SettingsMember* SettingsNode::find_member(std::string_view key) const {
  const auto found =
      std::find_if(members.rbegin(), members.rend(), [&](const auto& m) { return m.key == key; });
  return found == members.rend() ? nullptr : &*found;
}

const SettingsNode* SettingsNode::find(std::string_view key) const {
  const SettingsMember* member = find_member(key);
  return member == nullptr ? nullptr : &member->value;
}

std::size_t SettingsNode::count(std::string_view key) const {
  return static_cast<std::size_t>(
      std::count_if(members.begin(), members.end(), [&](const auto& m) { return m.key == key; }));
}

std::string SettingsNode::string_at(std::string_view key) const {
  const SettingsNode* found = find(key);
  return found != nullptr && found->is(SettingsKind::string) ? found->text : std::string();
}

std::optional<bool> SettingsNode::boolean_at(std::string_view key) const {
  const SettingsNode* found = find(key);
  if (found == nullptr || !found->is(SettingsKind::boolean)) {
    return std::nullopt;
  }
  return found->boolean;
}

std::optional<double> SettingsNode::number() const {
  if (kind != SettingsKind::number) {
    return std::nullopt;
  }
  const double parsed = std::strtod(text.c_str(), nullptr);
  if (!std::isfinite(parsed)) {
    return std::nullopt;
  }
  return parsed;
}

SettingsDocument read_settings(std::string_view bytes) {
  SettingsDocument document;
  if (bytes.substr(0, 3) == kUtf8Bom) {
    document.encoding = SettingsEncoding::utf8_bom;
    document.text = bytes.substr(3);
  } else if (bytes.substr(0, 2) == "\xFF\xFE" || bytes.substr(0, 2) == "\xFE\xFF") {
    const bool little = bytes.front() == '\xFF';
    document.encoding = little ? SettingsEncoding::utf16_bom : SettingsEncoding::utf16_big;
    document.text = from_utf16(bytes.substr(2), little ? ByteOrder::little : ByteOrder::big);
  } else if (bytes.size() >= 2 && (bytes[0] == '\0') != (bytes[1] == '\0')) {
    document.encoding = SettingsEncoding::utf16_bare;
    document.text = bytes;
    document.error = SettingsError{0, "UTF-16 without a byte order mark"};
    return document;
  } else {
    document.text = bytes;
  }
  document.bad_utf8 = first_bad_utf8(document.text);
  Reader(document).read();
  return document;
}

SettingsPlace settings_place(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  SettingsPlace place;
  place.line += static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t newline = before.rfind('\n');
  const std::string_view line =
      newline == std::string_view::npos ? before : before.substr(newline + 1);
  place.column += static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
  return place;
}

std::optional<SettingsError> strict_error(const SettingsDocument& document, Comments comments,
                                          TrailingCommas commas) {
  std::optional<SettingsError> first = document.error;
  const auto consider = [&](std::optional<std::size_t> offset, std::string_view what) {
    if (offset && (!first || *offset < first->offset)) {
      first = SettingsError{*offset, std::string(what)};
    }
  };
  if (comments == Comments::refused) {
    consider(document.comment, "a comment is no JSON");
  }
  if (commas == TrailingCommas::refused) {
    consider(document.trailing_comma, "a comma before the closing bracket is no JSON");
  }
  if (!first && document.blank) {
    first = SettingsError{0, "the file is empty"};
  }
  return first;
}

std::string describe_error(const SettingsDocument& document, const SettingsError& error) {
  const SettingsPlace place = settings_place(document.text, error.offset);
  return "line " + std::to_string(place.line) + ", column " + std::to_string(place.column) + ": " +
         error.what;
}

}  // namespace robot_council::harness
