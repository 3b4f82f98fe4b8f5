#include "bridge/router.hpp"

#include <algorithm>
#include <utility>

#include "base/json.hpp"
#include "base/json_scan.hpp"
#include "base/version.hpp"
#include "bridge/texts.hpp"
#include "bridge/tools_list.hpp"

namespace robot_council::bridge {

namespace {

constexpr std::string_view kListChanged = "notifications/tools/list_changed";

std::string_view offered_version(const Message& message) {
  const std::string_view params = message.params();
  const std::string_view version =
      params.empty() ? params : base::json_member(params, "protocolVersion");
  for (const std::string_view known : {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}) {
    if (!version.empty() && base::json_unescape(version) == known) {
      return known;
    }
  }
  return "2025-11-25";
}

std::string_view empty_list_of(std::string_view method) {
  if (method == "resources/list") {
    return R"({"resources":[]})";
  }
  if (method == "resources/templates/list") {
    return R"({"resourceTemplates":[]})";
  }
  return method == "prompts/list" ? R"({"prompts":[]})" : "";
}

std::string_view arguments_of(const Message& message) {
  const std::string_view params = message.params();
  return params.empty() ? params : base::json_member(params, "arguments");
}

}  // namespace

RouterEnd Router::run() {
  if (facts_.at_launch) {
    state_ = State::joining;
    launch_join_ = true;
    parts_.keeper.join(*facts_.at_launch);
  }
  while (!end_) {
    std::optional<Event> event = parts_.inbox.pop(next_deadline());
    if (parts_.stopping()) {
      return RouterEnd::stopped;
    }
    if (event) {
      take(*std::move(event));
    }
    expire(parts_.context.clock.steady());
  }
  return *end_;
}

void Router::take(Event event) {
  if (auto* incoming = std::get_if<Incoming>(&event)) {
    take_message(std::move(*incoming));
  } else if (std::holds_alternative<LineTooLong>(event)) {
    parts_.output.write_line(error_line("null", kInvalidRequest, text::kLineTooLong));
  } else if (std::holds_alternative<EndOfInput>(event)) {
    input_over_ = true;
    if (ended_.empty()) {
      end_by_ = parts_.context.clock.steady() + timings_.leave_wait;
    }
  } else if (std::holds_alternative<ContentLengthFraming>(event)) {
    parts_.context.log.error(text::kContentLength);
    end_ = RouterEnd::content_length;
  } else if (auto* joined = std::get_if<JoinFinished>(&event)) {
    join_finished(std::move(*joined));
  } else if (const auto* left = std::get_if<LeaveFinished>(&event)) {
    leave_finished(*left);
  } else if (const auto* ended = std::get_if<SessionEnded>(&event)) {
    session_ended(ended->text);
  }
}

std::optional<base::SteadyTime> Router::next_deadline() const {
  std::optional<base::SteadyTime> next;
  const auto earlier = [&next](std::optional<base::SteadyTime> at) {
    if (at && (!next || *at < *next)) {
      next = at;
    }
  };
  for (const Held& held : held_) {
    earlier(held.until);
  }
  earlier(leave_by_);
  earlier(end_by_);
  earlier(ended_by_);
  return next;
}

void Router::expire(base::SteadyTime now) {
  if (end_) {
    return;
  }
  if (ended_by_) {
    if (now >= *ended_by_) {
      parts_.forwarder.fail_all(kNotJoined, ended_);
      end_ = RouterEnd::ended_by_fleet;
    } else if (input_over_ && parts_.forwarder.idle()) {
      end_ = RouterEnd::ended_by_fleet;
    }
    return;
  }
  for (auto held = held_.begin(); held != held_.end();) {
    if (held->until && *held->until <= now) {
      Incoming incoming = std::move(held->incoming);
      held = held_.erase(held);
      if (incoming.message.method == "initialize") {
        answer_initialize(incoming.message);
      } else {
        parts_.output.write_line(result_line(incoming.message.id, unjoined_list()));
      }
    } else {
      ++held;
    }
  }
  if (leave_by_ && (parts_.forwarder.idle() || now >= *leave_by_)) {
    leave_by_.reset();
    parts_.forwarder.fail_all(kInternalError, std::string(text::kLeftFirst));
    parts_.keeper.leave();
  }
  if (end_by_ && (settled() || now >= *end_by_)) {
    end_ = RouterEnd::end_of_input;
  }
}

bool Router::settled() {
  return (state_ == State::unjoined || state_ == State::joined) && held_.empty() &&
         parts_.forwarder.idle();
}

void Router::answer_invalid(const Message& message) {
  switch (message.kind) {
    case MessageKind::too_deep:
      parts_.output.write_line(error_line("null", kInvalidRequest, text::kLineTooDeep));
      break;
    case MessageKind::invalid_request:
      parts_.output.write_line(error_line(message.id, kInvalidRequest, text::kNotAMessage));
      break;
    default:
      parts_.output.write_line(error_line("null", kParseError, text::kNotAMessage));
      break;
  }
}

void Router::list_changed() {
  parts_.output.write_line(notification_line(kListChanged));
}

bool Router::take_notification(const Message& message) {
  if (message.method == "notifications/cancelled") {
    cancelled(message);
    return true;
  }
  if (message.method == "notifications/initialized") {
    initialized_ = true;
    list_changed();
    parts_.announcer.initialized();
    return true;
  }
  return false;
}

bool Router::answer_anywhere(const Message& message) {
  if (take_notification(message)) {
    if (message.kind == MessageKind::request) {
      // Sent with an id: whoever does that waits for an answer.
      parts_.output.write_line(result_line(message.id, "{}"));
    }
    return true;
  }
  if (message.kind != MessageKind::request) {
    return false;
  }
  if (message.method == "ping") {
    parts_.output.write_line(result_line(message.id, "{}"));
    return true;
  }
  if (message.method == "server/discover") {
    parts_.output.write_line(error_line(message.id, kMethodNotFound, text::kMethodNotFound));
    return true;
  }
  return false;
}

void Router::take_message(Incoming incoming) {
  const Message& message = incoming.message;
  if (message.kind == MessageKind::not_json || message.kind == MessageKind::too_deep ||
      message.kind == MessageKind::invalid_request) {
    answer_invalid(message);
    return;
  }
  if (!ended_.empty()) {
    if (message.kind == MessageKind::request) {
      parts_.output.write_line(error_line(message.id, kNotJoined, ended_));
    } else if (message.kind == MessageKind::batch) {
      for (const std::string& id : batch_content(message.line).request_ids) {
        parts_.output.write_line(error_line(id, kNotJoined, ended_));
      }
    }
    return;
  }
  if (answer_anywhere(message)) {
    return;
  }
  if (message.method == "tools/call") {
    parts_.announcer.tool_called();
    parts_.record.tool_called();
  }
  if (braked(message)) {
    return;
  }
  const base::SteadyTime now = parts_.context.clock.steady();
  if (message.kind == MessageKind::request && message.method == "initialize") {
    if (state_ == State::joining && launch_join_) {
      hold(std::move(incoming), now + timings_.launch_wait);
    } else {
      answer_initialize(message);
    }
    return;
  }
  if (state_ == State::joining) {
    const bool list = message.kind == MessageKind::request && message.method == "tools/list";
    hold(std::move(incoming),
         list ? std::optional<base::SteadyTime>(now + timings_.launch_wait) : std::nullopt);
  } else if (state_ == State::leaving) {
    hold(std::move(incoming));
  } else {
    route(std::move(incoming));
  }
}

void Router::hold(Incoming incoming, std::optional<base::SteadyTime> until) {
  held_.push_back({std::move(incoming), until});
}

void Router::release_held() {
  while (!held_.empty() && (state_ == State::unjoined || state_ == State::joined)) {
    Incoming incoming = std::move(held_.front().incoming);
    held_.pop_front();
    if (incoming.message.method == "initialize" && incoming.message.kind == MessageKind::request) {
      answer_initialize(incoming.message);
    } else if (!braked(incoming.message)) {
      route(std::move(incoming));
    }
  }
}

void Router::route(Incoming incoming) {
  if (state_ == State::joined) {
    route_joined(std::move(incoming));
  } else {
    route_unjoined(std::move(incoming));
  }
}

void Router::route_unjoined(Incoming incoming) {
  const Message& message = incoming.message;
  if (message.kind == MessageKind::batch) {
    parts_.output.write_line(error_line("null", kInvalidRequest, text::kBatchUnjoined));
    return;
  }
  if (message.kind != MessageKind::request) {
    return;
  }
  if (message.method == "tools/list") {
    parts_.output.write_line(result_line(message.id, unjoined_list()));
    return;
  }
  const std::string_view empty = empty_list_of(message.method);
  if (!empty.empty()) {
    parts_.output.write_line(result_line(message.id, empty));
    return;
  }
  if (message.method == "tools/call" && message.tool() == "join") {
    begin_join(std::move(incoming));
    return;
  }
  parts_.output.write_line(error_line(message.id, kNotJoined, text::kNotJoined));
}

void Router::route_joined(Incoming incoming) {
  const Message& message = incoming.message;
  if (message.kind == MessageKind::request) {
    if (message.method == "tools/call" && is_local_tool(message.tool())) {
      call_tool(std::move(incoming));
      return;
    }
    if (message.method == "tools/list" && !has_cursor(message.line)) {
      parts_.forwarder.submit(std::move(incoming), Forwarder::Kind::tool_list);
      return;
    }
  }
  parts_.forwarder.submit(std::move(incoming), Forwarder::Kind::plain);
}

void Router::call_tool(Incoming incoming) {
  const std::string tool = incoming.message.tool();
  if (tool == "leave") {
    begin_leave(std::move(incoming));
  } else if (tool == "role_request") {
    request_role(std::move(incoming));
  } else {
    tool_answer(incoming.message.id, text::already_joined(parts_.session.id().value_or(0)),
                ToolOutcome::failed);
  }
}

void Router::tool_answer(const std::string& id, const std::string& text, ToolOutcome outcome) {
  parts_.output.write_line(result_line(id, tool_text(text, outcome)));
}

void Router::begin_join(Incoming incoming) {
  base::Result<JoinRequest> request = join_arguments(arguments_of(incoming.message));
  if (!request.ok()) {
    tool_answer(incoming.message.id, request.error().what, ToolOutcome::failed);
    return;
  }
  state_ = State::joining;
  launch_join_ = false;
  incoming.ticket.release();
  joiner_ = std::move(incoming);
  parts_.keeper.join(*request);
}

void Router::begin_leave(Incoming incoming) {
  state_ = State::leaving;
  incoming.ticket.release();
  leaver_ = std::move(incoming);
  leave_by_ = parts_.context.clock.steady() + timings_.leave_wait;
}

void Router::request_role(Incoming incoming) {
  base::Result<std::string> role = role_argument(arguments_of(incoming.message));
  if (!role.ok()) {
    tool_answer(incoming.message.id, role.error().what, ToolOutcome::failed);
    return;
  }
  parts_.forwarder.submit(std::move(incoming), Forwarder::Kind::role_request, *std::move(role));
}

void Router::cancelled(const Message& message) {
  const std::string_view params = message.params();
  const std::string_view id = params.empty() ? params : base::json_member(params, "requestId");
  if (id.empty()) {
    return;
  }
  const auto held = std::find_if(held_.begin(), held_.end(), [id](const Held& waiting) {
    return waiting.incoming.message.kind == MessageKind::request &&
           same_id(waiting.incoming.message.id, id);
  });
  if (held != held_.end()) {
    held_.erase(held);
    return;
  }
  static_cast<void>(parts_.forwarder.cancel(id));
}

bool Router::braked(const Message& message) {
  if (message.kind == MessageKind::batch) {
    const BatchContent content = batch_content(message.line);
    if (!content.tool_call || state_ == State::unjoined) {
      return false;
    }
    std::string refusal;
    for (const std::string& tool : content.tools) {
      refusal = parts_.refusal(tool);
      if (refusal.empty()) {
        return false;
      }
    }
    for (const std::string& id : content.request_ids) {
      parts_.output.write_line(error_line(id, kBraked, refusal));
    }
    return true;
  }
  if (message.method != "tools/call") {
    return false;
  }
  const std::string refusal = parts_.refusal(message.tool());
  if (refusal.empty()) {
    return false;
  }
  if (message.kind == MessageKind::request) {
    parts_.output.write_line(error_line(message.id, kBraked, refusal));
  }
  return true;
}

void Router::join_finished(JoinFinished finished) {
  state_ = finished.joined ? State::joined : State::unjoined;
  if (!finished.joined) {
    const std::string line = text::could_not_join(finished.text);
    parts_.context.log.warning(line);
    if (joiner_) {
      tool_answer(joiner_->message.id, line, ToolOutcome::failed);
    }
  } else {
    fleet_instructions_ = std::move(finished.instructions);
    if (!joiner_) {
      parts_.context.log.info(finished.text);
    }
    if (initialized_) {
      list_changed();
    }
    if (joiner_) {
      std::string answer = std::move(finished.text);
      if (facts_.harness == "codex" && initialized_) {
        answer.append(text::kCodexNote);
      }
      if (!fleet_instructions_.empty()) {
        answer.append("\n\nThe fleet's instructions:\n").append(fleet_instructions_);
      }
      const std::string warning = parts_.seat_warning();
      if (!warning.empty()) {
        answer.append("\n\nWarning: ").append(warning);
      }
      tool_answer(joiner_->message.id, answer, ToolOutcome::done);
    }
  }
  if (launch_join_) {
    const std::string& cursor = finished.joined ? facts_.cursor_joined : facts_.cursor_failed;
    if (!cursor.empty()) {
      facts_.cursor = cursor;
      parts_.context.log.warning(cursor);
    }
  }
  launch_join_ = false;
  joiner_.reset();
  release_held();
}

void Router::leave_finished(const LeaveFinished& finished) {
  state_ = State::unjoined;
  fleet_instructions_.clear();
  if (leaver_) {
    tool_answer(leaver_->message.id, finished.text, ToolOutcome::done);
    leaver_.reset();
  }
  list_changed();
  release_held();
}

void Router::session_ended(const std::string& text) {
  ended_ = text;
  ended_by_ = parts_.context.clock.steady() + timings_.ended_wait;
  end_by_.reset();
  leave_by_.reset();
  if (leaver_) {
    parts_.output.write_line(error_line(leaver_->message.id, kNotJoined, ended_));
    leaver_.reset();
  }
  parts_.forwarder.fail_unsent(kNotJoined, ended_);
  while (!held_.empty()) {
    const Incoming incoming = std::move(held_.front().incoming);
    held_.pop_front();
    if (incoming.message.kind == MessageKind::request) {
      parts_.output.write_line(error_line(incoming.message.id, kNotJoined, ended_));
    }
  }
  parts_.final_read();
}

void Router::answer_initialize(const Message& message) {
  InstructionFacts facts;
  facts.joined = state_ == State::joined;
  facts.fleet = fleet_instructions_;
  facts.channel = facts_.harness == "claude";
  facts.hook = facts_.hook;
  facts.keep_warm = facts_.keep_warm;
  facts.seat_held = parts_.seat_warning();
  facts.cursor = facts_.cursor;
  std::string result = R"({"protocolVersion":")";
  result.append(offered_version(message));
  result.append(R"(","capabilities":{"tools":{"listChanged":true},"resources":{},"prompts":{})");
  if (facts.channel) {
    result.append(R"(,"experimental":{"claude/channel":{}})");
  }
  result.append(R"(},"serverInfo":{"name":"Robot Council","version":)")
      .append(base::quote_json(base::version()));
  result.append(R"(},"instructions":)").append(base::quote_json(instructions(facts))).append("}");
  parts_.output.write_line(result_line(message.id, result));
}

}  // namespace robot_council::bridge
