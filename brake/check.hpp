#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.hpp"
#include "brake/answer.hpp"
#include "brake/decision_log.hpp"
#include "brake/payload.hpp"

namespace robot_council::brake {

// The world around one check.
struct CheckPlace {
  const base::Environment& environment;
  std::vector<std::string> homes;  // find_homes()
  std::string directory;           // process_directory(); "" when it cannot be told
};

struct Checked {
  Answer answer;
  std::optional<RefusedCall> refused;  // for the decision log, after the answer is out
};

// Who really calls: several clients run the hook files of others, and each wants its own dialect.
// First match over the environment and the payload, else `id`.
[[nodiscard]] std::string find_caller(std::string_view id, const base::Environment& environment,
                                      const HookPayload& payload);

// A client's tool call: judged as the caller and as `id`, refused if either is reached, answered in
// the caller's dialect. Every failure of its own, an exception too, refuses in the dialect of `id`.
[[nodiscard]] Checked check_tool_call(const CheckPlace& place, const std::string& id,
                                      const HookPayload& payload) noexcept;

// A git hook. Without an agent's marker it lets everything through (a note on stderr when agents
// are stopped); with one whose client is in scope it refuses: exit 1. `event`: the hook's name.
[[nodiscard]] Checked check_git(const CheckPlace& place, const std::string& event) noexcept;

// What the watchdog says when a check takes kCheckWait: K in the dialect of `id`, or for git by the
// environment alone.
[[nodiscard]] Answer late_answer(const std::string& id);
[[nodiscard]] Answer late_git_answer(const base::Environment& environment);

}  // namespace robot_council::brake
