#include "stop-hook/loop_guard.hpp"

#include "base/text.hpp"
#include "stop-hook/limits.hpp"

namespace robot_council::stop_hook {

GuardDecision guard_turn(const pending::TurnEnd& end, const GuardInput& input) {
  GuardDecision decision;
  decision.chain = end.chain;
  sink::Chain& chain = decision.chain;
  const bool counted = input.flags == TurnFlags::counted;
  const bool other_turn = input.turn != chain.turn;
  // A wake of ours began this turn: the client calls it a continuation, but no answer of a stop
  // hook is behind it.
  const bool continued = input.continuation && !(chain.woke && other_turn);
  chain.woke = false;
  if (!continued || (!counted && other_turn)) {
    chain.answers = 0;
  }
  if (end.waiting == 0) {
    return decision;
  }
  if (chain.streak >= kMaxStreak) {
    decision.reason = GuardReason::streak;
    return decision;
  }
  if (!continued) {
    return decision;
  }
  const bool limited = !counted || input.rounds.has_value();
  const int rounds = input.rounds.value_or(kDefaultRounds);
  if (end.never_printed == 0 || (limited && (rounds <= 1 || chain.answers >= rounds))) {
    decision.reason = GuardReason::rounds;
  }
  return decision;
}

RoundsSetting read_rounds(const base::Environment& environment) {
  RoundsSetting setting;
  const std::optional<std::string> value = environment.nonblank("ROBOT_COUNCIL_ROUNDS");
  if (!value) {
    return setting;
  }
  setting.set = true;
  const std::optional<std::int64_t> number = base::parse_digits(base::trim(*value));
  if (number && *number >= 1 && *number <= kMaxRounds) {
    setting.rounds = static_cast<int>(*number);
  }
  return setting;
}

}  // namespace robot_council::stop_hook
