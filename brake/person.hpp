#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/context.hpp"
#include "brake/repository.hpp"

namespace robot_council::brake {

// The world of a person's command.
struct PersonPlace {
  const base::Context& context;
  std::vector<std::string> homes;  // find_homes()
  std::optional<std::string>
      ancestor;  // agent_ancestor(): an agent's program that this process descends from
};

// How a command ended; the numbers are in cli/exit.hpp.
enum class Ended : unsigned char { ok, failed, usage, interrupted };

struct Outcome {
  Ended ended = Ended::ok;
  std::string out;  // for stdout, whole lines
};

// Agents may neither stop nor resume nor take hooks away. The first marker of an agent, nothing for
// a person.
[[nodiscard]] std::optional<std::string> agent_seen(const base::Environment& environment,
                                                    const std::vector<std::string>& main_checkouts);
// `only a person may do this (seen: NAME); use a terminal that no agent started`
[[nodiscard]] std::string person_only(const std::string& seen);

// `git config user.email` as run in `folder`, "" if unset or not told before the deadline.
[[nodiscard]] std::string person_email(const base::Context& context, const std::string& folder,
                                       base::SteadyTime deadline);

// The words of the --repo option: "resume", or "resume --repo '<folder>'" when the command is for
// another folder.
[[nodiscard]] std::string command_line(const std::string& command, const std::string& folder);

}  // namespace robot_council::brake
