#pragma once

#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "stops/files.hpp"
#include "stops/log_line.hpp"
#include "stops/sessions.hpp"

namespace robot_council::stops {

// Every string of the line without what has the shape of a credential; the state inside its JSON.
[[nodiscard]] LogLine redacted(LogLine line);

// Appends one line, redacted, under stops.lock: folder 0700 and files 0600 are made as needed; at
// kMaxLogBytes the log is renamed to stops.jsonl.1; a torn last line is ended first. One write, no
// fsync. `mark` (may be nothing): kept in sessions.json under the same lock; with
// `mark->policy_error` and a file that has it already, no line is written.
// Errors  busy: the lock was held; refused: a link; io: disk. A line not written adds a byte to
//         stops.dropped. Threads and processes: any.
[[nodiscard]] base::Status append_line(const StopFiles& files, const LogLine& line,
                                       const std::optional<SessionMark>& mark,
                                       base::Milliseconds lock_wait);

}  // namespace robot_council::stops
