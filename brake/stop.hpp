#pragma once

#include <optional>
#include <string>

#include "brake/person.hpp"
#include "brake/stop_file.hpp"

namespace robot_council::brake {

struct StopRequest {
  std::string repo = ".";
  std::optional<std::string> agent;   // --agent CLIENT
  std::optional<std::string> reason;  // --reason TEXT
  bool everywhere = false;
};

// `robot-council stop`: needs no terminal. Writes the home copies, then the repository copy (or the
// machine's), each re-read; the scope is the union with what is already there, a copy that cannot
// be read counts as all. Prints only after all that. failed: the caller is an agent (nothing
// written), or a copy could not be written (the stop is on through the others). usage: unknown
// client, no directory, --everywhere with --agent (nothing written).
[[nodiscard]] Outcome stop(const PersonPlace& place, const StopRequest& request);

// What the brake does not do; printed by `stop`, and in wiki/Brake.md.
[[nodiscard]] const std::string& limits_text();

}  // namespace robot_council::brake
