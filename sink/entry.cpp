#include "sink/entry.hpp"

#include <algorithm>
#include <array>

namespace robot_council::sink {

bool is_urgent(std::string_view type) {
  static constexpr std::array<std::string_view, 7> kUrgent = {
      "directive",       "placement.instruction", "task.reassigned",     "task.cancelled",
      "lock.taken_over", "lock.force_released",   "bridge.session-ended"};
  return std::find(kUrgent.begin(), kUrgent.end(), type) != kUrgent.end();
}

std::string_view why_text(Why why) {
  switch (why) {
    case Why::confirmed:
      return "confirmed";
    case Why::undelivered:
      return "undelivered";
    case Why::dropped:
      return "dropped";
    case Why::session_ended:
      return "session-ended";
    case Why::replaced:
      return "replaced";
  }
  // LCOV_EXCL_START: every enumerator is above
  return "";
  // LCOV_EXCL_STOP
}

}  // namespace robot_council::sink
