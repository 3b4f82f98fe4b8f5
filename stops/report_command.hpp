#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/context.hpp"
#include "base/result.hpp"

namespace robot_council::stops {

// The flags of `robot-council stops`, as given.
struct ReportFlags {
  enum class Shape : unsigned char { text, json };
  enum class Text : unsigned char { no, yes };
  enum class Pattern : unsigned char { no, yes };
  Shape shape = Shape::text;
  Text with_text = Text::no;           // show prompts, redacted
  Pattern show_pattern = Pattern::no;  // print the label's pattern and nothing else
  std::optional<std::string> html;     // file to write
  std::optional<std::string> since;    // "30d" or a date
  std::optional<std::string> until;
  std::optional<std::string> session;
  std::optional<std::string> log;
  std::optional<std::string> projects;
  std::optional<std::string> policy;
  std::optional<std::string> list;
  std::optional<std::string> by;
  std::optional<std::string> max_gap;  // "12h" or "off"
};

// Makes the report; the answer for stdout. Writes only the file of --html: a temporary one beside
// it, renamed, 0600. Errors: a flag's value, an unreadable log or policy, a file that cannot be
// written; `what` is a whole message.
[[nodiscard]] base::Result<std::string> run_report(const ReportFlags& flags,
                                                   const base::Context& context);

// "90s", "12h", "30d", "2w".
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);
// A duration before `now_ms`, a date ("2026-11-30": its first moment, with Edge::end its last), or
// a whole ISO 8601 time.
enum class Edge : unsigned char { start, end };
[[nodiscard]] std::optional<std::int64_t> parse_moment(std::string_view text, std::int64_t now_ms,
                                                       Edge edge);

}  // namespace robot_council::stops
