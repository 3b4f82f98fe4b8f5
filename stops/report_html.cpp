#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time_text.hpp"
#include "base/version.hpp"
#include "stops/html_parts.hpp"
#include "stops/html_style.hpp"
#include "stops/interval.hpp"
#include "stops/label.hpp"
#include "stops/limits.hpp"
#include "stops/report_print.hpp"

namespace robot_council::stops {
namespace {

using html::escape;
using Text = std::string;

Text number(std::int64_t value) {
  return std::to_string(value);
}

Text tag(const Text& name, const Text& content) {
  return "<" + name + ">" + content + "</" + name + ">";
}

Text cell(const Text& content) {
  return tag("td", content);
}

Text count_cell(const Text& content) {
  return "<td class=\"n\">" + content + "</td>";
}

Text row(const Text& head, const Text& cells, bool sum = false) {
  return Text(sum ? "<tr class=\"sum\">" : "<tr>") + "<th scope=\"row\">" + head + "</th>" + cells +
         "</tr>\n";
}

// Head cells: the first is text, those that begin with "#" are numbers.
Text head(const std::vector<Text>& names) {
  Text cells;
  for (const auto& name : names) {
    const bool is_number = !name.empty() && name.front() == '#';
    cells += Text("<th scope=\"col\"") + (is_number ? " class=\"n\">" : ">") +
             (is_number ? name.substr(1) : name) + "</th>";
  }
  return "<thead><tr>" + cells + "</tr></thead>\n";
}

Text table(const std::vector<Text>& names, const Text& rows, const Text& css = "") {
  return R"(<div class="scroll"><table class=")" + css + "\">" + head(names) + "<tbody>\n" + rows +
         "</tbody></table></div>\n";
}

Text section(const Text& title, const Text& content) {
  return "<section>\n" + tag("h2", title) + "\n" + content + "</section>\n";
}

Text percent_text(const std::optional<Share>& share) {
  return share ? std::to_string(percent(share->rate)) + " %" : "-";
}

// A share of a row of `pairs`; of too few it is two counts and no rate.
Text share_cell(std::int64_t k, std::int64_t n, std::int64_t pairs) {
  if (pairs < kFewPairs && n > 0) {
    return count_cell(number(k) + " of " + number(n));
  }
  return count_cell(percent_text(share_of(k, n)));
}

Text interval_words(const Share& share) {
  return "95 % interval " + std::to_string(percent(share.low)) + " to " +
         std::to_string(percent(share.high));
}

Text figure(const Text& large, const Text& small, const Text& words, const Text& drawing) {
  return "<div class=\"figure\"><b>" + large + " <small>" + small + "</small></b>" +
         tag("p", words) + drawing + "</div>\n";
}

Text share_figure(const Share& share, const Text& words) {
  return figure(percent_text(share), number(share.k) + " of " + number(share.n),
                words + " <span class=\"note\">" + interval_words(share) + "</span>",
                html::strip(share, percent_text(share) + ", " + interval_words(share)));
}

Text figures(const Group& group) {
  const Cells& cells = group.cells;
  if (cells.all() < kFewPairs) {
    return "<p class=\"few\"><strong>" + number(cells.all()) +
           (cells.all() == 1 ? " pair" : " pairs") + ": too few to read.</strong> From " +
           number(kFewPairs) + " on this place shows rates.</p>\n";
  }
  Text cards;
  if (const auto share = share_of(cells.continue_goahead, cells.continued())) {
    cards += share_figure(*share,
                          "of the stops that the set would have continued were followed by a bare "
                          "go-ahead.");
  } else {
    cards += figure("none", "", "of these stops would have been continued by the set.", "");
  }
  if (const auto share = share_of(cells.continue_goahead, cells.goaheads())) {
    cards += share_figure(*share, "of your go-aheads would have been spared.");
  }
  cards += figure(number(cells.continue_other), cells.continue_other == 1 ? "answer" : "answers",
                  "it would have run past: you wrote something else there. <code>--list "
                  "continue/other</code> shows them.",
                  html::bar({{"else", cells.continue_other}, {"go", cells.continue_goahead}},
                            std::max<std::int64_t>(cells.continued(), 1), "stack",
                            "answers and go-aheads among the stops to continue"));
  return "<div class=\"cards\">\n" + cards + "</div>\n";
}

Text two_by_two(const Cells& cells) {
  const auto line = [](const Text& name, std::int64_t goahead, std::int64_t other, std::int64_t all,
                       bool sum = false) {
    return row(name,
               count_cell(number(goahead)) + count_cell(number(other)) + count_cell(number(all)),
               sum);
  };
  return "<div class=\"split\">" + html::mosaic(cells) +
         table({"", "#bare go-ahead", "#something else", "#all"},
               line("set: continue", cells.continue_goahead, cells.continue_other,
                    cells.continued()) +
                   line("set: leave", cells.leave_goahead, cells.leave_other, cells.left()) +
                   line("all", cells.goaheads(), cells.others(), cells.all(), true)) +
         "</div>\n";
}

Text group_section(const Group& group, bool only) {
  Text facts = "<ul class=\"facts\"><li>judge <b>" + escape(judge_words(group)) +
               "</b></li><li>questions <code>" + escape(text_or(group.questions, "none")) +
               "</code></li><li>rules <code>" + escape(text_or(group.rules, "none")) + "</code>" +
               (group.more_rules ? " and older ones" : "") + "</li>";
  if (group.p_kind) {
    facts += "<li>answers are <b>" + Text(p_kind_name(*group.p_kind)) + "</b></li>";
  }
  if (const auto median = quantile(group.gaps_ms, 0.5)) {
    facts += "<li>median time to the next prompt <b>" + duration_text(*median) + "</b></li>";
  }
  return section(
      only ? "What you wrote where it stopped" : "What you wrote: " + escape(judge_words(group)),
      facts + "</ul>\n" + figures(group) + two_by_two(group.cells));
}

Text week_section(const Report& report) {
  Text rows;
  for (const auto& [name, cells] : report.weeks) {
    rows +=
        row(escape(name), count_cell(number(cells.all())) +
                              share_cell(cells.continue_goahead, cells.continued(), cells.all()) +
                              share_cell(cells.goaheads(), cells.all(), cells.all()));
  }
  return section("Week by week",
                 "<ul class=\"key\"><li>" + html::swatch("bars") + "pairs</li><li>" +
                     html::swatch("go") + "right where the set continues</li><li>" +
                     html::swatch("ink") + "share of go-aheads</li></ul>\n" +
                     html::trend(report.weeks) + "<p class=\"note\">From " + number(kFewPairs) +
                     " pairs on a week has rates and a point on the lines.</p>\n" +
                     table({"week (ISO 8601, UTC)", "#pairs", "#right where it continues",
                            "#share of go-aheads"},
                           rows));
}

Text gap_words(const std::vector<Gap>& bins, std::size_t at) {
  if (!bins[at].to_ms) {
    return "more than " + duration_text(*bins[at - 1].to_ms);
  }
  return "up to " + duration_text(*bins[at].to_ms);
}

// Rows with a bar each: a table that is its own plot.
Text bar_row(const Text& name, std::int64_t count, std::int64_t most,
             const std::vector<html::Part>& parts) {
  return row(name, "<td class=\"w\">" +
                       html::bar(parts, std::max<std::int64_t>(most, 1), "bar",
                                 name + ": " + number(count)) +
                       "</td>" + count_cell(number(count)));
}

Text gap_section(const Report& report) {
  std::int64_t most = 0;
  for (const Gap& gap : report.histogram) {
    most = std::max(most, gap.pairs);
  }
  Text rows;
  for (std::size_t i = 0; i < report.histogram.size(); ++i) {
    const std::int64_t count = report.histogram[i].pairs;
    rows += bar_row(gap_words(report.histogram, i), count, most, {{"quiet", count}});
  }
  Text words;
  const auto median = quantile(report.gaps_ms, 0.5);
  const auto slow = quantile(report.gaps_ms, 0.9);
  if (report.cells.all() >= kFewPairs && median && slow) {
    words = "<p>Half of the stops waited " + duration_text(*median) +
            " or less for you, one in ten more than " + duration_text(*slow) + ".</p>\n";
  }
  return section("Time to the next prompt", words + table({"", "", "#pairs"}, rows, "plot"));
}

Text word_section(const Report& report) {
  if (report.words.empty()) {
    return {};
  }
  Text rows;
  for (const auto& [text, count] : report.words) {
    rows +=
        bar_row("<q>" + escape(text) + "</q>", count, report.words.front().count, {{"go", count}});
  }
  return section(
      "How you say go ahead",
      "<p class=\"note\">The most common bare go-aheads, in lower case and without marks. "
      "Only words of the fixed pattern appear here, no other text of yours.</p>\n" +
          table({"", "", "#times"}, rows, "plot"));
}

Text project_section(const Report& report) {
  if (report.per_project.empty()) {
    return {};
  }
  Text rows;
  std::int64_t rest = 0;
  std::size_t shown = 0;
  const std::int64_t most = report.per_project.front().cells.all();
  for (const auto& [name, cells] : report.per_project) {
    if (++shown > kMaxShownProjects) {
      rest += cells.all();
      continue;
    }
    rows += row("<span class=\"path\">" + escape(name) + "</span>",
                "<td class=\"w\">" +
                    html::bar({{"go", cells.continue_goahead},
                               {"go-soft", cells.leave_goahead},
                               {"else", cells.continue_other},
                               {"else-soft", cells.leave_other}},
                              most, "bar", number(cells.all()) + " pairs") +
                    "</td>" + count_cell(number(cells.all())) +
                    share_cell(cells.goaheads(), cells.all(), cells.all()));
  }
  Text more;
  if (rest > 0) {
    more = "<p class=\"note\">" + number(rest) + " more pairs in " +
           std::to_string(report.per_project.size() - kMaxShownProjects) + " other projects.</p>\n";
  }
  return section("By project", "<ul class=\"key\"><li>" + html::swatch("go") +
                                   "continue, go-ahead</li><li>" + html::swatch("go-soft") +
                                   "leave, go-ahead</li><li>" + html::swatch("else") +
                                   "continue, something else</li><li>" + html::swatch("else-soft") +
                                   "leave, something else</li></ul>\n" +
                                   table({"", "", "#pairs", "#go-aheads"}, rows, "wide") + more);
}

Text fleet_section(const Report& report) {
  const FleetCount& fleet = report.fleet;
  Text content = "<p>" + number(fleet.known()) + " of " + std::to_string(report.rows.size()) +
                 " turn ends had a sink to look into.";
  const std::int64_t waiting = fleet.handed_over + fleet.not_handed_over;
  if (const auto share = share_of(fleet.not_handed_over, waiting)) {
    content += waiting < kFewPairs
                   ? " Work waited at " + number(waiting) + " of them: too few to read."
                   : " Where work waited, " + percent_text(share) +
                         " of the ends did not hand it over (" + interval_words(*share) +
                         "): <code>--list waiting</code>.";
  }
  content += "</p>\n";
  if (fleet.known() == 0) {
    return section("Did it stop while the fleet had work for it?", content);
  }
  content += html::bar(
      {{"quiet", fleet.quiet}, {"go", fleet.handed_over}, {"else", fleet.not_handed_over}},
      fleet.known(), "stack", "turn ends by the fleet's work");
  content += table({"", "#turn ends"},
                   row(html::swatch("quiet") + "nothing waiting", count_cell(number(fleet.quiet))) +
                       row(html::swatch("go") + "work waiting, handed over",
                           count_cell(number(fleet.handed_over))) +
                       row(html::swatch("else") + "work waiting, not handed over",
                           count_cell(number(fleet.not_handed_over))));
  return section("Did it stop while the fleet had work for it?",
                 "<div class=\"fleet\">" + content + "</div>\n");
}

constexpr auto kMeanings = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"policy_error", "the policy could not be read"},
    {"permission_mode", "the policy leaves this mode out"},
    {"unattended", "nobody was at the keyboard (-p)"},
    {"background_tasks", "background work still ran"},
    {"session_crons", "a scheduled prompt was to come"},
    {"no_message", "the turn closed without words"},
    {"breaker_open", "the judge had failed too often in this session"},
    {"error", "the judge gave no answer"},
    {"no_transcript_reader", "this client's transcripts are not read"},
    {"delivered", "the fleet answered, the turn went on"},
    {"no_transcript", "its transcript is gone"},
    {"sdk_session", "a program wrote the prompts"},
    {"unmatched", "not found in its transcript"},
    {"superseded", "another turn ended before you wrote"},
    {"overtaken", "your prompt was sent before it stopped"},
    {"ended", "no prompt came after it"},
    {"too_late", "the prompt came after --max-gap"},
});

