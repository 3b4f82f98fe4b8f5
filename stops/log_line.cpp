#include "stops/log_line.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "base/json_value.hpp"
#include "base/time_text.hpp"
#include "stops/limits.hpp"

namespace robot_council::stops {
namespace {

constexpr std::int64_t kVersion = 1;

using Ordered = base::OrderedJson;

template <class T>
Ordered nullable(const std::optional<T>& value) {
  return value ? Ordered(*value) : Ordered(nullptr);
}

// 1 and 0 as integers: a log is read by people too.
Ordered number(double p) {
  return p == std::floor(p) ? Ordered(static_cast<std::int64_t>(p)) : Ordered(p);
}

Ordered reason_json(const Reason& reason) {
  Ordered json = {{"kind", reason_name(reason.kind)}};
  if (reason.rule) {
    json["rule"] = *reason.rule;
  }
  if (reason.question) {
    json["question"] = *reason.question;
  }
  if (reason.p) {
    json["p"] = number(*reason.p);
  }
  if (!reason.missing.empty()) {
    json["missing"] = reason.missing;
  }
  return json;
}

Ordered policy_json(const LogLine::PolicyName& policy) {
  return {{"path", policy.path},
          {"file", nullable(policy.file)},
          {"questions", nullable(policy.questions)},
          {"rules", nullable(policy.rules)}};
}

void add_judgement(Ordered& json, const LogLine& line) {
  const bool judged = line.outcome == Outcome::judged;
  Ordered answers = Ordered::object();
  for (const auto& [name, p] : line.answers) {
    answers[name] = number(p);
  }
  json["verdict"] =
      judged && line.verdict ? Ordered(verdict_text(*line.verdict)) : Ordered(nullptr);
  json["reason"] = judged && line.reason ? reason_json(*line.reason) : Ordered(nullptr);
  json["answers"] = judged ? answers : Ordered(nullptr);
  json["p_kind"] = line.p_kind ? Ordered(p_kind_name(*line.p_kind)) : Ordered(nullptr);
  json["state"] = judged ? nullable(line.state) : Ordered(nullptr);
}

std::vector<std::string> texts(const base::Json* array) {
  std::vector<std::string> all;
  if (array != nullptr) {
    for (const base::Json& item : *array) {
      if (item.is_string()) {
        all.push_back(item.get<std::string>());
      }
    }
  }
  return all;
}

std::optional<Reason> read_reason(const base::Json* json) {
  if (json == nullptr) {
    return std::nullopt;
  }
  const auto kind = reason_from(base::get_string(*json, "kind").value_or(""));
  if (!kind) {
    return std::nullopt;
  }
  Reason reason;
  reason.kind = *kind;
  if (const auto rule = base::get_integer(*json, "rule"); rule && *rule > 0) {
    reason.rule = static_cast<std::size_t>(*rule);
  }
  reason.question = base::get_string(*json, "question");
  reason.p = base::get_number(*json, "p");
  reason.missing = texts(base::get_array(*json, "missing"));
  return reason;
}

void read_judgement(const base::Json& json, LogLine& line) {
  line.verdict = verdict_from(base::get_string(json, "verdict").value_or(""));
  line.reason = read_reason(base::get_object(json, "reason"));
  if (const base::Json* answers = base::get_object(json, "answers")) {
    for (const auto& item : answers->items()) {
      const double p = item.value().is_number() ? item.value().get<double>() : -1;
      if (p >= 0 && p <= 1) {
        line.answers[item.key()] = p;
      }
    }
  }
  line.p_kind = p_kind_from(base::get_string(json, "p_kind").value_or(""));
  line.state = base::get_string(json, "state");
}

void read_parts(const base::Json& json, LogLine& line) {
  if (const base::Json* background = base::get_object(json, "background")) {
    line.background.tasks = base::get_integer(*background, "tasks").value_or(0);
    line.background.crons = base::get_integer(*background, "crons").value_or(0);
    line.background.types = texts(base::get_array(*background, "types"));
  }
  if (const base::Json* policy = base::get_object(json, "policy")) {
    line.policy = LogLine::PolicyName{
        base::get_string(*policy, "path").value_or(""), base::get_string(*policy, "file"),
        base::get_string(*policy, "questions"), base::get_string(*policy, "rules")};
  }
  if (const base::Json* latency = base::get_object(json, "latency_ms")) {
    line.latency_total_ms = base::get_integer(*latency, "total").value_or(0);
    line.latency_judge_ms = base::get_integer(*latency, "judge");
  }
  if (const base::Json* error = base::get_object(json, "error")) {
    line.error = LogLine::Failure{base::get_string(*error, "kind").value_or(""),
                                  base::get_string(*error, "message").value_or("")};
  }
}

constexpr std::array<std::pair<Outcome, std::string_view>, 4> kOutcomes = {{
    {Outcome::judged, "judged"},
    {Outcome::skipped, "skipped"},
    {Outcome::error, "error"},
    {Outcome::policy_error, "policy_error"},
}};

}  // namespace

std::string_view outcome_name(Outcome outcome) {
  for (const auto& [value, name] : kOutcomes) {
    if (value == outcome) {
      return name;
    }
  }
  return "";
}

std::optional<Outcome> outcome_from(std::string_view name) {
  for (const auto& [value, known] : kOutcomes) {
    if (known == name) {
      return value;
    }
  }
  return std::nullopt;
}

std::string to_json(const LogLine& line) {
  Ordered json = {{"v", kVersion},
                  {"ts", base::iso_zulu_ms(line.ts_ms)},
                  {"host", line.host},
                  {"session_id", line.session_id},
                  {"prompt_id", nullable(line.prompt_id)},
                  {"turn_id", nullable(line.turn_id)},
                  {"transcript_path", nullable(line.transcript_path)},
                  {"cwd", nullable(line.cwd)},
                  {"project", nullable(line.project)},
                  {"permission_mode", nullable(line.permission_mode)},
                  {"stop_hook_active", line.stop_hook_active},
                  {"outcome", outcome_name(line.outcome)},
                  {"skip", nullable(line.skip)},
                  {"background",
                   {{"tasks", line.background.tasks},
                    {"crons", line.background.crons},
                    {"types", line.background.types}}},
                  {"seat", nullable(line.seat)},
                  {"waiting", nullable(line.waiting)}};
  add_judgement(json, line);
  json["redacted_kinds"] = line.redacted_kinds;
  json["message_chars"] = line.message_chars;
  json["sent_chars"] = line.sent_chars;
  json["truncated"] = line.truncated;
  json["judge"] = nullable(line.judge);
  json["endpoint"] = nullable(line.endpoint);
  json["model"] = nullable(line.model);
  json["policy"] = line.policy ? policy_json(*line.policy) : Ordered(nullptr);
  json["latency_ms"] = {{"total", line.latency_total_ms},
                        {"judge", nullable(line.latency_judge_ms)}};
  json["error"] =
      line.error ? Ordered{{"kind", line.error->kind}, {"message", line.error->message}} : nullptr;
  return base::dump_safe(json);
}

base::Result<LogLine> from_json(std::string_view text) {
  const base::Result<base::Json> json = base::parse_bounded(text, kMaxLogLineBytes);
  if (!json.ok()) {
    return json.error();
  }
  const auto ts = base::parse_iso(base::get_string(*json, "ts").value_or(""));
  const auto session = base::get_string(*json, "session_id");
  const auto outcome = outcome_from(base::get_string(*json, "outcome").value_or(""));
  if (base::get_integer(*json, "v") != kVersion || !ts || !session || !outcome) {
    return base::Error{base::Errc::invalid, "no line of version 1"};
  }
  LogLine line;
  line.ts_ms = *ts;
  line.host = base::get_string(*json, "host").value_or("");
  line.session_id = *session;
  line.prompt_id = base::get_string(*json, "prompt_id");
  line.turn_id = base::get_string(*json, "turn_id");
  line.transcript_path = base::get_string(*json, "transcript_path");
  line.cwd = base::get_string(*json, "cwd");
  line.project = base::get_string(*json, "project");
  line.permission_mode = base::get_string(*json, "permission_mode");
  line.stop_hook_active = base::get_bool(*json, "stop_hook_active").value_or(false);
  line.outcome = *outcome;
  line.skip = base::get_string(*json, "skip");
  line.seat = base::get_string(*json, "seat");
  line.waiting = base::get_integer(*json, "waiting");
  line.redacted_kinds = texts(base::get_array(*json, "redacted_kinds"));
  line.message_chars = base::get_integer(*json, "message_chars").value_or(0);
  line.sent_chars = base::get_integer(*json, "sent_chars").value_or(0);
  line.truncated = base::get_bool(*json, "truncated").value_or(false);
  line.judge = base::get_string(*json, "judge");
  line.endpoint = base::get_string(*json, "endpoint");
  line.model = base::get_string(*json, "model");
  read_parts(*json, line);
  read_judgement(*json, line);
  return line;
}

}  // namespace robot_council::stops
