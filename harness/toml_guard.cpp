#include "harness/toml_guard.hpp"

#include <cstddef>
#include <cstdint>

#include "harness/settings_limits.hpp"

namespace robot_council::harness {
namespace {

// Behind the string that begins at `at`, which is one of four kinds; the end of the text when it is
// not closed.
std::size_t behind_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string_view three = quote == '"' ? R"(""")" : "'''";
  const bool long_one = text.substr(at, 3) == three;
  const std::string_view close = long_one ? three : three.substr(0, 1);
  std::size_t i = at + close.size();
  while (i < text.size() && text.substr(i, close.size()) != close) {
    if (!long_one && text[i] == '\n') {
      return i;  // ill-formed: the parser stops there too
    }
    i += quote == '"' && text[i] == '\\' ? 2U : 1U;
  }
  return i + close.size();
}

// The library's tables of white space are undefined for many letters (3.3: U+00A1 to U+0499 among
// them), and on an error it looks at the whole rest of a line with them. So it never sees one: each
// character from U+0080 to U+FFFF goes in as one of the private plane 15, which no table names, and
// comes back in what is read. Outside strings and comments TOML has neither.
constexpr std::uint32_t kPlane15 = 0xF0000U;

void append_utf8_4(std::string& out, std::uint32_t c) {
  out += static_cast<char>(0xF0U | (c >> 18U));
  out += static_cast<char>(0x80U | ((c >> 12U) & 0x3FU));
  out += static_cast<char>(0x80U | ((c >> 6U) & 0x3FU));
  out += static_cast<char>(0x80U | (c & 0x3FU));
}

std::uint32_t byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

}  // namespace

std::string shield_toml(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::uint32_t lead = byte_at(text, i);
    if (lead >= 0xC0U && lead < 0xE0U) {
      append_utf8_4(out, kPlane15 + (((lead & 0x1FU) << 6U) | (byte_at(text, i + 1) & 0x3FU)));
      i += 2;
    } else if (lead >= 0xE0U && lead < 0xF0U) {
      append_utf8_4(out,
                    kPlane15 + (((lead & 0x0FU) << 12U) | ((byte_at(text, i + 1) & 0x3FU) << 6U) |
                                (byte_at(text, i + 2) & 0x3FU)));
      i += 3;
    } else {
      out += text[i++];
    }
  }
  return out;
}

// The way back. Four bytes F3 B0..BF are plane 15.
std::string unshield_toml(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (byte_at(text, i) != 0xF3U || i + 3 >= text.size() || byte_at(text, i + 1) < 0xB0U) {
      out += text[i++];
      continue;
    }
    const std::uint32_t c = ((byte_at(text, i + 1) & 0x0FU) << 12U) |
                            ((byte_at(text, i + 2) & 0x3FU) << 6U) | (byte_at(text, i + 3) & 0x3FU);
    if (c >= 0x800U) {
      out += static_cast<char>(0xE0U | (c >> 12U));
      out += static_cast<char>(0x80U | ((c >> 6U) & 0x3FU));
    } else {
      out += static_cast<char>(0xC0U | (c >> 6U));
    }
    out += static_cast<char>(0x80U | (c & 0x3FU));
    i += 4;
  }
  return out;
}

bool toml_too_deep(std::string_view text) {
  std::size_t parts = 0;
  std::size_t brackets = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      i = behind_string(text, i);
      continue;
    }
    if (c == '#') {
      const std::size_t end = text.find('\n', i);
      i = end == std::string_view::npos ? text.size() : end;
      continue;
    }
    if (c == '[' || c == '{') {
      ++brackets;
    } else if ((c == ']' || c == '}') && brackets > 0) {
      --brackets;
    } else if (c == '\n' && brackets == 0) {
      parts = 0;  // the next statement
    } else if (c == '.' && ++parts > kMaxTomlParts) {
      return true;
    }
    ++i;
  }
  return false;
}

}  // namespace robot_council::harness
