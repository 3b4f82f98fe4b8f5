#include "bridge/forwarder.hpp"

#include <algorithm>
#include <atomic>
#include <exception>

#include "base/json.hpp"
#include "base/json_scan.hpp"
#include "bridge/answer.hpp"
#include "bridge/summary.hpp"
#include "bridge/texts.hpp"
#include "bridge/tools_list.hpp"
#include "service-api/paths.hpp"

namespace robot_council::bridge {

namespace {

constexpr int kUnauthorized = 401;
constexpr int kTooManyRequests = 429;
constexpr int kUnavailable = 503;
constexpr std::string_view kAcceptMcp = "application/json, text/event-stream";

}  // namespace

struct Forwarder::Call {
  Message message;
  WaitingRoom::Ticket ticket;
  Kind kind = Kind::plain;
  std::string role;
  std::atomic<bool> over{false};     // answered or given up; decides who answers
  std::atomic<bool> sent{false};     // its request went out
  std::atomic<bool> refused{false};  // with 401: it waits for a new token
};

struct Forwarder::Worker {
  std::unique_ptr<Upstream> upstream;
  CallPtr call;
  std::thread thread;
};

Forwarder::Forwarder(ForwarderParts parts, const Timings& timings)
    : parts_(std::move(parts)), timings_(timings) {}

Forwarder::~Forwarder() {
  stop();
}

void Forwarder::submit(Incoming incoming, Kind kind, std::string role) {
  auto call = std::make_shared<Call>();
  call->message = std::move(incoming.message);
  call->ticket = std::move(incoming.ticket);
  call->kind = kind;
  call->role = std::move(role);
  {
    const base::MutexLock lock(mu_);
    if (stop_) {
      return;
    }
    waiting_.push_back(std::move(call));
    if (free_workers_ < waiting_.size() && workers_.size() < kMaxWorkers) {
      workers_.push_back(std::make_unique<Worker>());
      Worker& worker = *workers_.back();
      ++free_workers_;
      worker.thread = std::thread([this, &worker] { run(worker); });
    }
  }
  changed_.notify_all();
}

Forwarder::CallPtr Forwarder::take(Worker& worker) {
  const base::MutexLock lock(mu_);
  while (!stop_) {
    if (waiting_.empty()) {
      changed_.wait(mu_);
      continue;
    }
    if (gate_ && parts_.context.clock.steady() < gate_until_) {
      static_cast<void>(changed_.wait_until(mu_, gate_until_));
      continue;
    }
    CallPtr call = std::move(waiting_.front());
    waiting_.pop_front();
    flying_.push_back(call);
    gate_ = call;
    gate_until_ = parts_.context.clock.steady() + timings_.start_gate;
    worker.call = call;
    --free_workers_;
    if (worker.upstream) {
      worker.upstream->resume();
    }
    return call;
  }
  return nullptr;
}

void Forwarder::run(Worker& worker) {
  while (CallPtr call = take(worker)) {
    call->ticket.release();
    try {
      if (!worker.upstream) {
        std::unique_ptr<Upstream> upstream = parts_.connect();
        const base::MutexLock lock(mu_);
        worker.upstream = std::move(upstream);
      }
      perform(worker, call);
    } catch (const std::exception& error) {
      answer_error(call, kInternalError, std::string(text::kStoppedUnexpectedly));
      parts_.context.log.error(error.what());
    }
    finish(call);
    {
      const base::MutexLock lock(mu_);
      worker.call.reset();
      ++free_workers_;
    }
    parts_.call_finished();
  }
}

void Forwarder::open_gate(const CallPtr& call) {
  {
    const base::MutexLock lock(mu_);
    if (gate_ != call) {
      return;
    }
    gate_.reset();
  }
  changed_.notify_all();
}

void Forwarder::finish(const CallPtr& call) {
  call->over.store(true);
  open_gate(call);
  const base::MutexLock lock(mu_);
  flying_.erase(std::remove(flying_.begin(), flying_.end(), call), flying_.end());
}

bool Forwarder::given_up(const CallPtr& call) const {
  return call->over.load();
}

void Forwarder::answer(const CallPtr& call, const std::vector<std::string>& lines) {
  if (call->over.exchange(true)) {
    return;
  }
  for (const std::string& line : lines) {
    parts_.output.write_line(line);
  }
}

void Forwarder::answer_error(const CallPtr& call, int code, const std::string& text) {
  std::vector<std::string> lines;
  if (call->message.kind == MessageKind::request) {
    lines.push_back(error_line(call->message.id, code, text));
  } else if (call->message.kind == MessageKind::batch) {
    for (const std::string& id : batch_content(call->message.line).request_ids) {
      lines.push_back(error_line(id, code, text));
    }
  }
  answer(call, lines);
}

bool Forwarder::wait_for_service(const CallPtr& call, base::Milliseconds pause) {
  const base::SteadyTime until = parts_.context.clock.steady() + pause;
  const base::MutexLock lock(mu_);
  while (!call->over.load() && parts_.context.clock.steady() < until) {
    static_cast<void>(changed_.wait_until(mu_, until));
  }
  return !call->over.load();
}

Forwarder::Exchange Forwarder::without_token(const TokenResult& token) const {
  Exchange failed;
  switch (token.why) {
    case NoToken::ended:
      failed.error_code = kNotJoined;
      failed.error = text::ended_sentence(parts_.session.id());
      break;
    case NoToken::failed:
      failed.error_code = kInternalError;
      failed.error = token.text;
      break;
    case NoToken::left:
      failed.error_code = kInternalError;
      failed.error = text::kLeftFirst;
      break;
    case NoToken::abandoned:
      failed.error_code = kInternalError;
      failed.error = "The fleet could not be reached: no token could be had in time";
      break;
  }
  return failed;
}

Forwarder::Exchange Forwarder::exchange(Worker& worker, const CallPtr& call,
                                        Upstream::Call request) {
  const base::Clock& clock = parts_.context.clock;
  const auto over = [&call] { return call->over.load(); };
  TokenResult token = parts_.session.acquire(over, clock.steady() + timings_.call);
  request.on_written = [this, call] {
    call->sent.store(true);
    open_gate(call);
  };
  bool renewed = false;
  bool waited = false;
  while (true) {
    if (!token.token) {
      return without_token(token);
    }
    request.token = token.token->text;
    Answer answer = worker.upstream->call(request, clock.steady() + timings_.call);
    open_gate(call);
    if (!answer.ok() || call->over.load()) {
      return {std::move(answer), 0, {}};
    }
    if (answer->status == kUnauthorized) {
      if (renewed) {
        return {std::nullopt, kInternalError, std::string(text::kRefusedAgain)};
      }
      renewed = true;
      call->refused.store(true);
      token = parts_.session.renew_after(token.token->generation, over,
                                         clock.steady() + timings_.call + timings_.connect);
      call->refused.store(false);
      continue;
    }
    if ((answer->status == kTooManyRequests || answer->status == kUnavailable) && !waited) {
      const std::optional<std::int64_t> seconds = retry_after_s(*answer, clock.wall_ms());
      if (seconds && *seconds <= kMaxRetryAfterCallSeconds) {
        waited = true;
        if (!wait_for_service(call, std::chrono::seconds(*seconds))) {
          return {std::move(answer), 0, {}};
        }
        continue;
      }
    }
    return {std::move(answer), 0, {}};
  }
}

void Forwarder::perform(Worker& worker, const CallPtr& call) {
  switch (call->kind) {
    case Kind::plain:
      perform_plain(worker, call);
      break;
    case Kind::tool_list:
      perform_list(worker, call);
      break;
    case Kind::role_request:
      perform_role(worker, call);
      break;
  }
}

void Forwarder::perform_plain(Worker& worker, const CallPtr& call) {
  Upstream::Call request;
  request.method = "POST";
  request.path = service_api::path::kMcp;
  request.accept = kAcceptMcp;
  request.body = call->message.line;
  const Exchange result = exchange(worker, call, std::move(request));
  if (given_up(call)) {
    return;
  }
  if (!result.answer) {
    answer_error(call, result.error_code, result.error);
    return;
  }
  const Message& message = call->message;
  std::string said;
  if (message.kind == MessageKind::request) {
    Reply reply = reply_to_request(*result.answer, message.id);
    const std::string tool = message.method == "tools/call" ? message.tool() : std::string();
    const bool good = reply.success && !tool.empty();
    const std::string_view outcome =
        good ? base::json_member(base::json_member(reply.line, "result"), "isError") : "";
    const bool is_error = !outcome.empty() && outcome == "true";
    said = std::move(reply.said);
    answer(call, {reply.line});
    if (good && !is_error) {
      parts_.answered(tool);
    }
  } else if (message.kind == MessageKind::batch) {
    BatchReply reply = reply_to_batch(*result.answer, batch_content(message.line).request_ids);
    said = std::move(reply.said);
    answer(call, reply.lines);
  } else if (!result.answer->ok()) {
    said = "The fleet could not be reached: " + transport_text(result.answer->error());
  }
  if (!said.empty()) {
    parts_.context.log.warning(said);
  }
}

void Forwarder::perform_list(Worker& worker, const CallPtr& call) {
  Upstream::Call request;
  request.method = "POST";
  request.path = service_api::path::kMcp;
  request.accept = kAcceptMcp;
  request.body = call->message.line;
  std::vector<std::string> tools;
  std::vector<std::string> first_tools;
  std::string first_next;
  std::vector<std::string> dropped;
  std::set<std::string> cursors;
  for (std::size_t pages = 0; pages < kMaxListPages; ++pages) {
    const Exchange result = exchange(worker, call, request);
    if (given_up(call)) {
      return;
    }
    std::optional<ToolPage> page;
    if (result.answer) {
      const Reply reply = reply_to_request(*result.answer, call->message.id);
      page = reply.success ? read_tool_page(reply.line) : std::nullopt;
      if (!page && pages == 0) {
        answer(call, {reply.line});
        if (!reply.said.empty()) {
          parts_.context.log.warning(reply.said);
        }
        return;
      }
    } else if (pages == 0) {
      answer_error(call, result.error_code, result.error);
      return;
    }
    const bool usable = page && (!page->next || cursors.insert(*page->next).second);
    if (page) {
      dropped.insert(dropped.end(), page->dropped.begin(), page->dropped.end());
    }
    if (pages == 0) {
      first_tools = page->tools;
      first_next = page->next_bytes;
    }
    if (!usable) {
      break;  // the first page alone
    }
    tools.insert(tools.end(), page->tools.begin(), page->tools.end());
    if (!page->next) {
      first_tools = std::move(tools);
      first_next.clear();
      break;
    }
    request.body = with_cursor(call->message.line, page->next_bytes);
  }
  answer(call, {on_one_line(result_line(call->message.id, joined_list(first_tools, first_next)))});
  const base::MutexLock lock(names_mu_);
  for (const std::string& name : dropped) {
    if (told_tools_.insert(name).second) {
      parts_.context.log.warning(text::tool_without_schema(name.empty() ? "without a name" : name));
    }
  }
}

void Forwarder::perform_role(Worker& worker, const CallPtr& call) {
  Upstream::Call request;
  request.method = "POST";
  request.path = service_api::path::kAgentRole;
  request.body = R"({"role":)" + base::quote_json(call->role) + "}";
  const Exchange result = exchange(worker, call, std::move(request));
  if (given_up(call)) {
    return;
  }
  if (!result.answer) {
    answer_error(call, result.error_code, result.error);
    return;
  }
  RoleAnswer role;
  role.asked = true;
  role.wanted = call->role;
  const Answer& answered = *result.answer;
  if (answered.ok()) {
    role.status = answered->status;
    if (role.failed()) {
      role.message = service_message(answered->body);
    } else {
      const RoleReply reply = read_role_reply(answered->body);
      role.pending = reply.pending;
      role.held = reply.role;
    }
  }
  const std::string text = role.failed() ? role_failure(role) : role_note(role, "This session");
  const ToolOutcome outcome = role.failed() ? ToolOutcome::failed : ToolOutcome::done;
  answer(call, {result_line(call->message.id, tool_text(text, outcome))});
}

std::vector<std::string> Forwarder::give_up(const CallPtr& call) {
  if (call->over.exchange(true)) {
    return {};
  }
  if (call->message.kind == MessageKind::request) {
    return {call->message.id};
  }
  return call->message.kind == MessageKind::batch ? batch_content(call->message.line).request_ids
                                                  : std::vector<std::string>{};
}

bool Forwarder::cancel(std::string_view id) {
  CallPtr found;
  {
    const base::MutexLock lock(mu_);
    const auto is_it = [id](const CallPtr& call) {
      return call->message.kind == MessageKind::request && !call->over.load() &&
             same_id(call->message.id, id);
    };
    const auto waiting = std::find_if(waiting_.begin(), waiting_.end(), is_it);
    if (waiting != waiting_.end()) {
      found = *waiting;
      waiting_.erase(waiting);
      found->over.store(true);
    } else {
      for (const std::unique_ptr<Worker>& worker : workers_) {
        if (worker->call && is_it(worker->call)) {
          found = worker->call;
          found->over.store(true);
          if (worker->upstream) {
            worker->upstream->cancel();
          }
          break;
        }
      }
    }
  }
  if (!found) {
    return false;
  }
  changed_.notify_all();
  parts_.session.wake();
  parts_.call_finished();
  return true;
}

bool Forwarder::idle() {
  const base::MutexLock lock(mu_);
  return waiting_.empty() && flying_.empty();
}

void Forwarder::fail_all(int code, const std::string& text) {
  std::vector<std::string> owed;
  {
    const base::MutexLock lock(mu_);
    for (const CallPtr& call : waiting_) {
      const std::vector<std::string> ids = give_up(call);
      owed.insert(owed.end(), ids.begin(), ids.end());
    }
    waiting_.clear();
    for (const std::unique_ptr<Worker>& worker : workers_) {
      if (worker->call) {
        const std::vector<std::string> ids = give_up(worker->call);
        owed.insert(owed.end(), ids.begin(), ids.end());
        if (worker->upstream) {
          worker->upstream->cancel();
        }
      }
    }
  }
  changed_.notify_all();
  parts_.session.wake();
  for (const std::string& id : owed) {
    parts_.output.write_line(error_line(id, code, text));
  }
}

void Forwarder::fail_unsent(int code, const std::string& text) {
  std::vector<std::string> owed;
  {
    const base::MutexLock lock(mu_);
    for (const CallPtr& call : waiting_) {
      const std::vector<std::string> ids = give_up(call);
      owed.insert(owed.end(), ids.begin(), ids.end());
    }
    waiting_.clear();
    for (const CallPtr& call : flying_) {
      if (call->refused.load() || !call->sent.load()) {
        const std::vector<std::string> ids = give_up(call);
        owed.insert(owed.end(), ids.begin(), ids.end());
      }
    }
  }
  changed_.notify_all();
  parts_.session.wake();
  for (const std::string& id : owed) {
    parts_.output.write_line(error_line(id, code, text));
  }
}

void Forwarder::stop() {
  std::vector<std::unique_ptr<Worker>> workers;
  {
    const base::MutexLock lock(mu_);
    stop_ = true;
    for (const CallPtr& call : waiting_) {
      call->over.store(true);
    }
    waiting_.clear();
    for (const std::unique_ptr<Worker>& worker : workers_) {
      if (worker->call) {
        worker->call->over.store(true);
      }
      if (worker->upstream) {
        worker->upstream->cancel();
      }
    }
    workers.swap(workers_);
  }
  changed_.notify_all();
  parts_.session.wake();
  for (const std::unique_ptr<Worker>& worker : workers) {
    worker->thread.join();
  }
}

}  // namespace robot_council::bridge
