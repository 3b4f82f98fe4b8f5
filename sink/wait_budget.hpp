#pragma once

#include "base/clock.hpp"
#include "sink/limits.hpp"

namespace robot_council::sink {

// What is left of the time a command may wait for locks. One budget serves <key>.drain and every
// transaction of a phase, so that the sum is bounded. Real steady time; starts when made. Threads:
// one.
class WaitBudget {
 public:
  explicit WaitBudget(base::Milliseconds total = kBusyWait) : deadline_(base::deadline_in(total)) {}
  [[nodiscard]] base::SteadyTime deadline() const { return deadline_; }
  // Sleeps one step (50 ms at most, never past the deadline). False, at once, when the time is
  // over.
  [[nodiscard]] bool pause() const;

 private:
  base::SteadyTime deadline_;
};

}  // namespace robot_council::sink
