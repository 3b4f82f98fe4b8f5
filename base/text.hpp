#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robot_council::base {

// Blank here: space, tab, LF, CR, VT, FF.
[[nodiscard]] std::string_view trim(std::string_view text);
[[nodiscard]] bool is_blank(std::string_view text);
[[nodiscard]] std::string to_lower_ascii(std::string_view text);
[[nodiscard]] bool starts_with_ignoring_case(std::string_view text, std::string_view prefix);
[[nodiscard]] bool equals_ignoring_case(std::string_view a, std::string_view b);
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);
[[nodiscard]] std::string join(const std::vector<std::string>& parts, std::string_view separator);
[[nodiscard]] std::string replace_all(std::string text, std::string_view from, std::string_view to);
// Every trailing `c` removed.
[[nodiscard]] std::string without_trailing(std::string_view text, char c);
// Decimal digits only, within 64 bits; "" and signs are nothing.
[[nodiscard]] std::optional<std::int64_t> parse_digits(std::string_view text);
// A word for /bin/sh: unchanged if it has only [A-Za-z0-9_@%+=:,./-], else in single quotes.
[[nodiscard]] std::string shell_quote(std::string_view text);
// Edits (insert, delete, change of one byte) between two words, for "did you mean".
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace robot_council::base