Text meaning_of(const Text& reason) {
  for (const auto& [name, meaning] : kMeanings) {
    if (name == reason) {
      return Text(meaning);
    }
  }
  return "";
}

Text left_out_section(const Report& report) {
  std::vector<std::pair<Text, std::int64_t>> reasons(report.left_out.begin(),
                                                     report.left_out.end());
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  Text rows;
  std::int64_t all = 0;
  for (const auto& [reason, count] : reasons) {
    rows += row("<code>" + escape(reason) + "</code>",
                cell(meaning_of(reason)) + count_cell(number(count)));
    all += count;
  }
  rows += row("all", cell("") + count_cell(number(all)), true);
  return section("Left out",
                 "<p>" + number(report.cells.all()) + " pairs and " + number(all) +
                     " left out make " + std::to_string(report.rows.size()) +
                     " turn ends. Unreadable lines: " + std::to_string(report.log.bad) +
                     ", dropped when written: " + number(report.log.dropped) +
                     ". Never seen: turns ended by Esc, an API error, a question dialog.</p>\n" +
                     table({"reason", "what it means", "#turn ends"}, rows));
}

Text masthead(const Report& report) {
  Text paths;
  for (const auto& path : report.log.paths) {
    paths += (paths.empty() ? "" : ", ") + escape(shown_path(report, path));
  }
  return "<header>\n<p class=\"brand\">robot-council stops</p>\n<h1>Would it have been right to go "
         "on?</h1>\n<p>Each time an agent stopped, a judge read its closing message and a set of "
         "rules said continue or leave. Nothing was continued. Here is what you wrote "
         "next.</p>\n<ul class=\"facts\"><li><b>" +
         base::utc_date(report.from_ms) + "</b> to <b>" + base::utc_date(report.to_ms) +
         "</b></li><li><b>" + std::to_string(report.rows.size()) + "</b> turn ends</li><li><b>" +
         number(report.cells.all()) + "</b> with a next prompt</li><li><b>" +
         std::to_string(report.sessions) + "</b> sessions</li><li><b>" +
         std::to_string(report.projects) + "</b> projects</li><li class=\"path\">" + paths +
         "</li></ul>\n</header>\n";
}

