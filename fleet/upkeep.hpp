#pragma once

#include <cstdint>

#include "fleet/core.hpp"

namespace robot_council::fleet {

// The service's own work, without timers (service contract, 3.3, 4.4, 8.5). Each is safe to repeat
// and to interrupt.
class Upkeep {
 public:
  explicit Upkeep(Core& core) : core_(core), last_sweep_(core.now()) {}

  // Every 60 s: silent sessions go gone, then stale, at most 500 each; then what gone ones still
  // hold is released, each session on its own, so that one failing does not keep the others. After
  // a sweep over 120 s late (the machine slept) silence counts from now.
  void sweep();
  // Writes contact and watcher times that waited in memory; at least every 30 s.
  void flush_contacts();
  // Hourly: enrolments past their time.
  void drop_expired_codes();
  // Daily: what the --keep-* options no longer keep, in batches.
  void retain();

 private:
  void forgive_silence();
  void mark_silent_gone();
  void mark_silent_stale();
  void release_leftovers();
  void prune_events(std::int64_t before);
  std::int64_t prune(std::string_view sql, std::int64_t before);

  Core& core_;
  std::int64_t last_sweep_;  // ms since 1970
};

}  // namespace robot_council::fleet
