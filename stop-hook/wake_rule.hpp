#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/environment.hpp"
#include "stop-hook/hook_record.hpp"
#include "stop-hook/limits.hpp"

namespace robot_council::stop_hook {

// What a background waiter may hand over at a moment. Pure. Source: wake contract, 2.1, steps 5
// and 6.

// The event that began the waiter.
enum class WaiterStart : std::uint8_t {
  prompt,   // UserPromptSubmit: a turn begins
  compact,  // SessionStart with source compact: a turn goes on
  fresh,  // SessionStart with source startup or resume: rows stored before belong to the first turn
          // end
  other,  // SessionStart with any other source (clear)
};

enum class Midturn : std::uint8_t { urgent, all, none };
// ROBOT_COUNCIL_MIDTURN; any other value is `urgent`.
[[nodiscard]] Midturn read_midturn(const base::Environment& environment);

enum class Take : std::uint8_t { nothing, urgent, all };

// The waiting times, in one place so that a test can shorten them.
struct WakeTimes {
  base::Milliseconds gather_quiet = kGatherQuiet;
  base::Milliseconds gather_total = kGatherTotal;
  base::Milliseconds after_turn_end = kAfterTurnEnd;
  base::Milliseconds after_loop_guard = kAfterLoopGuard;
  base::Milliseconds interrupted = kInterrupted;
  base::Milliseconds look_again = kLookAgain;
  base::Milliseconds life = kWaiterLife;
};

struct WakeView {
  WaiterStart start = WaiterStart::other;
  Midturn midturn = Midturn::urgent;
  std::int64_t started_ms = 0;  // of this waiter, wall clock
  std::int64_t now_ms = 0;
  std::optional<HookRecord> hook;  // `.hook`, if there is one
  std::string session;
  base::Milliseconds transcript_still{0};  // how long the transcript has not grown
  std::vector<std::int64_t> wakes;         // of the client
};

struct WakeChoice {
  Take take = Take::nothing;
  std::int64_t again_ms = 0;  // `nothing`: when this may change by itself; 0 = only by an event
};
[[nodiscard]] bool is_working(const WakeView& view, const WakeTimes& times);
[[nodiscard]] WakeChoice choose_take(const WakeView& view, const WakeTimes& times);

}  // namespace robot_council::stop_hook
