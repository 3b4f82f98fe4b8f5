#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "stops/judge.hpp"
#include "stops/policy.hpp"

namespace robot_council::stops {

enum class Outcome : std::uint8_t { judged, skipped, error, policy_error };
[[nodiscard]] std::string_view outcome_name(Outcome outcome);
[[nodiscard]] std::optional<Outcome> outcome_from(std::string_view name);

// One line of stops.jsonl: one turn end. Times in ms since 1970 or milliseconds.
struct LogLine {
  std::int64_t ts_ms = 0;
  std::string host;  // claude, codex, gemini
  std::string session_id;
  std::optional<std::string> prompt_id;
  std::optional<std::string> turn_id;
  std::optional<std::string> transcript_path;
  std::optional<std::string> cwd;
  std::optional<std::string> project;  // the repository's root, else cwd
  std::optional<std::string> permission_mode;
  bool stop_hook_active = false;
  Outcome outcome = Outcome::judged;
  std::optional<std::string> skip;  // why no judge was asked
  struct Background {
    std::int64_t tasks = 0;
    std::int64_t crons = 0;
    std::vector<std::string> types;
  } background;
  std::optional<std::string> seat;      // key of the seat; nothing: no seat known
  std::optional<std::int64_t> waiting;  // events that waited for this session; nothing: unknown
  std::optional<Verdict> verdict;       // judged lines only, with reason, answers and state
  std::optional<Reason> reason;
  Answers answers;
  std::optional<PKind> p_kind;
  std::optional<std::string> state;
  std::vector<std::string> redacted_kinds;  // by first appearance
  std::int64_t message_chars = 0;           // code points of the closing message
  std::int64_t sent_chars = 0;              // of its redacted end
  bool truncated = false;
  std::optional<std::string> judge;
  std::optional<std::string> endpoint;  // host only
  std::optional<std::string> model;
  struct PolicyName {
    std::string path;
    std::optional<std::string> file;  // fingerprints; nothing: the file could not be read
    std::optional<std::string> questions;
    std::optional<std::string> rules;
  };
  std::optional<PolicyName> policy;
  std::int64_t latency_total_ms = 0;
  std::optional<std::int64_t> latency_judge_ms;
  struct Failure {
    std::string kind;
    std::string message;
  };
  std::optional<Failure> error;
};

// One line of JSON without its line break, valid UTF-8. Does not redact.
[[nodiscard]] std::string to_json(const LogLine& line);
// Unknown keys are ignored, missing ones keep their defaults. invalid: no JSON object, no time, no
// session, an unknown outcome, or another version than 1.
[[nodiscard]] base::Result<LogLine> from_json(std::string_view text);

}  // namespace robot_council::stops
