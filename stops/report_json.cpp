#include <string>

#include "base/json_value.hpp"
#include "base/time_text.hpp"
#include "stops/interval.hpp"
#include "stops/label.hpp"
#include "stops/limits.hpp"
#include "stops/redact.hpp"
#include "stops/report_print.hpp"

namespace robot_council::stops {
namespace {

using Json = base::OrderedJson;

Json or_null(const std::string* text) {
  return text == nullptr ? Json() : Json(*text);
}
Json or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}
template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json cells_json(const Cells& cells) {
  return {{"continue", {{"goahead", cells.continue_goahead}, {"other", cells.continue_other}}},
          {"leave", {{"goahead", cells.leave_goahead}, {"other", cells.leave_other}}}};
}

Json rate_json(const std::optional<Share>& share, bool enough) {
  return share && enough ? Json(share->rate) : Json();
}

Json interval_json(const std::optional<Share>& share, bool enough) {
  return share && enough ? Json::array({share->low, share->high}) : Json();
}

Json rates_json(const Cells& cells) {
  const bool enough = cells.all() >= kFewPairs;
  const auto precision = share_of(cells.continue_goahead, cells.continued());
  const auto recall = share_of(cells.continue_goahead, cells.goaheads());
  return {{"continue_precision", rate_json(precision, enough)},
          {"goahead_recall", rate_json(recall, enough)},
          {"wilson95",
           {{"continue_precision", interval_json(precision, enough)},
            {"goahead_recall", interval_json(recall, enough)}}}};
}

Json groups_json(const Report& report) {
  Json groups = Json::array();
  for (const Group& group : report.groups) {
    groups.push_back({{"questions", or_null(group.questions)},
                      {"rules", or_null(group.rules)},
                      {"judge", or_null(group.judge)},
                      {"model", or_null(group.model)},
                      {"p_kind", group.p_kind ? Json(p_kind_name(*group.p_kind)) : Json()},
                      {"cells", cells_json(group.cells)}});
  }
  return groups;
}

Json gaps_json(const Report& report) {
  Json histogram = Json::array();
  for (const Gap& gap : report.histogram) {
    histogram.push_back({{"to_ms", or_null(gap.to_ms)}, {"pairs", gap.pairs}});
  }
  return {{"p50", or_null(quantile(report.gaps_ms, 0.5))},
          {"p90", or_null(quantile(report.gaps_ms, 0.9))},
          {"histogram", std::move(histogram)}};
}

Json named_json(const std::vector<NamedCells>& list, const char* key) {
  Json rows = Json::array();
  for (const auto& [name, cells] : list) {
    rows.push_back({{key, name}, {"pairs", cells.all()}, {"cells", cells_json(cells)}});
  }
  return rows;
}

Json reason_json(const Reason& reason) {
  Json json = {{"kind", reason_name(reason.kind)}};
  if (reason.rule) {
    json["rule"] = *reason.rule;
  }
  if (reason.question) {
    json["question"] = *reason.question;
  }
  if (reason.p) {
    json["p"] = *reason.p;
  }
  if (!reason.missing.empty()) {
    json["missing"] = reason.missing;
  }
  return json;
}

Json pair_json(const Row& row, KeepText text) {
  const Stop& stop = *row.stop;
  const Prompt& next = *row.match.next;
  Json answers = Json::object();
  for (const auto& [name, p] : stop.answers) {
    answers[name] = p;
  }
  Json json = {{"ts", base::iso_zulu_ms(stop.ts_ms)},
               {"session_id", *stop.session_id},
               {"prompt_id", or_null(stop.prompt_id)},
               {"verdict", verdict_text(row.verdict)},
               {"reason", reason_json(row.reason)},
               {"answers", std::move(answers)},
               {"goahead", next.goahead},
               {"gap_ms", row.gap_ms()},
               {"waiting", or_null(stop.waiting)},
               {"delivered", or_null(stop.delivered)},
               {"next",
                {{"promptId", or_null(next.prompt_id)},
                 {"submit_ts", base::iso_zulu_ms(next.submit_ms)},
                 {"kind", prompt_kind_name(next.kind)},
                 {"chars", next.chars}}}};
  if (text == KeepText::yes) {
    json["next"]["text"] = redact(next.text).text;
  }
  return json;
}

}  // namespace

std::string report_json(const Report& report, KeepText text) {
  const bool any = !report.rows.empty();
  Json words = Json::array();
  for (const auto& [word, count] : report.words) {
    words.push_back({{"text", word}, {"count", count}});
  }
  Json pairs = Json::array();
  for (const Row& row : report.rows) {
    if (row.paired()) {
      pairs.push_back(pair_json(row, text));
    }
  }
  Json json = {{"v", 1},
               {"range",
                {{"from", any ? Json(base::iso_zulu_ms(report.from_ms)) : Json()},
                 {"to", any ? Json(base::iso_zulu_ms(report.to_ms)) : Json()}}},
               {"log",
                {{"paths", report.log.paths},
                 {"lines", report.rows.size()},
                 {"bad", report.log.bad},
                 {"dropped", report.log.dropped}}},
               {"label", {{"name", kLabelName}, {"version", kLabelVersion}}},
               {"cells", cells_json(report.cells)},
               {"rates", rates_json(report.cells)},
               {"left_out", report.left_out.empty() ? Json::object() : Json(report.left_out)},
               {"anchors", {{"prompt_id", report.by_prompt_id}, {"time", report.by_time}}},
               {"gap_ms", gaps_json(report)},
               {"groups", groups_json(report)},
               {"weeks", named_json(report.weeks, "week")},
               {"words", std::move(words)},
               {"projects", named_json(report.per_project, "project")},
               {"fleet",
                {{"known", report.fleet.known()},
                 {"quiet", report.fleet.quiet},
                 {"handed_over", report.fleet.handed_over},
                 {"not_handed_over", report.fleet.not_handed_over}}},
               {"pairs", std::move(pairs)}};
  return base::dump_safe(json) + "\n";
}

}  // namespace robot_council::stops
