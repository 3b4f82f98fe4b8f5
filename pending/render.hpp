#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/answer.hpp"
#include "sink/entry.hpp"

namespace robot_council::pending {

// Texts of entries and answers. Pure. Source: delivery contract, 4.1 and 4.2.

// `[<type>] <body> from <login> at <created_at>` of a stored entry, without prefixes; control bytes
// removed, invalid UTF-8 replaced, line feeds inside followed by two blanks. Anything that is no
// JSON object reads as an empty one.
[[nodiscard]] std::string entry_line(std::string_view json);
// entry_line with `[repeat] ` and `[earlier session] ` in front where they belong.
[[nodiscard]] std::string row_line(const sink::Entry& row);

enum class Shape : std::uint8_t {
  plain,   // lines, LF at the end, no budget
  block,   // {"decision":"block","reason":<text>}
  cursor,  // {"followup_message":<text>}
  deny,    // {"decision":"deny","reason":<text>}
  text,    // the answer text alone: a wake on stderr
};
[[nodiscard]] Shape shape_of(harness::AnswerShape shape);
// The whole answer around a text; plain and text: the text itself.
[[nodiscard]] std::string wrap(Shape shape, std::string_view text);

enum class Budget : std::uint8_t { characters, codex_bytes };
[[nodiscard]] Budget budget_of(std::string_view harness);

struct Answer {
  std::string bytes;     // what is printed; empty when no row was given
  std::size_t rows = 0;  // the first `rows` of those given are in it
};
// The longest answer of whole rows, oldest first, within the budget; the first alone is cut when it
// does not fit. When rows are left the last line says how many.
[[nodiscard]] Answer build_answer(const std::vector<sink::Entry>& rows, Shape shape, Budget budget);

// created_at of an entry as its line prints it, "" if it has none.
[[nodiscard]] std::string entry_time(std::string_view json);

}  // namespace robot_council::pending
