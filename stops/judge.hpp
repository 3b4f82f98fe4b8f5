#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.hpp"

namespace robot_council::stops {

// One question of a policy.
struct Question {
  std::string name;
  std::string instructions;  // UTF-8
  std::map<std::string, std::string>
      criteria;  // "true", "false" -> what counts as it; may be empty
  friend bool operator==(const Question&, const Question&) = default;
};

// What a judge is asked. Nothing else ever leaves: no path, id or prompt.
struct Request {
  std::vector<Question> questions;
  std::string state;  // JSON text: {"closing_message":"..","cut":false}, redacted
};

// What the numbers mean: of fixed phrases (0, 0.5, 1), a probability, or a yes and no (0, 1).
enum class PKind : std::uint8_t { phrase, probability, boolean };
[[nodiscard]] std::string_view p_kind_name(PKind kind);
[[nodiscard]] std::optional<PKind> p_kind_from(std::string_view name);

// Question name -> 0..1. A question without an answer has no entry.
using Answers = std::map<std::string, double>;

struct Reply {
  Answers answers;
  std::string model;  // what answered, as it names itself
  PKind p_kind = PKind::probability;
};

enum class JudgeErrorKind : std::uint8_t {
  auth,                // no key, or refused (401, 403)
  invalid_request,     // settings that cannot work; 400, 404, 422, 501
  rate_limited,        // 429
  unavailable,         // no connection, 302, 5xx, a program that is missing or fails
  timeout,             // no answer in time
  malformed_response,  // an answer that is none
};
[[nodiscard]] std::string_view judge_error_name(JudgeErrorKind kind);
[[nodiscard]] std::optional<JudgeErrorKind> judge_error_from(std::string_view name);

// `message` is one line for a person and never holds a key, a URL's query or the message judged.
struct JudgeError {
  JudgeErrorKind kind = JudgeErrorKind::unavailable;
  std::string message;
};

using JudgeResult = std::variant<Reply, JudgeError>;

enum class JudgeName : std::uint8_t { local, systemone, anthropic, openai, ollama, command, mock };
[[nodiscard]] std::string_view judge_text(JudgeName name);
[[nodiscard]] std::optional<JudgeName> judge_from(std::string_view text);
// Asked over a socket by the network executable.
[[nodiscard]] bool is_net_judge(JudgeName name);
// The text leaves this process: a net judge or a command.
[[nodiscard]] bool sends(JudgeName name);

// How one judge is reached: from the environment, else the user's own judges.yaml.
struct JudgeSettings {
  JudgeName name = JudgeName::local;
  std::string url;
  std::string model;
  std::string key;
  std::string mode;                            // openai: "reasoning" or ""
  std::map<std::string, std::string> headers;  // sent besides the judge's own
  std::vector<std::string> command;            // argument vector
};

}  // namespace robot_council::stops
