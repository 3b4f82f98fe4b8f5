#include "base/clock.hpp"

namespace robot_council::base {

std::int64_t SystemClock::wall_ms() const {
  return std::chrono::duration_cast<Milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

SteadyTime SystemClock::steady() const {
  return std::chrono::steady_clock::now();
}

SteadyTime deadline_in(Milliseconds from_now) {
  return std::chrono::steady_clock::now() + from_now;
}

Milliseconds time_left(SteadyTime deadline) {
  const auto now = std::chrono::steady_clock::now();
  if (deadline <= now) {
    return Milliseconds(0);
  }
  return std::chrono::ceil<Milliseconds>(deadline - now);
}

}  // namespace robot_council::base
