#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace robot_council::bridge {

// What of the session the rule needs.
struct Holder {
  std::int64_t session = 0;
  bool coordinator = false;  // its abilities hold `coordinator:direct`
  const std::set<std::int64_t>* held =
      nullptr;  // tasks it holds, before the event; never null when used
};

struct Verdict {
  bool stored = false;
  int rule = 0;  // row of the table in the contract, 6.2
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

// Whether an event of the feed concerns this session. First match decides. Ids match as integral
// JSON numbers, never as strings. `event` is the feed's object; anything missing or of another type
// is simply no match. Pure.
[[nodiscard]] Verdict interest(const base::Json& event, const Holder& holder);

// What an event does to the set of held tasks; called after interest().
void follow_held(const base::Json& event, std::int64_t session, std::set<std::int64_t>& held);

// actor.session_id, if it is an integer.
[[nodiscard]] std::optional<std::int64_t> actor_session(const base::Json& event);

}  // namespace robot_council::bridge
