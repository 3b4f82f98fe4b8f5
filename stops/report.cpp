#include "stops/report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/paths.hpp"
#include "base/time_text.hpp"
#include "stops/deliveries.hpp"
#include "stops/limits.hpp"

namespace robot_council::stops {
namespace {

constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;
constexpr auto kBins =
    std::to_array<std::int64_t>({10 * kSecond, 30 * kSecond, kMinute, 2 * kMinute, 5 * kMinute,
                                 15 * kMinute, kHour, 4 * kHour, 24 * kHour});

class Builder {
 public:
  Builder(const ReportQuery& query, const base::Context& context)
      : query_(query), context_(context) {}

  base::Result<Report> build() {
    auto log = read_stop_log(query_.log);
    if (!log) {
      return log.error();
    }
    report_.log = std::move(*log);
    report_.home = base::home_directory(context_.environment);
    find_deliveries(report_.log.stops, context_.environment, context_.clock.wall_ms());
    pair_all();
    count_all();
    return std::move(report_);
  }

 private:
  [[nodiscard]] bool in_range(const Stop& stop) const {
    return (!query_.log.since_ms || stop.ts_ms >= *query_.log.since_ms) &&
           (!query_.until_ms || stop.ts_ms <= *query_.until_ms);
  }

  // One session after the other, so that only one transcript is held.
  void pair_all() {
    std::unordered_map<const std::string*, std::vector<const Stop*>> sessions;
    for (const Stop& stop : report_.log.stops) {
      sessions[stop.session_id].push_back(&stop);
    }
    for (const auto& [id, stops] : sessions) {
      pair_one(*id, stops);
    }
    std::sort(report_.rows.begin(), report_.rows.end(), [](const Row& a, const Row& b) {
      return std::pair(a.stop->ts_ms, a.stop) < std::pair(b.stop->ts_ms, b.stop);
    });
  }

  void pair_one(const std::string& session_id, const std::vector<const Stop*>& stops) {
    std::optional<std::string> logged;
    bool needed = false;
    for (const Stop* stop : stops) {
      if (stop->transcript_path != nullptr) {
        logged = *stop->transcript_path;
      }
      needed = needed || (in_range(*stop) && left_out_by_log(*stop).empty());
    }
    std::optional<Transcript> transcript;
    if (needed) {
      if (const auto path = find_transcript(query_.roots, logged, session_id)) {
        if (auto read = read_transcript(*path, session_id, query_.text)) {
          transcript = std::move(*read);
          report_.skipped_lines += transcript->too_long + transcript->unreadable;
        }
      }
    }
    auto matches = pair_session(stops, transcript ? &*transcript : nullptr, query_.max_gap);
    for (std::size_t i = 0; i < stops.size(); ++i) {
      if (in_range(*stops[i])) {
        Row row;
        row.stop = stops[i];
        row.verdict = stops[i]->verdict;
        row.reason = stops[i]->reason;
        if (query_.policy && stops[i]->outcome == Outcome::judged) {
          Decision decision = rescore(stops[i]->answers, *query_.policy);
          row.verdict = decision.verdict;
          row.reason = std::move(decision.reason);
        }
        row.match = std::move(matches[i]);
        report_.rows.push_back(std::move(row));
      }
    }
  }

  void count_all() {
    std::set<const std::string*> sessions;
    std::set<const std::string*> projects;
    std::map<std::string, std::int64_t> words;
    std::map<std::string, Cells> weeks;
    for (const Row& row : report_.rows) {
      sessions.insert(row.stop->session_id);
      if (row.stop->project != nullptr) {
        projects.insert(row.stop->project);
      }
      count_fleet(*row.stop);
      if (!row.paired()) {
        ++report_.left_out[std::string(row.match.left_out)];
        continue;
      }
      const bool goahead = row.match.next->goahead;
      report_.cells.add(row.verdict, goahead);
      ++(row.match.anchor == Match::Anchor::prompt_id ? report_.by_prompt_id : report_.by_time);
      report_.gaps_ms.push_back(row.gap_ms());
      weeks[iso_week(row.stop->ts_ms)].add(row.verdict, goahead);
      if (goahead) {
        ++words[row.match.next->normal];
      }
      count_group(row);
    }
    report_.sessions = sessions.size();
    report_.projects = projects.size();
    finish(words, weeks);
  }

