#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace robot_council::base {

// A scanner over JSON text that keeps every byte: what is only forwarded must come out as it came
// in (number spelling, key order, escapes). Iterative, linear, no number is ever converted. Views
// point into the text given.

// Whole text is one JSON value (RFC 8259) in valid UTF-8, blanks around it allowed.
// invalid: grammar or UTF-8, `what` says where; refused: nested deeper than max_depth (an array or
// object is one level).
[[nodiscard]] Status validate_json(std::string_view text, std::size_t max_depth);

enum class JsonKind : unsigned char { object, array, string, number, boolean, null };
// Kind of a value by its first byte after blanks. The text must be valid.
[[nodiscard]] JsonKind json_kind(std::string_view value);

struct JsonMember {
  std::string key;         // unescaped
  std::string_view value;  // bytes of the value, without blanks around it
};
// The members of an object, in order, duplicates kept. Empty for any other value. The text must be
// valid.
[[nodiscard]] std::vector<JsonMember> json_members(std::string_view object);
// The elements of an array, in order. Empty for any other value. The text must be valid.
[[nodiscard]] std::vector<std::string_view> json_elements(std::string_view array);
// Bytes of the last member with this key, empty if there is none.
[[nodiscard]] std::string_view json_member(std::string_view object, std::string_view key);
// The text of a string literal; lone surrogates become U+FFFD. Empty for any other value.
[[nodiscard]] std::string json_unescape(std::string_view literal);

}  // namespace robot_council::base
