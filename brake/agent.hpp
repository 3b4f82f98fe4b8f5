#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/environment.hpp"
#include "harness/brake_marker.hpp"

namespace robot_council::brake {

// The names that "<main checkout>/.robot-council/agent-env" adds, one a line, "#" begins a comment.
// Names that are none are in `bad`. A missing or unreadable file adds nothing.
struct AgentEnv {
  std::vector<std::string> names;
  std::vector<std::string> bad;
};
[[nodiscard]] AgentEnv read_agent_env(const std::string& main_checkout);
[[nodiscard]] AgentEnv parse_agent_env(const std::string& text);

// The agent markers of this process, with those that the main checkouts' agent-env files add.
[[nodiscard]] std::vector<harness::BrakeMarker> agent_markers(
    const base::Environment& environment, const std::vector<std::string>& main_checkouts);

// Name of the nearest ancestor of this process that is an agent's program (its process name, or the
// base name of its first two arguments). Linux; elsewhere nothing is found.
[[nodiscard]] std::optional<std::string> agent_ancestor();

}  // namespace robot_council::brake
