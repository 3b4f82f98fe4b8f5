#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/context.hpp"
#include "base/result.hpp"
#include "stops/log_reader.hpp"
#include "stops/pairing.hpp"
#include "stops/policy.hpp"
#include "stops/transcript.hpp"

namespace robot_council::stops {

// What `robot-council stops` counts, before it is printed. Times in ms since 1970, UTC.

// Pairs by what the set would have done and what the person wrote.
struct Cells {
  std::int64_t continue_goahead = 0;
  std::int64_t continue_other = 0;
  std::int64_t leave_goahead = 0;
  std::int64_t leave_other = 0;
  void add(Verdict verdict, bool goahead);
  [[nodiscard]] std::int64_t continued() const { return continue_goahead + continue_other; }
  [[nodiscard]] std::int64_t left() const { return leave_goahead + leave_other; }
  [[nodiscard]] std::int64_t goaheads() const { return continue_goahead + leave_goahead; }
  [[nodiscard]] std::int64_t others() const { return continue_other + leave_other; }
  [[nodiscard]] std::int64_t all() const { return continued() + left(); }
};

// One line of the log in the range, and what became of it.
struct Row {
  const Stop* stop = nullptr;  // of Report::log
  Verdict verdict = Verdict::leave;
  Reason reason;
  Match match;
  [[nodiscard]] bool paired() const { return match.next.has_value(); }
  [[nodiscard]] std::int64_t gap_ms() const { return match.next->submit_ms - stop->ts_ms; }
};

// Pairs that answer the same questions by the same model: only these may be counted together.
struct Group {
  const std::string* questions = nullptr;
  const std::string* model = nullptr;
  std::optional<PKind> p_kind;
  const std::string* rules = nullptr;     // of the newest line
  const std::string* judge = nullptr;     // of the newest line
  const std::string* endpoint = nullptr;  // of the newest line; nullptr: nothing was sent
  bool more_rules = false;                // older lines have other rules
  Cells cells;
  std::vector<std::int64_t> gaps_ms;  // sorted
};

struct Gap {                          // bins of the time to the next prompt
  std::optional<std::int64_t> to_ms;  // upper end, itself in the bin; nothing: all longer ones
  std::int64_t pairs = 0;
};

struct Counted {
  std::string name;
  std::int64_t count = 0;
};
struct NamedCells {
  std::string name;
  Cells cells;
};

// Whether work of the fleet waited at a turn end.
struct FleetCount {
  std::int64_t quiet = 0;
  std::int64_t handed_over = 0;
  std::int64_t not_handed_over = 0;
  [[nodiscard]] std::int64_t known() const { return quiet + handed_over + not_handed_over; }
};
enum class Waited : std::uint8_t { unknown, quiet, handed_over, not_handed_over };
[[nodiscard]] Waited waited(const Stop& stop);

enum class By : std::uint8_t { project, judge, host };

struct ReportQuery {
  LogQuery log;  // with its since_ms
  std::optional<std::int64_t> until_ms;
  TranscriptRoots roots;
  std::optional<Policy> policy;  // scores the logged answers again
  std::optional<std::chrono::milliseconds> max_gap;
  KeepText text = KeepText::no;
};

struct Report {
  std::string home;          // shown as "~" in paths
  std::int64_t from_ms = 0;  // of the range; with no lines both are 0
  std::int64_t to_ms = 0;
  StopLog log;
  std::vector<Row> rows;  // by time; pairs + left out = all of them
  std::size_t sessions = 0;
  std::size_t projects = 0;
  Cells cells;
  std::map<std::string, std::int64_t> left_out;
  std::int64_t by_prompt_id = 0;  // anchors of the pairs
  std::int64_t by_time = 0;
  std::vector<Group> groups;          // the largest first
  std::vector<std::int64_t> gaps_ms;  // sorted
  std::vector<Gap> histogram;
  std::vector<NamedCells> weeks;        // "2026-W48", by time, without gaps
  std::vector<Counted> words;           // normal forms of go-aheads, the most common first
  std::vector<NamedCells> per_project;  // the largest first
  FleetCount fleet;
  std::size_t skipped_lines = 0;     // of transcripts: too long or unreadable
  std::int64_t other_questions = 0;  // pairs whose questions are not those of query.policy
};

// Reads the log, the transcripts and the sinks and counts. Opens no socket and writes nothing.
// Errors  of the log only: what cannot be read besides is counted as left out.
[[nodiscard]] base::Result<Report> make_report(const ReportQuery& query,
                                               const base::Context& context);

// Pairs by one more name, the largest first.
[[nodiscard]] std::vector<NamedCells> cells_by(const Report& report, By by);
// Nearest rank of sorted numbers; nothing of none. share: 0..1.
[[nodiscard]] std::optional<std::int64_t> quantile(const std::vector<std::int64_t>& sorted,
                                                   double share);
// ISO 8601 week of a time, UTC: "2026-W48".
[[nodiscard]] std::string iso_week(std::int64_t ms);
// "12 s", "3 m 12 s", "2 h 5 m", "24 h", "1 d 3 h".
[[nodiscard]] std::string duration_text(std::int64_t ms);
// What sent the messages where: "local phrases-1, nothing sent".
[[nodiscard]] std::string judge_words(const Group& group);
// First hex digits of a fingerprint, "none" of nullptr.
[[nodiscard]] std::string short_print(const std::string* fingerprint);
// A path for a person: "~/.." for one in the home.
[[nodiscard]] std::string shown_path(const Report& report, const std::string& path);
[[nodiscard]] std::string text_or(const std::string* name, std::string_view other);

}  // namespace robot_council::stops
