#pragma once

#include <chrono>
#include <cstdint>

namespace robot_council::base {

using SteadyTime = std::chrono::steady_clock::time_point;
using Milliseconds = std::chrono::milliseconds;

// Time as the logic sees it, so that a test can set it. Threads: safe to read from any.
class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  Clock(Clock&&) = delete;
  Clock& operator=(Clock&&) = delete;
  virtual ~Clock() = default;

  // Milliseconds since 1970 UTC; may jump. For people and files.
  [[nodiscard]] virtual std::int64_t wall_ms() const = 0;
  // Never goes back; may stand still while the machine sleeps. For waits.
  [[nodiscard]] virtual SteadyTime steady() const = 0;
  // Milliseconds since start-up, time asleep included (Linux CLOCK_BOOTTIME). For expiry.
  [[nodiscard]] virtual Milliseconds awake_and_asleep() const = 0;
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] std::int64_t wall_ms() const override;
  [[nodiscard]] SteadyTime steady() const override;
  [[nodiscard]] Milliseconds awake_and_asleep() const override;
};

// The real steady clock, for deadlines of system calls: SteadyTime deadline = deadline_in(2s).
[[nodiscard]] SteadyTime deadline_in(Milliseconds from_now);
// Milliseconds until `deadline`, never negative, rounded up.
[[nodiscard]] Milliseconds time_left(SteadyTime deadline);

}  // namespace robot_council::base
