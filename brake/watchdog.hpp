#pragma once

#include <cstdint>
#include <functional>
#include <thread>

#include "base/clock.hpp"
#include "base/mutex.hpp"

namespace robot_council::brake {

// Calls `late` from a thread of its own if nobody says done() in time: a disk that hangs must not
// carry the check over the client's time limit, where most clients let the call through. Exactly
// one side answers.
class Watchdog {
 public:
  Watchdog(base::Milliseconds limit, std::function<void()> late);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  Watchdog(Watchdog&&) = delete;
  Watchdog& operator=(Watchdog&&) = delete;
  // Ends the thread; `late` is not called any more, or has returned.
  ~Watchdog();

  // True: the caller may answer, `late` will not. False: `late` was called first, the caller must
  // not answer.
  [[nodiscard]] bool done();

 private:
  enum class State : std::uint8_t { armed, done, late };
  void run(base::SteadyTime deadline);

  std::function<void()> late_;
  base::Mutex mu_;
  base::CondVar changed_;
  State state_ RC_GUARDED_BY(mu_) = State::armed;
  std::thread thread_;
};

}  // namespace robot_council::brake
