#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "stops/interval.hpp"
#include "stops/label.hpp"
#include "stops/limits.hpp"
#include "stops/redact.hpp"
#include "stops/report_print.hpp"

namespace robot_council::stops {
namespace {

using Text = std::string;

constexpr std::size_t kWidth = 100;  // columns
constexpr auto kReasons = std::to_array<std::string_view>(
    {"policy_error", "permission_mode", "unattended", "background_tasks", "session_crons",
     "no_message", "breaker_open", "error", "no_transcript_reader", "delivered", "no_transcript",
     "sdk_session", "unmatched", "superseded", "overtaken", "ended", "too_late"});

Text number(std::int64_t value) {
  return std::to_string(value);
}

Text right(const Text& text, std::size_t width) {
  return text.size() >= width ? text : Text(width - text.size(), ' ') + text;
}

Text left(const Text& text, std::size_t width) {
  const std::size_t length = base::count_code_points(text);
  return length >= width ? text : text + Text(width - length, ' ');
}

// "95% 75-94"
Text interval(const Share& share) {
  return "95% " + std::to_string(percent(share.low)) + "-" + std::to_string(percent(share.high));
}

Text table(const Cells& cells) {
  const auto row = [](const Text& name, std::int64_t goahead, std::int64_t other,
                      std::int64_t all) {
    return left(name, 16) + right(number(goahead), 13) + right(number(other), 17) +
           right(number(all), 6) + "\n";
  };
  return Text(16, ' ') + "bare go-ahead   something else   all\n" +
         row("set: continue", cells.continue_goahead, cells.continue_other, cells.continued()) +
         row("set: leave", cells.leave_goahead, cells.leave_other, cells.left()) +
         row("all", cells.goaheads(), cells.others(), cells.all()) + "\n";
}

Text sentences(const Cells& cells, const std::vector<std::int64_t>& gaps) {
  if (cells.all() < kFewPairs) {
    return number(cells.all()) + (cells.all() == 1 ? " pair" : " pairs") +
           ": too few to read (from " + number(kFewPairs) + " on there are rates).\n";
  }
  Text text;
  if (const auto share = share_of(cells.continue_goahead, cells.continued())) {
    text += "Of " + number(cells.continued()) + " stops the set would have continued, " +
            number(share->k) + " (" + number(percent(share->rate)) + "%, " + interval(*share) +
            ") were followed by a bare go-ahead.\n";
  } else {
    text += "The set would have continued none of these stops.\n";
  }
  if (const auto share = share_of(cells.continue_goahead, cells.goaheads())) {
    text += "It would have spared " + number(share->k) + " of " + number(share->n) +
            " go-aheads (" + number(percent(share->rate)) + "%, " + interval(*share) +
            ") and run past " + number(cells.continue_other) +
            (cells.continue_other == 1 ? " answer" : " answers") + ": --list continue/other\n";
  }
  text += "The label is a fixed pattern over your words (" + Text(kLabelName) + "-" +
          std::to_string(kLabelVersion) + "), not a reading of them.\n";
  if (const auto median = quantile(gaps, 0.5)) {
    text += "Median time to it: " + duration_text(*median) + ".\n";
  }
  return text;
}

Text group_line(const Group& group) {
  return "questions " + short_print(group.questions) + "  rules " + short_print(group.rules) +
         (group.more_rules ? " and older ones" : "") + "  judge " + judge_words(group) + "\n\n";
}

Text left_out_text(const Report& report) {
  std::vector<std::pair<Text, std::int64_t>> reasons(report.left_out.begin(),
                                                     report.left_out.end());
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::int64_t all = 0;
  for (const auto& [reason, count] : reasons) {
    all += count;
  }
  Text text;
  Text line = "Left out " + number(all) + (all == 0 ? "." : ": ");
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    const Text part = base::for_display(reasons[i].first) + " " + number(reasons[i].second) +
                      (i + 1 == reasons.size() ? "." : ",");
    if (line.size() + part.size() + 1 > kWidth) {
      text += line + "\n";
      line.clear();
    }
    line += (line.empty() || line.back() == ' ' ? "" : " ") + part;
  }
  text += line + "\nUnreadable " + std::to_string(report.log.bad) + ", dropped " +
          number(report.log.dropped) +
          ". Never seen: turns ended by Esc, an API error, a question dialog.\n";
  if (report.skipped_lines > 0) {
    text += "Lines of transcripts that could not be read: " + std::to_string(report.skipped_lines) +
            ".\n";
  }
  if (report.other_questions > 0) {
    text += "Scored again with rules for other questions than were asked: " +
            number(report.other_questions) + " pairs.\n";
  }
  return text;
}

Text fleet_text(const Report& report) {
  const FleetCount& fleet = report.fleet;
  Text text = "Did it stop while the fleet had work for it?   " + number(fleet.known()) + " of " +
              std::to_string(report.rows.size()) + " turn ends with a sink\n";
  if (fleet.known() == 0) {
    return text;
  }
  const std::int64_t waiting = fleet.handed_over + fleet.not_handed_over;
  const std::size_t width = std::max<std::size_t>(number(fleet.quiet).size(), 4);
  const auto row = [width](const Text& name, std::int64_t count) {
    return left(name, 30) + right(number(count), width);
  };
  text += row("nothing waiting", fleet.quiet) + "\n";
  text += row("work waiting, handed over", fleet.handed_over) + "\n";
  text += row("work waiting, not handed over", fleet.not_handed_over);
  if (waiting >= kFewPairs) {
    const auto share = share_of(fleet.not_handed_over, waiting);
    text += "   " + number(percent(share->rate)) + "% of " + number(waiting) + " (" +
            interval(*share) + ")";
  } else {
    text += "   too few to read";
  }
  return text + (fleet.not_handed_over > 0 ? ": --list waiting\n" : "\n");
}

Text by_text(const Report& report, By by) {
  const Text name = by == By::project ? "project" : by == By::judge ? "judge" : "host";
  Text text =
      "\n" + left("by " + name, 40) + "   continue: go-ahead  else   leave: go-ahead  else\n";
  for (const auto& [key, cells] : cells_by(report, by)) {
    text += left(base::for_display(key), 40) + right(number(cells.continue_goahead), 21) +
            right(number(cells.continue_other), 6) + right(number(cells.leave_goahead), 18) +
            right(number(cells.leave_other), 6) + "\n";
  }
  return text;
}

Text log_line(const Report& report) {
  Text names;
  for (const auto& path : report.log.paths) {
    names += (names.empty() ? "" : ", ") + base::for_display(shown_path(report, path));
  }
  const auto count = [](std::size_t n, const char* one) {
    return std::to_string(n) + " " + one + (n == 1 ? "" : "s");
  };
  return "log " + names + "  " + count(report.sessions, "session") + ", " +
         count(report.projects, "project") + "\n";
}

Text reason_text(const Reason& reason) {
  Text text(reason_name(reason.kind));
  if (reason.rule) {
    text += " " + std::to_string(*reason.rule);
  }
  if (reason.question) {
    text += " " + *reason.question;
  }
  if (reason.p) {
    Text p = std::to_string(*reason.p);
    text += " " + p.substr(0, p.find('.') + 3);
  }
  return text + (reason.missing.empty() ? "" : " without " + base::join(reason.missing, ", "));
}

Text listed(const Row& row, KeepText with_text) {
  Text text = base::iso_zulu(row.stop->ts_ms) + "  " + base::for_display(*row.stop->session_id) +
              "  " + *row.stop->host + "  " +
              base::for_display(text_or(row.stop->project, "no project")) + "\n";
  if (row.stop->outcome == Outcome::judged) {
    text += "    " + Text(verdict_text(row.verdict)) + ": " + reason_text(row.reason) + "\n";
  }
  if (row.stop->waiting) {
    text +=
        "    waiting " + number(*row.stop->waiting) +
        (row.stop->delivered ? *row.stop->delivered ? ", handed over" : ", not handed over" : "") +
        "\n";
  }
  if (!row.paired()) {
    return text + "    left out: " + Text(row.match.left_out) + "\n";
  }
  const Prompt& next = *row.match.next;
  text += "    " + duration_text(row.gap_ms()) +
          " later: " + (next.goahead ? Text("go-ahead") : Text(prompt_kind_name(next.kind))) +
          ", " + std::to_string(next.chars) + " characters\n";
  if (with_text == KeepText::yes) {
    text += "    > " +
            base::replace_all(
                base::without_controls(redact(next.text).text, base::Keep::line_breaks_and_tabs),
                "\n", "\n    > ") +
            "\n";
  }
  return text;
}

bool in_cell(const Row& row, const Text& cell) {
  if (cell == "waiting") {
    return waited(*row.stop) == Waited::not_handed_over;
  }
  if (!row.paired()) {
    return row.match.left_out == cell;
  }
  return cell ==
         Text(verdict_text(row.verdict)) + (row.match.next->goahead ? "/goahead" : "/other");
}

}  // namespace

