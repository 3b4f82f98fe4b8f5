#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.hpp"

namespace robot_council::harness {

// A sign in the environment that the caller is an agent, not a person.
struct BrakeMarker {
  std::string name;    // of the variable or file that was seen
  std::string client;  // its brake id; "" for none of the 14, who is in every scope
};

enum class DevinMachine : std::uint8_t { yes, no };

// All strong markers, best known first: an agent may have been started by another. Named variables
// (never a prefix), AI_AGENT by value, the file /opt/.devin (the caller looks), and the names in
// `extra`, which count when not empty. Variables that persons have too are no markers. Source
// wiki/Brake.md, "who is an agent".
[[nodiscard]] std::vector<BrakeMarker> find_brake_markers(const base::Environment& environment,
                                                          std::span<const std::string> extra,
                                                          DevinMachine devin);

// What ROBOT_COUNCIL_AGENT_COMMIT says to the git hooks, before every marker.
enum class CommitBy : std::uint8_t { unsaid, person, agent };
[[nodiscard]] CommitBy commit_by(const base::Environment& environment);

// Programs that are agents: process names, or base names of the first arguments.
[[nodiscard]] bool is_agent_program(std::string_view name);

// The file that marks a Devin machine.
inline constexpr std::string_view kDevinFile = "/opt/.devin";

}  // namespace robot_council::harness
