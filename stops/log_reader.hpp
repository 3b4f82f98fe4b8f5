#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "stops/judge.hpp"
#include "stops/log_line.hpp"
#include "stops/policy.hpp"

namespace robot_council::stops {

// One turn end of the log, as the report needs it: without the text that was judged. Names point
// into StopLog::names and live as long as that; nullptr = null in the log.
struct Stop {
  std::int64_t ts_ms = 0;
  Outcome outcome = Outcome::judged;
  const std::string* host = nullptr;        // never nullptr
  const std::string* session_id = nullptr;  // never nullptr
  const std::string* transcript_path = nullptr;
  const std::string* project = nullptr;
  const std::string* skip = nullptr;
  const std::string* seat = nullptr;
  const std::string* judge = nullptr;
  const std::string* endpoint = nullptr;
  const std::string* model = nullptr;
  const std::string* questions = nullptr;  // fingerprints
  const std::string* rules = nullptr;
  std::string prompt_id;                // "" = none
  std::optional<std::int64_t> waiting;  // events that waited for the session; nothing: unknown
  std::optional<bool> delivered;        // filled in by find_deliveries()
  std::optional<PKind> p_kind;
  Verdict verdict = Verdict::leave;  // of judged lines
  Reason reason;
  Answers answers;
};

struct StopLog {
  std::vector<std::string> paths;  // read, in this order
  std::vector<Stop> stops;         // by time
  std::size_t bad = 0;             // lines that are none
  std::int64_t dropped = 0;        // lines that the recorder could not write
  std::set<std::string> names;
};

struct LogQuery {
  std::string path;                      // PATH.1 is read first
  std::optional<std::int64_t> since_ms;  // lines clearly before it are not kept
  std::optional<std::string> session_id;
};

// Streams the log and its older half. A log that is not there is an empty one.
// Errors  refused, io, invalid (no regular file, or more than kMaxReportLines lines to keep);
// `what` is a whole message.
[[nodiscard]] base::Result<StopLog> read_stop_log(const LogQuery& query);

}  // namespace robot_council::stops
