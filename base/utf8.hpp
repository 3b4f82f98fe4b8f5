#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace robot_council::base {

[[nodiscard]] bool is_utf8(
    std::string_view text);  // strict: no overlong forms, no surrogates, <= U+10FFFF
// Each invalid byte sequence becomes U+FFFD (one per maximal invalid part).
[[nodiscard]] std::string to_utf8(std::string_view bytes);
// Code points; the text must be UTF-8.
[[nodiscard]] std::size_t count_code_points(std::string_view text);
// UTF-16 code units: the "characters" that clients count.
[[nodiscard]] std::size_t count_utf16(std::string_view text);
// The longest prefix of whole code points with at most n code points, UTF-16 units, bytes.
[[nodiscard]] std::string_view prefix_code_points(std::string_view text, std::size_t n);
[[nodiscard]] std::string_view prefix_utf16(std::string_view text, std::size_t n);
[[nodiscard]] std::string_view prefix_bytes(std::string_view text, std::size_t n);
// Appends one code point.
void append_utf8(std::string& text, char32_t code_point);

enum class Keep : unsigned char { nothing, line_breaks_and_tabs };
// Without U+0000-001F and U+007F-009F (LF and TAB may be kept); invalid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string without_controls(std::string_view text, Keep keep);
// A foreign string for a person: controls removed, trimmed; bad UTF-8 "[unprintable]", nothing left
// "[empty]", over 200 characters the first 200 and an ellipsis (account contract, section 1).
[[nodiscard]] std::string for_display(std::string_view text);

}  // namespace robot_council::base
