#include "stop-hook/hook.hpp"

#include <algorithm>
#include <array>

#include "base/fd.hpp"
#include "base/signals.hpp"
#include "harness/payload.hpp"
#include "sink/seat.hpp"
#include "stop-hook/hook_record.hpp"
#include "stop-hook/hook_run.hpp"
#include "stop-hook/limits.hpp"

namespace robot_council::stop_hook {

namespace {

constexpr int kExitOk = 0;
constexpr int kExitMisconfigured = 1;

// Harnesses whose payloads are told apart. A hook file of one of them that another one runs is not
// for that one; a seat with any other name may be of a client that sends one of these payloads.
constexpr std::array<std::string_view, 6> kToldApart = {"claude", "codex",   "cursor",
                                                        "gemini", "copilot", "goose"};

bool called_by_another(harness::PayloadKind kind, std::string_view seat_harness) {
  const bool known =
      std::find(kToldApart.begin(), kToldApart.end(), seat_harness) != kToldApart.end();
  const bool telling =
      kind != harness::PayloadKind::claude && kind != harness::PayloadKind::unknown;
  return known && telling && harness::kind_name(kind) != seat_harness;
}

// Notes a run that ended before the sink was looked at. No seat, no record.
void note(const base::Context& context, const base::Result<sink::Seat>& seat, HookAnswer answer) {
  if (!seat.ok()) {
    return;
  }
  HookRecord record = read_record(seat->files.hook()).value_or(HookRecord{});
  record.at_ms = context.clock.wall_ms();
  record.answer = answer;
  record.printed = 0;
  (void)write_record(seat->files.hook(), record);
}

}  // namespace

int run_hook(const HookOptions& options, const base::Context& context, int stdin_fd,
             int stdout_fd) {
  base::ignore_sigpipe();
  const base::Result<sink::SeatNames> names =
      pending::seat_names(options.names, context.environment);
  if (!names.ok()) {
    context.log.error(names.error().what);
    return kExitMisconfigured;
  }
  const auto seat_for = [&](std::string_view payload_folder) {
    return sink::resolve_seat(
        *names, sink::hook_folder(context.environment, names->harness, payload_folder),
        context.environment);
  };
  const base::Result<std::string> bytes = harness::read_payload(stdin_fd, options.limits);
  base::Result<harness::Payload> payload =
      bytes.ok() ? harness::parse_payload(*bytes) : base::Result<harness::Payload>(bytes.error());
  if (!payload.ok()) {
    context.log.warning("the hook payload could not be read (" + payload.error().what +
                        "); nothing was handed over.");
    note(context, seat_for({}), HookAnswer::payload_unreadable);
    return kExitOk;
  }
  const base::Result<sink::Seat> seat = seat_for(payload->cwd);
  if (!payload->stop_event || !payload->agent_id.empty()) {
    note(context, seat, HookAnswer::not_a_turn_end);
    return kExitOk;
  }
  if (called_by_another(payload->kind, names->harness)) {
    context.log.warning("this hook belongs to a " + names->harness + " seat and was called by " +
                        std::string(harness::kind_name(payload->kind)) +
                        "; nothing was handed over.");
    note(context, seat, HookAnswer::another_harness);
    return kExitOk;
  }
  if (payload->kind == harness::PayloadKind::cursor && !payload->status.empty() &&
      payload->status != "completed") {
    // Cursor wants an object from a turn that was broken off.
    (void)base::write_all(stdout_fd, "{}", base::deadline_in(kAnswerWait));
    note(context, seat, HookAnswer::not_a_turn_end);
    return kExitOk;
  }
  HookRun run(options, context, stdout_fd, names->harness, *payload, *bytes);
  if (seat.ok()) {
    run.with_seat(*seat);
  } else {
    run.without_seat(seat.error().what);
  }
  return kExitOk;
}

}  // namespace robot_council::stop_hook
