#include "stops/report_command.hpp"

#include <utility>

#include "base/atomic_file.hpp"
#include "base/files.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "stops/files.hpp"
#include "stops/label.hpp"
#include "stops/policy.hpp"
#include "stops/report_print.hpp"

namespace robot_council::stops {
namespace {

using base::Errc;
using base::Error;

constexpr std::int64_t kDayMs = 86400000;
constexpr std::int64_t kDayHours = 24;
constexpr std::int64_t kWeekHours = 7 * kDayHours;

Error bad_value(std::string_view flag, const std::string& value, std::string_view wanted) {
  return Error{Errc::invalid, std::string(flag) + " takes " + std::string(wanted) + ", not \"" +
                                  base::for_display(value) + "\""};
}

base::Status read_times(const ReportFlags& flags, std::int64_t now_ms, ReportQuery& query) {
  constexpr std::string_view kMoment = "30d, 12h or a date (2026-11-30)";
  if (flags.since) {
    query.log.since_ms = parse_moment(*flags.since, now_ms, Edge::start);
    if (!query.log.since_ms) {
      return bad_value("--since", *flags.since, kMoment);
    }
  }
  if (flags.until) {
    query.until_ms = parse_moment(*flags.until, now_ms, Edge::end);
    if (!query.until_ms) {
      return bad_value("--until", *flags.until, kMoment);
    }
  }
  if (flags.max_gap && *flags.max_gap != "off") {
    query.max_gap = parse_duration(*flags.max_gap);
    if (!query.max_gap) {
      return bad_value("--max-gap", *flags.max_gap, "off, 90s, 30m, 12h or 2d");
    }
  }
  return {};
}

base::Status read_policy(const ReportFlags& flags, ReportQuery& query) {
  if (!flags.policy) {
    return {};
  }
  auto policy = read_policy_file(*flags.policy);
  if (!policy) {
    return Error{Errc::invalid,
                 "cannot use the policy " + *flags.policy + ": " + policy.error().what};
  }
  if (policy->questions.empty()) {
    return Error{Errc::invalid, "the policy " + *flags.policy + " has no questions to score"};
  }
  query.policy = std::move(*policy);
  return {};
}

base::Result<std::optional<By>> read_by(const ReportFlags& flags) {
  if (!flags.by) {
    return std::optional<By>();
  }
  if (*flags.by == "project") {
    return std::optional(By::project);
  }
  if (*flags.by == "judge") {
    return std::optional(By::judge);
  }
  if (*flags.by == "host") {
    return std::optional(By::host);
  }
  return bad_value("--by", *flags.by, "project, judge or host");
}

TranscriptRoots roots_of(const ReportFlags& flags, const base::Environment& environment) {
  const auto config = environment.nonblank("CLAUDE_CONFIG_DIR");
  return {(config ? *config : base::home_directory(environment) + "/.claude") + "/projects",
          flags.projects};
}

base::Result<std::string> write_page(const Report& report, const std::string& path,
                                     std::int64_t now_ms) {
  auto written = base::replace_file(path, report_html(report, now_ms), base::Sync::no);
  if (!written) {
    return Error{written.error().code,
                 "cannot write the page " + path + ": " + written.error().what};
  }
  return "Wrote " + path + ": " + std::to_string(report.cells.all()) + " pairs of " +
         std::to_string(report.rows.size()) + " turn ends.\n";
}

base::Result<std::string> answer_of(const ReportFlags& flags, const Report& report,
                                    std::optional<By> by, std::int64_t now_ms) {
  const auto keep = flags.with_text == ReportFlags::Text::yes ? KeepText::yes : KeepText::no;
  std::string page;
  if (flags.html) {
    auto written = write_page(report, *flags.html, now_ms);
    if (!written) {
      return written.error();
    }
    page = *written;
  }
  if (flags.list) {
    auto list = list_text(report, *flags.list, keep);
    if (!list) {
      return bad_value(
          "--list", *flags.list,
          "continue/goahead, continue/other, leave/goahead, leave/other, waiting, or a "
          "reason of the report");
    }
    return std::move(*list);
  }
  if (flags.shape == ReportFlags::Shape::json) {
    return report_json(report, keep);
  }
  return flags.html ? std::move(page) : report_text(report, by);
}

}  // namespace

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  constexpr std::int64_t kMost = 100000;  // of any unit
  if (text.size() < 2) {
    return std::nullopt;
  }
  const auto count = base::parse_digits(text.substr(0, text.size() - 1));
  if (!count || *count > kMost) {
    return std::nullopt;
  }
  switch (text.back()) {
    case 's':
      return std::chrono::seconds(*count);
    case 'm':
      return std::chrono::minutes(*count);
    case 'h':
      return std::chrono::hours(*count);
    case 'd':
      return std::chrono::hours(kDayHours * *count);
    case 'w':
      return std::chrono::hours(kWeekHours * *count);
    default:
      return std::nullopt;
  }
}

std::optional<std::int64_t> parse_moment(std::string_view text, std::int64_t now_ms, Edge edge) {
  if (const auto ago = parse_duration(text)) {
    return now_ms - ago->count();
  }
  if (const auto day = base::parse_iso(std::string(text) + "T00:00:00Z")) {
    return *day + (edge == Edge::end ? kDayMs - 1 : 0);
  }
  return base::parse_iso(text);
}

base::Result<std::string> run_report(const ReportFlags& flags, const base::Context& context) {
  if (flags.show_pattern == ReportFlags::Pattern::yes) {
    return pattern_text();
  }
  if (flags.list && flags.shape == ReportFlags::Shape::json) {
    return Error{Errc::invalid, "--list prints text; leave --json away, which holds every pair"};
  }
  const std::int64_t now_ms = context.clock.wall_ms();
  ReportQuery query;
  query.log.path = flags.log ? *flags.log : stop_files(context.environment).log();
  query.log.session_id = flags.session;
  query.roots = roots_of(flags, context.environment);
  query.text = flags.with_text == ReportFlags::Text::yes ? KeepText::yes : KeepText::no;
  auto by = read_by(flags);
  if (!by) {
    return by.error();
  }
  for (const auto& read : {read_times(flags, now_ms, query), read_policy(flags, query)}) {
    if (!read) {
      return read.error();
    }
  }
  if (flags.log) {
    // A log that was named must be there; the default one appears with the first turn end.
    if (auto info = base::file_info(*flags.log, base::Links::follow); !info) {
      return Error{info.error().code, "cannot read the stop log: " + info.error().what};
    }
  }
  auto report = make_report(query, context);
  if (!report) {
    return report.error();
  }
  return answer_of(flags, *report, *by, now_ms);
}

}  // namespace robot_council::stops
