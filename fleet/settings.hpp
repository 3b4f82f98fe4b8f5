#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "fleet/limits.hpp"

namespace robot_council::fleet {

// What the operator chose and the rules need. Made by ServeOptions; tests set it directly.
struct Settings {
  std::string login;               // the one developer and operator
  std::int64_t tasks_at_once = 1;  // of a seat, 1..16
  bool auto_approve = false;
  bool rate_limits_for_loopback = true;
  std::map<std::string, std::int64_t> rates;  // NAME -> requests a minute, over the defaults
  std::string public_url;  // where people reach the service; "" = the listening address
  std::size_t max_held = kMaxHeld;
  std::int64_t keep_events = kKeepEvents;  // days, 0 = for ever
  std::int64_t keep_tasks = kKeepTasks;
  std::int64_t keep_locks = kKeepLocks;
  std::int64_t keep_sessions = kKeepSessions;
};

}  // namespace robot_council::fleet
