#pragma once

#include <string>

#include "base/environment.hpp"

namespace robot_council::stops {

// The log and what lies beside it: state_home + "/robot-council/stops". Nothing is created.
struct StopFiles {
  std::string folder;
  [[nodiscard]] std::string log() const { return folder + "/stops.jsonl"; }
  [[nodiscard]] std::string older_log() const { return folder + "/stops.jsonl.1"; }
  [[nodiscard]] std::string lock() const { return folder + "/stops.lock"; }
  [[nodiscard]] std::string dropped() const { return folder + "/stops.dropped"; }
  [[nodiscard]] std::string sessions() const { return folder + "/sessions.json"; }
};
[[nodiscard]] StopFiles stop_files(const base::Environment& environment);

}  // namespace robot_council::stops
