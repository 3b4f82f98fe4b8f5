#include "stops/policy.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace robot_council::stops {
namespace {

constexpr std::array<std::pair<Reason::Kind, std::string_view>, 4> kReasons = {{
    {Reason::Kind::rule, "rule"},
    {Reason::Kind::unanswered, "unanswered"},
    {Reason::Kind::default_rule, "default"},
    {Reason::Kind::none, "none"},
}};

// The question whose answer the rule holds for; nothing: the rule does not match.
const Question* matching_question(const Rule& rule, const Answers& answers, const Policy& policy) {
  for (const Question& question : policy.questions) {
    if (*rule.question != kAnyQuestion && *rule.question != question.name) {
      continue;
    }
    const auto answer = answers.find(question.name);
    if (answer != answers.end() && rule.range.holds(answer->second)) {
      return &question;
    }
  }
  return nullptr;
}

std::vector<std::string> unanswered(const Answers& answers, const Policy& policy) {
  std::vector<std::string> missing;
  for (const Question& question : policy.questions) {
    if (answers.find(question.name) == answers.end()) {
      missing.push_back(question.name);
    }
  }
  return missing;
}

}  // namespace

std::string_view verdict_text(Verdict verdict) {
  return verdict == Verdict::carry_on ? "continue" : "leave";
}

std::optional<Verdict> verdict_from(std::string_view text) {
  if (text == "continue") {
    return Verdict::carry_on;
  }
  return text == "leave" ? std::optional(Verdict::leave) : std::nullopt;
}

std::string_view reason_name(Reason::Kind kind) {
  for (const auto& [value, name] : kReasons) {
    if (value == kind) {
      return name;
    }
  }
  return "";
}

std::optional<Reason::Kind> reason_from(std::string_view name) {
  for (const auto& [value, known] : kReasons) {
    if (known == name) {
      return value;
    }
  }
  return std::nullopt;
}

bool Range::holds(double p) const {
  const bool above = low_open ? p > low : p >= low;
  const bool below = high_open ? p < high : p <= high;
  return above && below;
}

Decision rescore(const Answers& answers, const Policy& policy) {
  for (std::size_t i = 0; i < policy.rules.size(); ++i) {
    const Rule& rule = policy.rules[i];
    Reason reason;
    reason.rule = i + 1;
    if (rule.question) {
      const Question* question = matching_question(rule, answers, policy);
      if (question == nullptr) {
        continue;
      }
      reason.kind = Reason::Kind::rule;
      reason.question = question->name;
      reason.p = answers.at(question->name);
    } else {
      reason.kind = Reason::Kind::default_rule;
    }
    if (rule.then == Verdict::carry_on) {
      reason.missing = unanswered(answers, policy);
      if (!reason.missing.empty()) {
        reason.kind = Reason::Kind::unanswered;
        return {Verdict::leave, reason};
      }
    }
    return {rule.then, reason};
  }
  return {};
}

}  // namespace robot_council::stops