  void count_fleet(const Stop& stop) {
    switch (waited(stop)) {
      case Waited::quiet:
        ++report_.fleet.quiet;
        break;
      case Waited::handed_over:
        ++report_.fleet.handed_over;
        break;
      case Waited::not_handed_over:
        ++report_.fleet.not_handed_over;
        break;
      case Waited::unknown:
        break;
    }
  }

  void count_group(const Row& row) {
    const Stop& stop = *row.stop;
    auto group =
        std::find_if(report_.groups.begin(), report_.groups.end(), [&stop](const Group& candidate) {
          return candidate.questions == stop.questions && candidate.model == stop.model &&
                 candidate.p_kind == stop.p_kind;
        });
    if (group == report_.groups.end()) {
      group = report_.groups.insert(group, Group());
      group->questions = stop.questions;
      group->model = stop.model;
      group->p_kind = stop.p_kind;
      group->rules = stop.rules;
    }
    const std::string* rules = stop.rules;
    if (query_.policy) {
      rules = &*report_.log.names.insert(query_.policy->fingerprints.rules).first;
      group->rules = rules;
      if (text_or(stop.questions, "") != query_.policy->fingerprints.questions) {
        ++report_.other_questions;
      }
    }
    group->more_rules = group->more_rules || group->rules != rules;
    group->rules = rules;
    group->judge = stop.judge;
    group->endpoint = stop.endpoint;
    group->cells.add(row.verdict, row.match.next->goahead);
    group->gaps_ms.push_back(row.gap_ms());
  }

  void finish(const std::map<std::string, std::int64_t>& words,
              const std::map<std::string, Cells>& weeks) {
    if (!report_.rows.empty()) {
      report_.from_ms = query_.log.since_ms.value_or(report_.rows.front().stop->ts_ms);
      report_.to_ms = query_.until_ms.value_or(report_.rows.back().stop->ts_ms);
    }
    std::sort(report_.gaps_ms.begin(), report_.gaps_ms.end());
    for (Group& group : report_.groups) {
      std::sort(group.gaps_ms.begin(), group.gaps_ms.end());
    }
    std::stable_sort(report_.groups.begin(), report_.groups.end(),
                     [](const Group& a, const Group& b) { return a.cells.all() > b.cells.all(); });
    fill_histogram();
    fill_weeks(weeks);
    for (const auto& [text, count] : words) {
      report_.words.push_back({text, count});
    }
    std::stable_sort(report_.words.begin(), report_.words.end(),
                     [](const Counted& a, const Counted& b) { return a.count > b.count; });
    report_.words.resize(std::min(report_.words.size(), kShownGoaheads));
    report_.per_project = cells_by(report_, By::project);
  }

  void fill_histogram() {
    for (const std::int64_t bin : kBins) {
      report_.histogram.push_back({bin, 0});
    }
    report_.histogram.push_back({std::nullopt, 0});
    for (const std::int64_t gap : report_.gaps_ms) {
      const auto bin = std::lower_bound(kBins.begin(), kBins.end(), gap);
      ++report_.histogram[static_cast<std::size_t>(bin - kBins.begin())].pairs;
    }
  }

  // A week without pairs is a row too: a line through it would claim something.
  void fill_weeks(const std::map<std::string, Cells>& weeks) {
    if (weeks.empty()) {
      return;
    }
    const std::string last = weeks.rbegin()->first;
    for (const Row& row : report_.rows) {
      if (row.paired()) {
        std::int64_t ms = row.stop->ts_ms;
        for (std::string week = iso_week(ms); week <= last; ms += 7 * kDay, week = iso_week(ms)) {
          const auto found = weeks.find(week);
          report_.weeks.push_back({week, found == weeks.end() ? Cells() : found->second});
        }
        return;
      }
    }
  }

