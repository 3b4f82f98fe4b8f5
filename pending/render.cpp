#include "pending/render.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/json_scan.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "pending/limits.hpp"

namespace robot_council::pending {
namespace {

constexpr std::string_view kHead = "Robot Council has news:";

// The entry as valid JSON; what is none reads as an object without members.
std::string readable(std::string_view json) {
  std::string text = base::to_utf8(json);
  return base::validate_json(text, kMaxEntryDepth) ? text : std::string("{}");
}

using Members = std::vector<base::JsonMember>;

// The value of the last member of that name, "" without one.
std::string_view value_of(const Members& members, std::string_view key) {
  const auto found = std::find_if(members.rbegin(), members.rend(),
                                  [key](const auto& member) { return member.key == key; });
  return found == members.rend() ? std::string_view() : found->value;
}

std::optional<std::string> string_of(const Members& members, std::string_view key) {
  const std::string_view value = value_of(members, key);
  return value.empty() || base::json_kind(value) != base::JsonKind::string
             ? std::nullopt
             : std::optional(base::json_unescape(value));
}

std::string clean(std::string_view text) {
  return base::without_controls(text, base::Keep::line_breaks_and_tabs);
}

std::string author(const Members& entry) {
  const Members actor = base::json_members(value_of(entry, "actor"));  // none where it is no object
  return " from " + string_of(actor, "github_login").value_or("an unnamed session");
}

std::string more_line(std::size_t left) {
  return std::to_string(left) + " more are waiting; they follow at the next turn end.";
}

bool fits(const std::string& text, Shape shape, Budget budget) {
  if (budget == Budget::codex_bytes) {
    return text.size() <= kMaxCodexBytes;
  }
  return base::count_utf16(text) <= kMaxAnswerCharacters &&
         base::count_utf16(wrap(shape, text)) <= kMaxAnswerJson;
}

// The answer text of some lines, of which `left` rows have no part.
std::string with_rest(const std::string& lines, std::size_t left) {
  return left == 0 ? lines : lines + "\n" + more_line(left);
}

std::string cut_line(const sink::Entry& row, std::string_view line, std::size_t kept,
                     std::size_t points) {
  std::string text(base::prefix_code_points(line, kept));
  text += "... (cut, " + std::to_string(points - kept) + " characters";
  if (row.event_id) {
    text += "; read the feed from after=" + std::to_string(*row.event_id - 1);
  }
  return text + ")";
}

// The longest cut of a row's line that fits as the only one.
std::string cut_to_fit(const sink::Entry& row, std::size_t left, Shape shape, Budget budget) {
  const std::string line = row_line(row);
  const std::size_t points = base::count_code_points(line);
  const auto text_with = [&](std::size_t kept) {
    return with_rest(std::string(kHead) + "\n" + cut_line(row, line, kept, points), left);
  };
  std::size_t good = 0;
  std::size_t bad = points;
  while (bad - good > 1) {
    const std::size_t middle = good + (bad - good) / 2;
    (fits(text_with(middle), shape, budget) ? good : bad) = middle;
  }
  return text_with(good);
}

Answer plain_answer(const std::vector<sink::Entry>& rows) {
  Answer answer;
  for (const sink::Entry& row : rows) {
    answer.bytes += row_line(row) + "\n";
  }
  answer.rows = rows.size();
  return answer;
}

}  // namespace

std::string entry_line(std::string_view json) {
  const std::string text = readable(json);
  const Members entry = base::json_members(text);
  const std::string type = string_of(entry, "type").value_or("event");
  std::string line = "[" + type + "] " + string_of(entry, "body").value_or("");
  constexpr std::string_view kOurs = "bridge.";
  if (type.compare(0, kOurs.size(), kOurs) != 0) {
    line += author(entry);
  }
  if (const auto at = string_of(entry, "created_at"); at && !at->empty()) {
    line += " at " + *at;
  }
  line = clean(line);
  // What is trimmed beside these is gone already: CR, NUL, VT.
  const std::size_t begin = std::min(line.find_first_not_of(" \t\n"), line.size());
  const std::size_t end = line.find_last_not_of(" \t\n") + 1;
  return base::replace_all(line.substr(begin, end - begin), "\n", "\n  ");
}

std::string row_line(const sink::Entry& row) {
  return (row.printed_before() ? std::string("[repeat] ") : std::string()) +
         (row.earlier_session ? "[earlier session] " : "") + entry_line(row.json);
}

std::string entry_time(std::string_view json) {
  const std::string text = readable(json);
  return clean(string_of(base::json_members(text), "created_at").value_or(""));
}

Shape shape_of(harness::AnswerShape shape) {
  switch (shape) {
    case harness::AnswerShape::block:
      return Shape::block;
    case harness::AnswerShape::cursor:
      return Shape::cursor;
    case harness::AnswerShape::deny:
      return Shape::deny;
  }
  return Shape::block;
}

std::string wrap(Shape shape, std::string_view text) {
  switch (shape) {
    case Shape::block:
      return harness::render_answer(harness::AnswerShape::block, text);
    case Shape::cursor:
      return harness::render_answer(harness::AnswerShape::cursor, text);
    case Shape::deny:
      return harness::render_answer(harness::AnswerShape::deny, text);
    case Shape::plain:
    case Shape::text:
      break;
  }
  return std::string(text);
}

Budget budget_of(std::string_view harness) {
  return harness == "codex" ? Budget::codex_bytes : Budget::characters;
}

Answer build_answer(const std::vector<sink::Entry>& rows, Shape shape, Budget budget) {
  if (rows.empty()) {
    return {};
  }
  if (shape == Shape::plain) {
    return plain_answer(rows);
  }
  std::string lines(kHead);
  std::string best;
  Answer answer;
  for (const sink::Entry& row : rows) {
    lines += "\n" + row_line(row);
    std::string text = with_rest(lines, rows.size() - answer.rows - 1);
    if (!fits(text, shape, budget)) {
      break;
    }
    best = std::move(text);
    ++answer.rows;
  }
  if (answer.rows == 0) {
    best = cut_to_fit(rows.front(), rows.size() - 1, shape, budget);
    answer.rows = 1;
  }
  answer.bytes = wrap(shape, best);
  return answer;
}

}  // namespace robot_council::pending
