#include <exception>
#include <utility>

#include "base/json.hpp"
#include "bridge/answer.hpp"
#include "bridge/keeper.hpp"
#include "bridge/texts.hpp"
#include "service-api/paths.hpp"
#include "sink/checkout.hpp"

namespace robot_council::bridge {

namespace path = service_api::path;

namespace {

constexpr int kNotFound = 404;
constexpr int kConflict = 409;

// The call that fetches the fleet's instructions; the only MCP handshake there is (service
// contract, section 7).
constexpr std::string_view kInitialize =
    R"({"jsonrpc":"2.0","id":"robot-council-join","method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"robot-council bridge","version":"1"}}})";

bool end_was_answered(const Answer& answer) {
  return answer.ok() &&
         (is_success(answer->status) || answer->status == kNotFound || answer->status == kConflict);
}

std::string with_stop(std::string text) {
  if (!text.empty() && text.back() != '.') {
    text.push_back('.');
  }
  return text;
}

void add_note(std::string& notes, const std::string& note) {
  notes.append(notes.empty() ? "" : " ").append(note);
}

}  // namespace

StartFields Keeper::start_fields(const JoinRequest& request, Joined& joined) const {
  StartFields fields;
  fields.project_id = defaults_.project;
  fields.capacity = request.capacity;
  fields.platform = this_platform();
  const base::Result<sink::Checkout> checkout = sink::find_checkout(defaults_.folder);
  const Place place = checkout.ok() ? place_of_checkout(checkout->path) : Place{};
  const std::optional<std::string>& repository =
      request.repository ? request.repository : defaults_.repository;
  if (repository) {
    std::optional<std::string> checked = checked_repository(*repository);
    if (!checked) {
      checked = repository_of_remote(*repository);
    }
    fields.repository = checked.value_or("");
    if (!checked) {
      add_note(joined.unset_notes, text::left_unset("repository", *repository));
    }
  } else {
    fields.repository = place.repository.value_or("");
  }
  const std::optional<std::string>& location =
      request.work_location ? request.work_location : defaults_.work_location;
  if (location) {
    const std::optional<std::string> reduced = reduced_location(*location);
    fields.work_location = reduced.value_or("");
    if (!reduced) {
      add_note(joined.unset_notes, text::left_unset("work location", *location));
    }
  } else {
    fields.work_location = place.work_location.value_or("");
  }
  joined.repository = fields.repository;
  joined.work_location = fields.work_location;
  return fields;
}

void Keeper::end_leftover() {
  const std::optional<std::int64_t> leftover = parts_.record.leftover();
  if (!leftover) {
    return;
  }
  Upstream::Call call;
  call.method = "DELETE";
  call.path = path::session(*leftover);
  call.token = credential_;
  static_cast<void>(upstream_->call(call, parts_.context.clock.steady() + timings_.delete_wait));
  parts_.record.leftover_ended();
}

base::Status Keeper::open_sink(const Started& started) {
  sink::JoinInfo info;
  info.session = started.session;
  info.cursor = started.feed_cursor;
  info.bridge = sink::own_process();
  info.client = sink::parent_process();
  info.holds_seat = parts_.holds_seat();
  return parts_.sink.open(info);
}

RoleAnswer Keeper::ask_role(const Started& started, const std::string& role) {
  RoleAnswer answer;
  answer.asked = true;
  answer.wanted = role;
  Upstream::Call call;
  call.method = "POST";
  call.path = path::kAgentRole;
  call.token = started.token;
  call.body = R"({"role":)" + base::quote_json(role) + "}";
  const Answer response = upstream_->call(call, parts_.context.clock.steady() + timings_.call);
  if (!response.ok()) {
    return answer;
  }
  answer.status = response->status;
  if (answer.failed()) {
    answer.message = service_message(response->body);
  } else {
    RoleReply reply = read_role_reply(response->body);
    answer.pending = reply.pending;
    answer.held = std::move(reply.role);
  }
  return answer;
}

void Keeper::tell_whether_directed() {
  Upstream::Call call;
  call.method = "GET";
  call.path = path::kAgentSession;
  const std::optional<Answer> answer = call_session(std::move(call), timings_.session_read);
  if (answer && answer->ok() && is_success((*answer)->status) &&
      read_agent_session((*answer)->body).fleet_can_direct == false) {
    parts_.context.log.warning(text::kNoCoordinator);
  }
}

std::string Keeper::fleet_instructions() {
  Upstream::Call call;
  call.method = "POST";
  call.path = path::kMcp;
  call.accept = "application/json, text/event-stream";
  call.body = std::string(kInitialize);
  const std::optional<Answer> answer = call_session(std::move(call), timings_.instructions);
  if (!answer || !answer->ok() || !is_success((*answer)->status)) {
    return {};
  }
  const Reply reply = reply_to_request(*answer, R"("robot-council-join")");
  return reply.success ? read_instructions(reply.line) : std::string();
}

