#include "stop-hook/wait_hook.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include "base/child.hpp"
#include "base/signals.hpp"
#include "base/text.hpp"
#include "harness/payload.hpp"
#include "sink/seat.hpp"
#include "stop-hook/sink_watch.hpp"
#include "stop-hook/waiter.hpp"

namespace robot_council::stop_hook {

namespace {

constexpr int kNothing = 0;
constexpr std::string_view kNotification =
    "<task-notification>";  // how the client's own prompts for a background hook begin

// A model would read what is said here.
class SilentLog final : public base::Log {
 public:
  void write(base::Level /*level*/, std::string_view /*message*/) override {}
};

bool is_for_us(const harness::Payload& payload, std::string_view seat_harness,
               const base::Environment& environment) {
  const bool event = payload.event == "SessionStart" || payload.event == "UserPromptSubmit";
  return event && payload.agent_id.empty() && payload.kind == harness::PayloadKind::claude &&
         seat_harness == "claude" && !payload.session.empty() &&
         environment.get_or_empty("CLAUDE_CODE_SESSION_ID") == payload.session;
}

// The client itself, in interactive sessions only: `claude -p` runs these hooks in the foreground
// and would wait for them.
std::optional<sink::ProcessName> attended_client(const base::Environment& environment) {
  if (environment.get_or_empty("CLAUDE_CODE_SESSION_ATTENDED") != "1") {
    return std::nullopt;
  }
  const std::optional<std::int64_t> pid =
      base::parse_digits(environment.get_or_empty("CLAUDE_PID"));
  if (!pid || *pid <= 1 || *pid > INT32_MAX) {
    return std::nullopt;
  }
  sink::ProcessName client{*pid, base::process_start_time(static_cast<pid_t>(*pid))};
  return client.started.empty() ? std::nullopt : std::optional<sink::ProcessName>(client);
}

void confirm_by_prompt(const WaitHookOptions& options, const base::Context& context,
                       const sink::Seat& seat, const harness::Payload& payload) {
  pending::Request request;
  request.files = seat.files;
  request.harness = seat.names.harness;
  request.call.kind = sink::CallKind::wake;
  request.call.session = payload.session;
  request.step = options.step;
  const pending::Whose whose = payload.prompt.starts_with(kNotification)
                                   ? pending::Whose::any_session
                                   : pending::Whose::session;
  // What fails here is offered again later, with a repeat mark.
  (void)pending::confirm_by_prompt(request, payload.prompt, whose, context);
}

}  // namespace

int run_wait_hook(const WaitHookOptions& options, const base::Context& outer, int stdin_fd,
                  int stderr_fd) {
  base::ignore_sigpipe();
  const std::int64_t started_ms = outer.clock.wall_ms();
  SilentLog silent;
  const base::Context context{outer.clock, outer.environment, silent};
  const base::Result<sink::SeatNames> names =
      pending::seat_names(options.names, context.environment);
  if (!names.ok()) {
    return kNothing;
  }
  const base::Result<std::string> bytes = harness::read_payload(stdin_fd, options.limits);
  if (!bytes.ok()) {
    return kNothing;
  }
  const base::Result<harness::Payload> payload = harness::parse_payload(*bytes);
  if (!payload.ok() || !is_for_us(*payload, names->harness, context.environment)) {
    return kNothing;
  }
  const base::Result<sink::Seat> seat = sink::resolve_seat(
      *names, sink::hook_folder(context.environment, names->harness, payload->cwd),
      context.environment);
  if (!seat.ok()) {
    return kNothing;
  }
  if (payload->event == "UserPromptSubmit") {
    confirm_by_prompt(options, context, *seat, *payload);
  }
  const std::optional<sink::ProcessName> client = attended_client(context.environment);
  if (!client) {
    return kNothing;
  }
  if (SinkWatch(seat->files, {nullptr, stderr_fd}).hung_up()) {
    return kNothing;
  }
  Waiter waiter({options, context, *seat, *payload, *client, started_ms, stderr_fd});
  return waiter.run();
}

}  // namespace robot_council::stop_hook
