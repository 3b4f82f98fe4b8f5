#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace robot_council::stops {

// One sentence of a message, prepared for phrases: ASCII lower case, straight quotes, blanks
// collapsed, `can't` and the like written out.
struct Sentence {
  std::string words;      // without code spans
  std::string with_code;  // code spans included
  bool question = false;  // ends in ?
};

enum class Start : unsigned char {
  whole,  // the text begins where the message begins
  cut,    // it may begin inside a fenced block
};

// The last kMaxSentences sentences that hold a letter or digit, in order. Left out: fenced blocks,
// quoted lines (>), list and heading marks, asterisks, text between two quotation marks of a line.
// A sentence ends at a line break, or at . ! ? before a blank, ), quotation mark or the end;
// neither inside a code span. Linear; a sentence over kMaxSentenceBytes keeps its end.
[[nodiscard]] std::vector<Sentence> last_sentences(std::string_view text, Start start);

}  // namespace robot_council::stops
