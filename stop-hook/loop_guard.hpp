#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "pending/engine.hpp"

namespace robot_council::stop_hook {

// Whether a turn end may be answered, so that an agent is never held in a turn. Pure.
// Source: delivery contract, 5.3. The counters live in the sink (table `chain`); the engine adds
// the answers.

enum class TurnFlags : std::uint8_t {
  boolean,  // stop_hook_active: a turn id tells turns apart
  counted,  // Cursor's loop_count; each round has a turn id of its own
};

struct GuardInput {
  TurnFlags flags = TurnFlags::boolean;
  bool continuation = false;        // C
  std::optional<std::string> turn;  // turn id, if the payload has one
  std::optional<int> rounds;        // ROBOT_COUNCIL_ROUNDS, 1 to 8; nothing = not set
};

enum class GuardReason : std::uint8_t {
  answer,  // nothing against it
  rounds,  // the turn was continued often enough, or only repeats wait
  streak,  // kMaxStreak answers in a row: one pause
};

struct GuardDecision {
  GuardReason reason = GuardReason::answer;
  sink::Chain chain;  // the counters before the engine counts this call
};

[[nodiscard]] GuardDecision guard_turn(const pending::TurnEnd& end, const GuardInput& input);

// ROBOT_COUNCIL_ROUNDS: `set` when the variable is there and not blank, `rounds` when it is 1 to 8.
struct RoundsSetting {
  bool set = false;
  std::optional<int> rounds;
};
[[nodiscard]] RoundsSetting read_rounds(const base::Environment& environment);

}  // namespace robot_council::stop_hook
