#include "stop-hook/hook_run.hpp"

#include <algorithm>
#include <utility>

#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/sha256.hpp"
#include "brake/decision.hpp"
#include "harness/answer.hpp"
#include "pending/engine.hpp"
#include "pending/render.hpp"
#include "stop-hook/limits.hpp"
#include "stop-hook/loop_guard.hpp"

namespace robot_council::stop_hook {

namespace {

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

// The record a fallback folder may take: ours, and no other user's.
bool usable_folder(const std::string& folder, std::string_view sink_folder) {
  if (folder == sink_folder) {
    return base::exists(folder);
  }
  if (base::parent_path(folder) != "/" && base::base_name(folder).starts_with("robot-council-")) {
    return base::make_private_directory(folder).ok() && base::check_private_directory(folder).ok();
  }
  return base::check_private_directory(folder).ok();
}

}  // namespace

sink::Call hook_call(const harness::Payload& payload, std::string_view bytes) {
  sink::Call call;
  call.kind = sink::CallKind::hook;
  call.session = unless_empty(payload.session);
  call.turn = unless_empty(payload.turn);
  call.turn_end = base::sha256_hex(bytes);
  call.transcript = unless_empty(payload.transcript);
  call.loop_count = payload.loop_count;  // which makes it Cursor's
  call.continuation = payload.continuation;
  call.has_continuation_field = payload.tells_continuation;
  return call;
}

pending::Budget hook_budget(harness::PayloadKind kind, std::string_view seat_harness) {
  return pending::budget_of(seat_harness == "codex" ? seat_harness : harness::kind_name(kind));
}

std::vector<std::string> hook_folders(const sink::Seat& seat, const harness::Payload& payload) {
  std::vector<std::string> folders = {seat.checkout, seat.folder};
  if (base::Result<std::string> here = base::working_directory(); here.ok()) {
    folders.push_back(std::move(*here));
  }
  if (payload.kind == harness::PayloadKind::cursor) {
    if (const harness::PayloadMember* roots = payload.member("workspace_roots"); roots != nullptr) {
      for (const std::string_view root : base::json_elements(roots->text)) {
        folders.push_back(base::json_unescape(root));
      }
    }
  }
  folders.erase(std::remove(folders.begin(), folders.end(), ""), folders.end());
  return folders;
}

HookRun::HookRun(const HookOptions& options, const base::Context& context, int stdout_fd,
                 std::string_view seat_harness, const harness::Payload& payload,
                 std::string_view bytes)
    : options_(options),
      context_(context),
      stdout_fd_(stdout_fd),
      seat_harness_(seat_harness),
      payload_(payload),
      call_(hook_call(payload, bytes)) {}

void HookRun::without_seat(const std::string& why) {
  unreadable(why);
}

void HookRun::with_seat(const sink::Seat& seat) {
  record_name_ = base::base_name(seat.files.hook());
  const std::vector<std::string> folders = hook_folders(seat, payload_);
  const bool braked =
      options_.braked
          ? options_.braked(seat_harness_, folders)
          : brake::decide_for_seat(context_.environment, seat_harness_, folders).refused();
  if (braked) {
    hold(seat);
  } else {
    deliver(seat);
  }
}

pending::Request HookRun::request(const sink::Seat& seat) const {
  pending::Request request;
  request.files = seat.files;
  request.harness = seat_harness_;
  request.call = call_;
  request.shape = pending::shape_of(harness::answer_shape(payload_.kind));
  request.budget = hook_budget(payload_.kind, seat_harness_);
  request.output = stdout_fd_;
  request.ancestors = options_.ancestors;
  request.step = options_.step;
  return request;
}

void HookRun::hold(const sink::Seat& seat) {
  const base::Result<std::size_t> kept = pending::confirm_only(request(seat), context_);
  context_.log.warning(kept.ok() ? "stopped; " + std::to_string(*kept) + " events kept"
                                 : "stopped; events kept. " + kept.error().what);
  nothing();
  record(HookAnswer::held_by_brake, 0);
}

void HookRun::deliver(const sink::Seat& seat) {
  const RoundsSetting rounds = read_rounds(context_.environment);
  if (rounds.set && !rounds.rounds) {
    context_.log.warning("ROBOT_COUNCIL_ROUNDS takes 1 to 8; using " +
                         std::to_string(kDefaultRounds) + ".");
  }
  GuardInput input;
  input.flags =
      payload_.kind == harness::PayloadKind::cursor ? TurnFlags::counted : TurnFlags::boolean;
  input.continuation = payload_.continuation;
  input.turn = call_.turn;
  input.rounds = rounds.rounds;
  GuardReason reason = GuardReason::answer;
  pending::Request wanted = request(seat);
  wanted.guard = [&](const pending::TurnEnd& end) {
    const GuardDecision decision = guard_turn(end, input);
    reason = decision.reason;
    return pending::Verdict{decision.reason == GuardReason::answer, decision.chain};
  };
  const base::Result<pending::Outcome> outcome = pending::deliver(wanted, context_);
  if (!outcome.ok()) {
    unreadable(outcome.error().what);
    return;
  }
  switch (outcome->end) {
    case pending::End::printed:
      if (outcome->mark_error) {
        context_.log.warning(*outcome->mark_error);
      }
      record(HookAnswer::printed, outcome->printed);
      return;
    case pending::End::same_turn_end:
      nothing();  // the other hook of this turn end has answered and noted it
      return;
    case pending::End::guarded:
      if (reason == GuardReason::streak) {
        context_.log.info(std::to_string(kMaxStreak) + " answers in a row went to this session; " +
                          std::to_string(outcome->waiting) +
                          " events follow at its next turn end.");
      }
      nothing();
      record(HookAnswer::loop_guard, 0);
      return;
    case pending::End::reader_gone:
      record(HookAnswer::printed, 0);
      return;
    case pending::End::nothing_waiting:
    case pending::End::unwanted:
      break;
  }
  nothing();
  record(HookAnswer::nothing_waiting, 0);
}

// A sink that cannot be read is said once in a while as an answer, and never in a continuation: it
// must not hold a turn.
void HookRun::unreadable(const std::string& why) {
  const std::int64_t now = context_.clock.wall_ms();
  HookRecord newest;
  for (const std::string& path : record_paths(context_.environment, record_name_)) {
    if (base::Result<HookRecord> kept = read_record(path); kept.ok()) {
      if (newest.idle.empty()) {
        newest.idle = std::move(kept->idle);
      }
      newest.told_ms = std::max(newest.told_ms, kept->told_ms);
    }
  }
  const bool told_lately =
      newest.told_ms && *newest.told_ms <= now && now - *newest.told_ms < kTellAgainMs;
  newest.at_ms = now;
  newest.answer = HookAnswer::sink_unreadable;
  if (!payload_.continuation && !told_lately) {
    newest.told_ms = now;
    newest.clear_idle(payload_.session);
    if (keep_told(newest)) {
      (void)print(pending::wrap(pending::shape_of(harness::answer_shape(payload_.kind)),
                                "Robot Council could not read the fleet events waiting for this "
                                "seat, and removed none of "
                                "them: " +
                                    why));
      return;
    }
  }
  context_.log.error(why);
  nothing();
  record(HookAnswer::sink_unreadable, 0);
}

bool HookRun::keep_told(const HookRecord& record) const {
  const std::vector<std::string> paths = record_paths(context_.environment, record_name_);
  const std::string sink_folder = base::parent_path(paths.front());
  return std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
    return usable_folder(base::parent_path(path), sink_folder) && write_record(path, record).ok();
  });
}

void HookRun::nothing() const {
  if (context_.environment.get_or_empty("ROBOT_COUNCIL_QUIET") == "object") {
    (void)print("{}");
  }
}

bool HookRun::print(std::string_view text) const {
  return base::write_all(stdout_fd_, text, base::deadline_in(kAnswerWait)).ok();
}

void HookRun::record(HookAnswer answer, std::size_t printed) const {
  const std::string path = base::join_path(
      base::parent_path(record_paths(context_.environment, record_name_).front()), record_name_);
  HookRecord record = read_record(path).value_or(HookRecord{});
  record.at_ms = context_.clock.wall_ms();
  record.answer = answer;
  record.printed = printed;
  if (printed > 0) {
    record.clear_idle(payload_.session);
  } else {
    record.set_idle(payload_.session, record.at_ms);
  }
  (void)write_record(path, record);
}

}  // namespace robot_council::stop_hook
