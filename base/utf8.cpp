#include "base/utf8.hpp"

#include <cstdint>
#include <cstring>

#include "base/text.hpp"

namespace robot_council::base {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Step {
  std::size_t size = 1;  // bytes taken
  char32_t code_point = 0;
  bool valid = false;
};

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

// The end of the ASCII that begins at `at`, eight bytes at a time: most texts are nothing else.
std::size_t after_ascii(std::string_view text, std::size_t at) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  for (std::uint64_t eight = 0; at + sizeof eight <= text.size(); at += sizeof eight) {
    std::memcpy(&eight, text.data() + at, sizeof eight);
    if ((eight & kHighBits) != 0) {
      break;
    }
  }
  while (at < text.size() && byte_at(text, at) < 0x80) {
    ++at;
  }
  return at;
}

// The code point at `at`, or the maximal invalid part there (Unicode, chapter 3, table 3-7).
Step step(std::string_view text, std::size_t at) {
  const unsigned first = byte_at(text, at);
  if (first < 0x80) {
    return {1, first, true};
  }
  std::size_t need = 0;
  unsigned low = 0x80;
  unsigned high = 0xBF;
  char32_t value = 0;
  if (first >= 0xC2 && first <= 0xDF) {
    need = 1;
    value = first & 0x1FU;
  } else if (first >= 0xE0 && first <= 0xEF) {
    need = 2;
    value = first & 0x0FU;
    low = first == 0xE0 ? 0xA0 : low;
    high = first == 0xED ? 0x9F : high;
  } else if (first >= 0xF0 && first <= 0xF4) {
    need = 3;
    value = first & 0x07U;
    low = first == 0xF0 ? 0x90 : low;
    high = first == 0xF4 ? 0x8F : high;
  } else {
    return {1, 0, false};
  }
  for (std::size_t i = 1; i <= need; ++i) {
    if (at + i >= text.size() || byte_at(text, at + i) < low || byte_at(text, at + i) > high) {
      return {i, 0, false};
    }
    value = (value << 6U) | (byte_at(text, at + i) & 0x3FU);
    low = 0x80;
    high = 0xBF;
  }
  return {need + 1, value, true};
}

std::size_t utf16_units(const Step& s) {
  return s.valid && s.code_point > 0xFFFF ? 2 : 1;
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t at = after_ascii(text, 0); at < text.size(); at = after_ascii(text, at)) {
    const Step s = step(text, at);
    if (!s.valid) {
      return false;
    }
    at += s.size;
  }
  return true;
}

std::string to_utf8(std::string_view bytes) {
  std::string result;
  result.reserve(bytes.size());
  std::size_t good = 0;  // from here to `at` all is valid
  for (std::size_t at = after_ascii(bytes, 0); at < bytes.size(); at = after_ascii(bytes, at)) {
    const Step s = step(bytes, at);
    if (!s.valid) {
      result.append(bytes.substr(good, at - good)).append(kReplacement);
      good = at + s.size;
    }
    at += s.size;
  }
  return result.append(bytes.substr(good));
}

std::size_t count_code_points(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); at += step(text, at).size) {
    ++count;
  }
  return count;
}

std::size_t count_utf16(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = after_ascii(text, at);
    count += end - at;
    at = end;
    if (at < text.size()) {
      const Step s = step(text, at);
      count += utf16_units(s);
      at += s.size;
    }
  }
  return count;
}

std::string_view prefix_code_points(std::string_view text, std::size_t n) {
  std::size_t at = 0;
  while (at < text.size() && n > 0) {
    at += step(text, at).size;
    --n;
  }
  return text.substr(0, at);
}

std::string_view prefix_utf16(std::string_view text, std::size_t n) {
  std::size_t at = 0;
  while (at < text.size()) {
    const Step s = step(text, at);
    if (utf16_units(s) > n) {
      break;
    }
    n -= utf16_units(s);
    at += s.size;
  }
  return text.substr(0, at);
}

std::string_view prefix_bytes(std::string_view text, std::size_t n) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t size = step(text, at).size;
    if (size > n) {
      break;
    }
    n -= size;
    at += size;
  }
  return text.substr(0, at);
}

void append_utf8(std::string& text, char32_t code_point) {
  const auto add = [&text](char32_t byte) {
    text += static_cast<char>(static_cast<unsigned char>(byte));
  };
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point < 0x80) {
    add(code_point);
  } else if (code_point < 0x800) {
    add(0xC0U | (code_point >> 6U));
    add(0x80U | (code_point & 0x3FU));
  } else if (surrogate || code_point > 0x10FFFF) {
    text += kReplacement;
  } else if (code_point < 0x10000) {
    add(0xE0U | (code_point >> 12U));
    add(0x80U | ((code_point >> 6U) & 0x3FU));
    add(0x80U | (code_point & 0x3FU));
  } else {
    add(0xF0U | (code_point >> 18U));
    add(0x80U | ((code_point >> 12U) & 0x3FU));
    add(0x80U | ((code_point >> 6U) & 0x3FU));
    add(0x80U | (code_point & 0x3FU));
  }
}

std::string without_controls(std::string_view text, Keep keep) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && byte_at(text, end) >= 0x20 && byte_at(text, end) < 0x7F) {
      ++end;
    }
    if (end > at) {
      result += text.substr(at, end - at);
      at = end;
      continue;
    }
    const Step s = step(text, at);
    if (!s.valid) {
      result += kReplacement;
    } else {
      const bool control = s.code_point < 0x20 || (s.code_point >= 0x7F && s.code_point <= 0x9F);
      const bool kept =
          keep == Keep::line_breaks_and_tabs && (s.code_point == U'\n' || s.code_point == U'\t');
      if (!control || kept) {
        result += text.substr(at, s.size);
      }
    }
    at += s.size;
  }
  return result;
}

std::string for_display(std::string_view text) {
  constexpr std::size_t kMost = 200;  // characters; account contract, section 1
  if (!is_utf8(text)) {
    return "[unprintable]";
  }
  const std::string plain = without_controls(text, Keep::nothing);
  const std::string_view trimmed = trim(plain);
  if (trimmed.empty()) {
    return "[empty]";
  }
  const std::string_view cut = prefix_code_points(trimmed, kMost);
  if (cut.size() == trimmed.size()) {
    return std::string(trimmed);
  }
  return std::string(cut) + "…";
}

}  // namespace robot_council::base
