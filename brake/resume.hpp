#pragma once

#include <string>

#include "brake/person.hpp"

namespace robot_council::brake {

struct ResumeRequest {
  std::string repo = ".";
  bool everywhere = false;
};

// `robot-council resume`: only a person at a terminal, who types the repository's name (or
// "everywhere"). Removes the home copies, then this repository's copies, none of an enclosing one;
// nothing is started. ok: lifted, or nothing to lift. failed: an agent, no terminal, the wrong
// word, a stop that changed while it asked, a copy that stays. One log line when the stop is really
// off.
[[nodiscard]] Outcome resume(const PersonPlace& place, const ResumeRequest& request);

}  // namespace robot_council::brake
