#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace robot_council::stops {

// The end of a message, for redaction: whole up to kMaxRedactedBytes, else its last part from a
// line start (no line break: from a blank, else a code point).
[[nodiscard]] std::string_view end_of_message(std::string_view text);

struct Tail {
  std::string text;
  std::size_t chars = 0;  // code points of `text`
  bool cut = false;
};
// The last `max_chars` code points of a redacted text. A start inside a marker moves behind it, one
// inside a word behind the word, if that is near.
[[nodiscard]] Tail cut_tail(std::string_view redacted, std::size_t max_chars);

// {"closing_message":"..","cut":false}: all that a judge is shown.
[[nodiscard]] std::string state_json(const Tail& tail);
// The same state with its message redacted once more, inside the JSON.
[[nodiscard]] std::string redacted_state(std::string_view state);

}  // namespace robot_council::stops
