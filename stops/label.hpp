#pragma once

#include <string>
#include <string_view>

namespace robot_council::stops {

// The label of a reply: a bare go-ahead or something else. A fixed pattern over the words, version
// goahead-1; no reading of them. Source: `robot-council stops --show-pattern`.
inline constexpr std::string_view kLabelName = "goahead";
inline constexpr int kLabelVersion = 1;

// What a reply is made of, besides its words.
struct ReplyText {
  std::string_view text;    // UTF-8, as typed
  bool attachment = false;  // an image, a document or a pasted block came with it
};

struct Label {
  bool goahead = false;
  // Lower case, straight quotes, without emoji . ! , and doubled blanks. Only of a bare go-ahead,
  // so it holds no free text: every word of it is a word of the pattern. Else "".
  std::string normal;
};

[[nodiscard]] Label label_reply(const ReplyText& reply);

// The pattern in words and its known errors, several lines, for a person.
[[nodiscard]] std::string pattern_text();

}  // namespace robot_council::stops