Text body(const Report& report, std::int64_t now_ms) {
  if (report.rows.empty()) {
    return "<header><p class=\"brand\">robot-council stops</p><h1>No turn ends "
           "recorded</h1><p>There "
           "is nothing in this range, or recording has not begun.</p></header>\n";
  }
  Text text = masthead(report);
  for (const Group& group : report.groups) {
    text += group_section(group, report.groups.size() == 1);
  }
  if (report.cells.all() > 0) {
    text +=
        week_section(report) + gap_section(report) + word_section(report) + project_section(report);
  } else {
    text += section("What you wrote where it stopped",
                    "<p class=\"few\"><strong>No pairs: too few to read.</strong></p>\n");
  }
  return text + fleet_section(report) + left_out_section(report) +
         "<footer><p>The label is a fixed pattern over your words (" + Text(kLabelName) + "-" +
         std::to_string(kLabelVersion) +
         "), not a reading of them: <code>robot-council stops --show-pattern</code>. Intervals are "
         "Wilson's, 95 %.</p><p>Made " +
         base::iso_zulu(now_ms) + " by robot-council " + escape(base::version()) +
         ".</p></footer>\n";
}

}  // namespace

std::string report_html(const Report& report, std::int64_t now_ms) {
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
         "<meta name=\"referrer\" content=\"no-referrer\">\n"
         "<title>Stops " +
         base::utc_date(report.from_ms) + " to " + base::utc_date(report.to_ms) +
         "</title>\n<style>" + Text(kPageStyle) +
         "</style>\n</head>\n<body>\n<div class=\"page\">\n" + body(report, now_ms) +
         "</div>\n</body>\n</html>\n";
}

}  // namespace robot_council::stops
