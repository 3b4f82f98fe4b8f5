#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/context.hpp"
#include "wiring/bridge_record.hpp"
#include "wiring/seats.hpp"

namespace robot_council::wiring {

// Everything that files and locks tell of a seat. Times in ms since 1970; nothing: not known.
struct SeatState {
  KnownSeat seat;

  bool bridge_running = false;             // the seat lock is held
  std::optional<std::int64_t> bridge_pid;  // of the running one
  std::optional<BridgeRecord> record;

  struct Events {
    std::size_t waiting = 0;  // with offered
    std::size_t written = 0;  // printed, not yet confirmed
    std::size_t undelivered = 0;
    std::optional<std::int64_t> oldest_ms;  // stored, of the waiting ones
  };
  std::optional<Events> events;              // nothing: the sink cannot be read; `error` says why
  std::optional<std::int64_t> confirmed_ms;  // newest
  std::string error;                         // sentence of exit 3, "" = none

  std::optional<std::int64_t> hook_ms;  // newest run of the delivering hook
  std::string hook_answer;
  std::size_t hook_printed = 0;

  std::optional<std::int64_t> waiter_since_ms;  // the newest background waiter that runs
  std::optional<std::int64_t> waiter_pid;
  std::optional<std::int64_t> next_wake_ms;  // its hand-overs are used up until then
};

// Reads, writes nothing (not even a lock file); works on a read-only folder and with the bridge
// down.
[[nodiscard]] SeatState read_seat_state(const base::Context& context, const KnownSeat& seat);

}  // namespace robot_council::wiring