void Keeper::begin_timers(const Started& started) {
  const base::SteadyTime now = parts_.context.clock.steady();
  heartbeat_at_ = now + timings_.heartbeat;
  watcher_at_ = now;
  capacity_at_ = now + timings_.capacity;
  expiry_at_ = now;
  renew_not_before_ = now;
  no_watcher_ = false;
  watcher_failing_ = false;
  credential_refused_ = false;
  credential_changed_ = false;
  reread_credential_ = false;
  not_found_run_ = 0;
  capacity_ = started.capacity.value_or(1);
  capacity_from_.reset();
}

void Keeper::end_started(const std::string& credential, std::int64_t session) {
  base::SteadyTime deadline = parts_.context.clock.steady() + timings_.delete_wait;
  {
    const base::MutexLock lock(mu_);
    if (stop_) {
      deadline = stop_deadline_;
    }
    upstream_->resume();
  }
  Upstream::Call call;
  call.method = "DELETE";
  call.path = path::session(session);
  call.token = credential;
  const Answer answer = upstream_->call(call, deadline);
  session_.reset();
  if (end_was_answered(answer)) {
    parts_.record.session_ended();
  }
}

base::Result<JoinFinished> Keeper::try_join(const JoinRequest& request) {
  base::Result<account::Credential> credential = parts_.read_credential();
  if (!credential.ok()) {
    return base::Error{credential.error().code, with_stop(credential.error().what)};
  }
  credential_ = credential->token;
  end_leftover();
  Joined joined;
  const StartFields fields = start_fields(request, joined);
  {
    const base::MutexLock lock(mu_);
    if (stop_) {
      return base::Error{base::Errc::refused, "the bridge stops."};
    }
    upstream_->resume();
    starting_ = true;
  }
  const base::Result<Started> started =
      start_session(*upstream_, credential_, fields, parts_.context.clock.steady() + timings_.call);
  {
    const base::MutexLock lock(mu_);
    starting_ = false;
  }
  if (!started.ok()) {
    return started.error();
  }
  session_ = started->session;
  parts_.record.joined(started->session, "build", started->feed_cursor);
  if (stopping()) {
    return base::Error{base::Errc::refused, "the bridge stops."};  // do_end() ends the session
  }
  joined.session = started->session;
  joined.capacity = {request.capacity, started->capacity, started->declared_capacity};
  if (request.role && *request.role != "build") {
    joined.role = ask_role(*started, *request.role);
  }
  const base::Status opened = open_sink(*started);
  if (!opened.ok()) {
    end_started(credential_, started->session);
    return base::Error{opened.error().code,
                       with_stop(opened.error().what) + std::string(text::kEndedAgain)};
  }
  parts_.session.begin(started->session,
                       {started->token, started->expires_in_s, started->coordinator});
  FollowerParts follower{parts_.context, parts_.session, parts_.sink, parts_.record,
                         [this](std::size_t rows) { parts_.announcer.stored(rows); }};
  follower_ = std::make_unique<Follower>(std::move(follower), parts_.connect(), feed_plan_,
                                         started->session, started->feed_cursor);
  tell_whether_directed();
  if (!defaults_.join_record.empty()) {
    write_join_record(defaults_.join_record, request, sink::parent_process(),
                      parts_.context.clock.wall_ms());
  }
  JoinFinished finished;
  finished.joined = true;
  finished.instructions = fleet_instructions();
  finished.text = join_summary(joined);
  begin_timers(*started);
  return finished;
}

void Keeper::do_join(const JoinRequest& request) {
  JoinFinished finished;
  try {
    base::Result<JoinFinished> result = try_join(request);
    if (result.ok()) {
      finished = *std::move(result);
      joined_ = true;
      parts_.announcer.joined();
    } else {
      finished.text = result.error().what;
    }
  } catch (const std::exception&) {
    finished.text = text::kUnforeseen;
    if (session_) {
      forget_session();
      end_started(credential_, *session_);
      finished.text = text::kJoiningFailed;
    }
  }
  if (!finished.joined && stopping()) {
    return;
  }
  parts_.inbox.push(std::move(finished));
}

void Keeper::forget_session() {
  joined_ = false;
  parts_.session.leave();
  if (follower_) {
    follower_->stop();
    follower_.reset();
  }
  parts_.announcer.left();
}

void Keeper::do_leave() {
  const std::optional<std::int64_t> session = session_;
  forget_session();
  if (session) {
    end_started(credential_, *session);
  }
  parts_.sink.end_session({});
  if (!defaults_.join_record.empty()) {
    remove_join_record(defaults_.join_record);
  }
  const std::string line = text::left_fleet(session);
  parts_.context.log.info(line);
  parts_.inbox.push(LeaveFinished{line});
}

void Keeper::do_end() {
  // The service first: a harness kills half a second after its first signal.
  const std::optional<std::int64_t> session = session_;
  if (follower_) {
    follower_->ask_to_stop();
  }
  parts_.announcer.left();
  if (session) {
    end_started(credential_, *session);
  }
  forget_session();
  parts_.sink.end_session({});
}

}  // namespace robot_council::bridge
