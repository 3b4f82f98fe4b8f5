#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "base/context.hpp"
#include "base/mutex.hpp"
#include "bridge/bridge_record.hpp"
#include "bridge/sink_desk.hpp"
#include "sink/seat_lock.hpp"

namespace robot_council::bridge {

// The seat of this bridge's checkout: claimed at start, tried again while another bridge has it.
// Threads: try_again() from main, the rest from any.
class SeatKeeper {
 public:
  explicit SeatKeeper(sink::SeatFiles files) : files_(std::move(files)) {}

  // One try, or tries until `wait` is over. True: ours.
  bool claim(base::Milliseconds wait, base::Milliseconds step);
  // One more try. True: it has just become ours.
  bool try_again();
  [[nodiscard]] bool held() const { return held_.load(); }
  // L3 while another bridge holds it, else "".
  [[nodiscard]] std::string warning() const;

 private:
  sink::SeatFiles files_;
  std::atomic<bool> held_{false};
  mutable base::Mutex mu_;
  std::optional<sink::SeatClaim> claim_ RC_GUARDED_BY(mu_);
};

}  // namespace robot_council::bridge
