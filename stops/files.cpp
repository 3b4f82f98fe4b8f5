#include "stops/files.hpp"

#include "base/paths.hpp"

namespace robot_council::stops {

StopFiles stop_files(const base::Environment& environment) {
  return {base::state_home(environment) + "/robot-council/stops"};
}

}  // namespace robot_council::stops
