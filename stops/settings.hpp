#pragma once

#include <string>
#include <variant>

#include "base/environment.hpp"
#include "stops/judge.hpp"

namespace robot_council::stops {

struct UsableJudge {
  JudgeSettings settings;
  std::string endpoint;  // host of a net judge, else ""
};

// How a judge is reached, and whether it may be: ROBOT_COUNCIL_STOP_<JUDGE>_URL, _MODEL, _KEY,
// _KEY_FILE, _MODE and ROBOT_COUNCIL_STOP_COMMAND (a JSON array), each else from judges.yaml in the
// configuration folder. Keys of other programs (ANTHROPIC_API_KEY) are not looked at: they are no
// consent. Opens no connection.
// Errors  auth: no key where one is needed; invalid_request: no model, URL or command, http beyond
//         loopback, or a judges.yaml that others can read or that is broken.
[[nodiscard]] std::variant<UsableJudge, JudgeError> usable_judge(
    JudgeName name, const base::Environment& environment);

}  // namespace robot_council::stops