std::string report_text(const Report& report, std::optional<By> by) {
  if (report.rows.empty()) {
    return "No turn ends recorded" +
           Text(report.log.paths.empty() ? ": there is no stop log yet" : " in this range") +
           ". Recording needs a policy and a stop hook: robot-council stops record --help.\n";
  }
  Text text = "Stops judged and the next prompt typed  " + base::utc_date(report.from_ms) + " .. " +
              base::utc_date(report.to_ms) + "\n" + log_line(report);
  if (report.groups.empty()) {
    text += "\n0 pairs: too few to read (from " + number(kFewPairs) + " on there are rates).\n";
  }
  for (const Group& group : report.groups) {
    text += (&group == &report.groups.front() ? "" : "\n") + group_line(group) +
            table(group.cells) + sentences(group.cells, group.gaps_ms);
  }
  text += "\n" + left_out_text(report) + "\n" + fleet_text(report);
  return by ? text + by_text(report, *by) : text;
}

std::optional<std::string> list_text(const Report& report, const std::string& cell, KeepText text) {
  constexpr auto kCells = std::to_array<std::string_view>(
      {"continue/goahead", "continue/other", "leave/goahead", "leave/other", "waiting"});
  const bool known = std::find(kCells.begin(), kCells.end(), cell) != kCells.end() ||
                     std::find(kReasons.begin(), kReasons.end(), cell) != kReasons.end() ||
                     report.left_out.count(cell) > 0;
  if (!known) {
    return std::nullopt;
  }
  Text list;
  std::size_t count = 0;
  for (const Row& row : report.rows) {
    if (in_cell(row, cell)) {
      list += listed(row, text);
      ++count;
    }
  }
  return cell + ": " + std::to_string(count) + "\n" + list;
}

}  // namespace robot_council::stops
