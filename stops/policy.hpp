#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "stops/judge.hpp"
#include "stops/limits.hpp"

namespace robot_council::stops {

// What a policy would have done at a stop. It is only recorded: nothing ever continues an agent.
enum class Verdict : std::uint8_t { leave, carry_on };
// "leave", "continue".
[[nodiscard]] std::string_view verdict_text(Verdict verdict);
[[nodiscard]] std::optional<Verdict> verdict_from(std::string_view text);

// A condition on one answer. Both ends count unless they are open.
struct Range {
  double low = 0;
  double high = 1;
  bool low_open = false;
  bool high_open = false;
  [[nodiscard]] bool holds(double p) const;
};

// One rule: a condition on one question (or on any of them), or the default.
struct Rule {
  std::optional<std::string> question;  // nothing = `default`; "any" = any answer present
  Range range;
  std::string range_text;  // as written: ">=0.50"
  Verdict then = Verdict::leave;
};
inline constexpr std::string_view kAnyQuestion = "any";

struct Fingerprints {
  std::string file;       // of the file's bytes; 16 hex digits each (FNV-1a 64)
  std::string questions;  // of the questions as compact JSON, keys sorted
  std::string rules;      // of the rules, likewise
};

// One policy file, read and checked.
struct Policy {
  bool enabled = true;
  JudgeName judge = JudgeName::local;
  std::chrono::milliseconds timeout = kDefaultJudgeTime;
  std::vector<std::string> skip_permission_modes = {"plan"};
  bool judge_unattended = false;  // `unattended: judge`
  std::vector<std::string> ignore_background;
  std::size_t tail_chars = kDefaultTailChars;
  std::vector<Question> questions;  // in the file's order
  std::vector<Rule> rules;
  Fingerprints fingerprints;
  std::vector<std::string> warnings;  // one line each
};

// Reads a policy: YAML by its event stream, so that anchors, aliases, tags and duplicate keys are
// seen. Shape   at most kMaxPolicyBytes, kMaxPolicyDepth, kMaxQuestions, kMaxRules.
// Errors  invalid: `what` = "line N: why". With `enabled: false` nothing else is required.
// Keys that a policy does not have are warnings.
[[nodiscard]] base::Result<Policy> parse_policy(std::string_view bytes);
// The same for a file: regular (a link to one is followed). Errors also of reading.
[[nodiscard]] base::Result<Policy> read_policy_file(const std::string& path);

// Why the verdict.
struct Reason {
  enum class Kind : std::uint8_t { rule, unanswered, default_rule, none };
  Kind kind = Kind::none;
  std::optional<std::size_t> rule;      // counted from 1
  std::optional<std::string> question;  // rule, unanswered: the one that matched
  std::optional<double> p;
  std::vector<std::string> missing;  // unanswered: questions without an answer
};
// "rule", "unanswered", "default", "none".
[[nodiscard]] std::string_view reason_name(Reason::Kind kind);
[[nodiscard]] std::optional<Reason::Kind> reason_from(std::string_view name);

struct Decision {
  Verdict verdict = Verdict::leave;
  Reason reason;
};

// Applies the rules to logged or fresh answers: the first match wins; a rule without its answer is
// passed over; `continue` needs every answer, else leave (unanswered); no match is leave (none).
[[nodiscard]] Decision rescore(const Answers& answers, const Policy& policy);

}  // namespace robot_council::stops