  const ReportQuery& query_;
  const base::Context& context_;
  Report report_;
};

}  // namespace

void Cells::add(Verdict verdict, bool goahead) {
  if (verdict == Verdict::carry_on) {
    ++(goahead ? continue_goahead : continue_other);
  } else {
    ++(goahead ? leave_goahead : leave_other);
  }
}

Waited waited(const Stop& stop) {
  if (stop.delivered.value_or(false)) {
    return Waited::handed_over;
  }
  if (!stop.waiting) {
    return Waited::unknown;
  }
  return *stop.waiting > 0 ? Waited::not_handed_over : Waited::quiet;
}

base::Result<Report> make_report(const ReportQuery& query, const base::Context& context) {
  return Builder(query, context).build();
}

std::vector<NamedCells> cells_by(const Report& report, By by) {
  std::map<std::string, Cells> cells;
  for (const Row& row : report.rows) {
    if (row.paired()) {
      const std::string* name = by == By::project ? row.stop->project
                                : by == By::judge ? row.stop->judge
                                                  : row.stop->host;
      cells[text_or(name, "none")].add(row.verdict, row.match.next->goahead);
    }
  }
  std::vector<NamedCells> list;
  list.reserve(cells.size());
  for (const auto& [name, count] : cells) {
    list.push_back({name, count});
  }
  std::stable_sort(list.begin(), list.end(), [](const NamedCells& a, const NamedCells& b) {
    return a.cells.all() > b.cells.all();
  });
  return list;
}

std::optional<std::int64_t> quantile(const std::vector<std::int64_t>& sorted, double share) {
  if (sorted.empty()) {
    return std::nullopt;
  }
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp(rank, std::size_t{1}, sorted.size()) - 1];
}

std::string iso_week(std::int64_t ms) {
  // The week belongs to the year of its Thursday. 1970-01-01 was one.
  constexpr std::int64_t kDaysBeforeThursday = 3;
  const std::int64_t day = ms / kDay - (ms % kDay < 0 ? 1 : 0);
  const std::int64_t weekday = ((day + kDaysBeforeThursday) % 7 + 7) % 7;  // Monday is 0
  const std::int64_t thursday = (day - weekday + kDaysBeforeThursday) * kDay;
  const std::string year = base::utc_date(thursday).substr(0, 4);
  const std::int64_t first = base::parse_iso(year + "-01-01T00:00:00Z").value_or(0);
  const std::string week = std::to_string((thursday - first) / kDay / 7 + 1);
  return year + "-W" + (week.size() < 2 ? "0" : "") + week;
}

std::string duration_text(std::int64_t ms) {
  const auto two = [ms](std::int64_t unit, const char* large, std::int64_t part,
                        const char* small) {
    const std::string rest = ms % unit / part == 0
                                 ? std::string()
                                 : " " + std::to_string(ms % unit / part) + " " + small;
    return std::to_string(ms / unit) + " " + large + rest;
  };
  if (ms < kMinute) {
    return std::to_string(std::max<std::int64_t>(ms, 0) / kSecond) + " s";
  }
  if (ms < kHour) {
    return two(kMinute, "m", kSecond, "s");
  }
  return ms <= kDay ? two(kHour, "h", kMinute, "m") : two(kDay, "d", kHour, "h");
}

std::string judge_words(const Group& group) {
  std::string text = text_or(group.judge, "unknown");
  if (group.model != nullptr) {
    text += " " + *group.model;
  }
  if (group.endpoint != nullptr) {
    return text + ", sent to " + *group.endpoint;
  }
  return text +
         (text_or(group.judge, "") == "command" ? ", handed to a command" : ", nothing sent");
}

std::string short_print(const std::string* fingerprint) {
  constexpr std::size_t kShownDigits = 4;
  return fingerprint == nullptr ? "none" : fingerprint->substr(0, kShownDigits);
}

std::string shown_path(const Report& report, const std::string& path) {
  const std::string head = report.home + "/";
  return head.size() > 1 && path.compare(0, head.size(), head) == 0
             ? "~/" + path.substr(head.size())
             : path;
}

std::string text_or(const std::string* name, std::string_view other) {
  return name == nullptr ? std::string(other) : *name;
}

}  // namespace robot_council::stops
