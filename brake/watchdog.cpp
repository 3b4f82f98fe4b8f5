#include "brake/watchdog.hpp"

#include <utility>

namespace robot_council::brake {

Watchdog::Watchdog(base::Milliseconds limit, std::function<void()> late)
    : late_(std::move(late)),
      thread_([this, deadline = base::deadline_in(limit)] { run(deadline); }) {}

Watchdog::~Watchdog() {
  (void)done();
  changed_.notify_one();
  thread_.join();
}

bool Watchdog::done() {
  const base::MutexLock lock(mu_);
  if (state_ == State::armed) {
    state_ = State::done;  // the thread may sleep on: most callers end the process now
  }
  return state_ == State::done;
}

void Watchdog::run(base::SteadyTime deadline) {
  {
    base::MutexLock lock(mu_);
    while (state_ == State::armed) {
      if (!changed_.wait_until(mu_, deadline) && state_ == State::armed) {
        state_ = State::late;
      }
    }
    if (state_ == State::done) {
      return;
    }
  }
  late_();
}

}  // namespace robot_council::brake
