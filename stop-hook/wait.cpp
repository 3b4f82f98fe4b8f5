#include "stop-hook/wait.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/signals.hpp"
#include "pending/engine.hpp"
#include "sink/seat.hpp"
#include "stop-hook/limits.hpp"
#include "stop-hook/sink_watch.hpp"

namespace robot_council::stop_hook {

namespace {

constexpr int kSomethingWaits = 0;
constexpr int kTimeOver = 1;
constexpr int kSinkUnreadable = 3;
constexpr int kSignalled = 130;

}  // namespace

int run_wait(const WaitOptions& options, const base::Context& context) {
  const base::Result<sink::SeatNames> names =
      pending::seat_names(options.names, context.environment);
  if (!names.ok()) {
    context.log.error(names.error().what);
    return kTimeOver;
  }
  const base::Result<sink::Seat> seat = sink::resolve_seat(
      *names, sink::hook_folder(context.environment, names->harness), context.environment);
  if (!seat.ok()) {
    context.log.error(seat.error().what);
    return kSinkUnreadable;
  }
  base::Result<base::SignalReader> signals = base::SignalReader::open({SIGINT, SIGTERM, SIGHUP});
  if (!signals.ok()) {
    context.log.error(signals.error().what);
    return kTimeOver;
  }
  const std::optional<base::SteadyTime> end =
      options.timeout ? std::optional(base::deadline_in(*options.timeout)) : std::nullopt;
  pending::Request request;
  request.files = seat->files;
  request.harness = names->harness;
  SinkWatch watch(seat->files, {&*signals, -1});
  while (true) {
    const base::Result<pending::Waiting> waiting = pending::look(request);
    if (waiting.ok() && waiting->rows > 0) {
      return kSomethingWaits;
    }
    const bool over = end && base::time_left(*end).count() == 0;
    // A sink that another process has locked can be read a moment later.
    if (!waiting.ok() && (waiting.error().code != base::Errc::busy || over)) {
      context.log.error(waiting.error().what);
      return kSinkUnreadable;
    }
    if (over) {
      return kTimeOver;
    }
    const base::SteadyTime next = base::deadline_in(kLookAgain);
    if (watch.sleep(end ? std::min(*end, next) : next) == SinkWatch::Woke::signal) {
      return kSignalled;
    }
  }
}

}  // namespace robot_council::stop_hook
