#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/context.hpp"
#include "base/result.hpp"
#include "pending/limits.hpp"
#include "pending/render.hpp"
#include "sink/call.hpp"
#include "sink/delivery_store.hpp"
#include "sink/entry.hpp"
#include "sink/seat_files.hpp"

namespace robot_council::pending {

// The one way a row reaches an agent: settle, choose within the budget, offer, print, mark.
// `pending`, the stop hook and the waiter differ only in the request. Source: delivery contract,
// 3, 4.2; wake contract, 2.1.

// What the loop guard sees at a turn end: after settling, before anything is offered.
struct TurnEnd {
  sink::Chain chain;              // the session's counters as stored (zeros when none)
  std::size_t waiting = 0;        // rows this call may print
  std::size_t never_printed = 0;  // of them, those that were never (perhaps) printed
};
// What it answers. `chain` is stored whatever `answer` is; on an answer the engine then adds 1 to
// answers and streak and sets the turn. When the call prints nothing the engine sets streak to 0,
// unless it is the same turn end as the answer before (a hook wired twice), which changes no
// counter. A hook call without a session id has no counters.
struct Verdict {
  bool answer = true;
  sink::Chain chain;
};
// Pure: called once or more per run, also with waiting = 0 on the quiet path (to learn which
// counters are to be reset).
using Guard = std::function<Verdict(const TurnEnd&)>;

// Which rows of the share a call may take.
struct RowFilter {
  bool urgent_only = false;    // sink::is_urgent
  std::int64_t after_seq = 0;  // only rows stored later (Look::last_seq of an earlier look)
};

// Points at which a test may stop or kill the process. Not used by the program.
enum class Step : std::uint8_t {
  opened,
  drain_held,
  before_offer,
  offered,
  part_printed,
  printed,
  marked,
  taken_back
};
using StepHook = std::function<void(Step)>;

struct Request {
  sink::SeatFiles files;
  std::string harness;  // of the seat: `claude` gets the .turn mark
  sink::Call call;
  Shape shape = Shape::plain;
  Budget budget = Budget::characters;
  RowFilter filter;
  int output = 1;                      // descriptor the answer goes to; SIGPIPE must be ignored
  Guard guard;                         // none = always answer; only hook calls have counters
  std::function<bool()> still_wanted;  // asked under <key>.drain before choosing; none = yes
  sink::Ancestors ancestors;           // none = the real ones
  StepHook step;
  base::Milliseconds write_wait = kWriteWait;  // for all bytes to leave
};

enum class End : std::uint8_t {
  nothing_waiting,  // the sink was read (or there is none) and holds nothing for this call
  printed,          // every byte left; `mark_error` tells if noting it failed
  guarded,          // the loop guard said no; rows settled and kept
  same_turn_end,    // another hook of the same turn end has answered
  unwanted,         // still_wanted said no
  reader_gone,      // EPIPE or another write error, or 8 s over: rows are back
};

struct Outcome {
  End end = End::nothing_waiting;
  std::size_t printed = 0;  // rows in the answer
  std::size_t waiting = 0;  // rows of the share that wait after this call (guarded: all of them)
  std::optional<std::string> mark_error;  // rows stay offered and come again, marked
};

// Runs the whole sequence. Errors: the sentence of exit 3 (sink/delivery_store.hpp); nothing was
// printed then. Waits  2,000 ms for locks before printing, 8 s for the reader, 2,000 ms for the
// mark. With nothing in `entry` and no counter to reset it writes nothing and takes no lock but
// SQLite's read lock.
[[nodiscard]] base::Result<Outcome> deliver(const Request& request, const base::Context& context);

// The brake is on: earlier answers that are proved to be taken in are confirmed, nothing else
// changes, nothing is printed. Result: entries kept for this caller (waiting and offered).
[[nodiscard]] base::Result<std::size_t> confirm_only(const Request& request,
                                                     const base::Context& context);

// P4: rows of a wake, in any state, that `prompt` shows become confirmed and the session's `woke`
// counter is set. `any_session`: the prompt is a task notification, so rows printed to another
// session id count too.
enum class Whose : std::uint8_t { session, any_session };
// Result: rows confirmed. Request: files, call (session, kind wake), step.
[[nodiscard]] base::Result<std::size_t> confirm_by_prompt(const Request& request,
                                                          std::string_view prompt, Whose whose,
                                                          const base::Context& context);

// What waits for this caller, without changing a byte: counts waiting and offered rows of its share
// that the filter passes. For waiters and `wait`.
struct Waiting {
  std::size_t rows = 0;
  std::size_t urgent = 0;
  std::int64_t last_seq = 0;
};
[[nodiscard]] base::Result<Waiting> look(const Request& request);

}  // namespace robot_council::pending
