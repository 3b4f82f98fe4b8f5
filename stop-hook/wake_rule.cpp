#include "stop-hook/wake_rule.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "stop-hook/wait_record.hpp"

namespace robot_council::stop_hook {

namespace {

constexpr std::int64_t kSecondMs = 1000;

bool is_turn_end(HookAnswer answer) {
  return answer == HookAnswer::printed || answer == HookAnswer::nothing_waiting ||
         answer == HookAnswer::loop_guard || answer == HookAnswer::held_by_brake ||
         answer == HookAnswer::sink_unreadable;
}

// Until when the delivering hook goes first; 0 = it need not.
std::int64_t held_until_ms(const WakeView& view, const WakeTimes& times) {
  if (!view.hook) {
    return 0;
  }
  const HookRecord& hook = *view.hook;
  const std::optional<std::int64_t> idle = hook.idle_since(view.session);
  std::int64_t until = 0;
  if (idle && *idle <= view.now_ms) {
    until = *idle + times.after_turn_end.count();
    // The record is of the newest run in the seat; it is this session's if both times agree. It has
    // whole seconds.
    if (hook.answer == HookAnswer::loop_guard && *idle / kSecondMs == hook.at_ms / kSecondMs) {
      until = *idle + times.after_loop_guard.count();
    }
  }
  if (is_turn_end(hook.answer) && hook.at_ms <= view.now_ms) {
    until = std::max(until, hook.at_ms + times.after_turn_end.count());
  }
  return until > view.now_ms ? until : 0;
}

}  // namespace

Midturn read_midturn(const base::Environment& environment) {
  const std::string value(base::trim(environment.get_or_empty("ROBOT_COUNCIL_MIDTURN")));
  if (value == "all") {
    return Midturn::all;
  }
  return value == "none" ? Midturn::none : Midturn::urgent;
}

bool is_working(const WakeView& view, const WakeTimes& times) {
  if (view.start != WaiterStart::prompt && view.start != WaiterStart::compact) {
    return false;
  }
  const std::optional<std::int64_t> idle =
      view.hook ? view.hook->idle_since(view.session) : std::nullopt;
  return !(idle && *idle >= view.started_ms) && view.transcript_still < times.interrupted;
}

WakeChoice choose_take(const WakeView& view, const WakeTimes& times) {
  const std::int64_t held = held_until_ms(view, times);
  const std::int64_t next = next_wake_ms(view.wakes, view.now_ms);
  if (held > 0 || next > view.now_ms) {
    return {Take::nothing, std::max(held, next)};
  }
  if (!is_working(view, times)) {
    return {Take::all, 0};
  }
  switch (view.midturn) {
    case Midturn::all:
      return {Take::all, 0};
    case Midturn::none:
      return {Take::nothing, 0};
    case Midturn::urgent:
      break;
  }
  return {Take::urgent, 0};
}

}  // namespace robot_council::stop_hook
