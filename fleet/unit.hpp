#pragma once

#include <cstdint>
#include <vector>

#include "fleet/event.hpp"
#include "fleet/presence.hpp"
#include "fleet/settings.hpp"
#include "fleet/store.hpp"

namespace robot_council::fleet {

// One unit of work: what a rule of the fleet gets to read and write. All of it becomes visible at
// once, events included.
struct Unit {
  Transaction& tx;
  std::int64_t now = 0;  // ms since 1970, read once
  const Settings& settings;
  const Presence& presence;         // contact times that are newer than the store's
  std::int64_t head = 0;            // the feed's last id before this unit; exact inside a write
  std::vector<StoredEvent> events;  // appended here, in feed order
  std::vector<std::int64_t> ended_sessions;  // whose held reads answer 401

  // Appends to the feed; the event's id.
  std::int64_t append(const EventDraft& draft);
};

}  // namespace robot_council::fleet
