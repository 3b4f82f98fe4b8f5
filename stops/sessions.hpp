#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "stops/files.hpp"

namespace robot_council::stops {

// What is remembered of a client's session between its turn ends.
struct SessionMark {
  std::string id;
  std::int64_t seen_ms = 0;
  int failures = 0;           // of the judge, in a row
  int slow = 0;               // calls over half of their time, in a row
  bool policy_error = false;  // a broken policy was logged once
  // Judging has ended for the session.
  [[nodiscard]] bool breaker_open() const;
  friend bool operator==(const SessionMark&, const SessionMark&) = default;
};

// sessions.json beside the log: the newest kMaxSessions. A file that is missing or broken counts as
// empty: it only saves work.
[[nodiscard]] std::vector<SessionMark> read_sessions(const StopFiles& files);
[[nodiscard]] SessionMark find_session(const std::vector<SessionMark>& sessions,
                                       const std::string& id);
// Puts one mark in and the oldest out. Hold stops.lock.
[[nodiscard]] base::Status keep_session(const StopFiles& files, const SessionMark& mark);

}  // namespace robot_council::stops
