#include "bridge/keeper.hpp"

#include <algorithm>
#include <exception>

#include "bridge/answer.hpp"
#include "bridge/texts.hpp"
#include "service-api/paths.hpp"
#include "sink/delivery_store.hpp"

namespace robot_council::bridge {

namespace path = service_api::path;

namespace {

constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kConflict = 409;
constexpr int kTooManyRequests = 429;
constexpr int kUnavailable = 503;
constexpr std::int64_t kExpiryWarningMs = 3LL * 24 * 3600 * 1000;
constexpr const char* kCapacityChanged = "bridge.capacity-changed";

bool is_busy(int status) {
  return status == kTooManyRequests || status == kUnavailable;
}

}  // namespace

Keeper::Keeper(KeeperParts parts, JoinDefaults defaults, const Timings& timings)
    : parts_(std::move(parts)),
      defaults_(std::move(defaults)),
      timings_(timings),
      upstream_(parts_.connect()),
      feed_plan_(timings) {}

Keeper::~Keeper() {
  stop();
}

void Keeper::start() {
  parts_.session.on_wanted([this] {
    const bool now = parts_.session.wanted().now;
    {
      const base::MutexLock lock(mu_);
      if (now && background_) {
        upstream_->cancel();  // a refused call waits: a heartbeat that hangs does not hold its
                              // renewal up
      }
    }
    changed_.notify_all();
  });
  thread_ = std::thread([this] { run(); });
}

void Keeper::join(const JoinRequest& request) {
  {
    const base::MutexLock lock(mu_);
    command_ = Command::join;
    request_ = request;
  }
  changed_.notify_all();
}

void Keeper::leave() {
  {
    const base::MutexLock lock(mu_);
    command_ = Command::leave;
  }
  changed_.notify_all();
}

void Keeper::ask_to_stop() {
  {
    const base::MutexLock lock(mu_);
    if (!stop_) {
      stop_ = true;
      stop_deadline_ = base::deadline_in(timings_.delete_wait);
      if (!starting_) {
        upstream_->cancel();  // a start under way is awaited: its session must be ended
      }
    }
  }
  parts_.session.wake();
  changed_.notify_all();
}

void Keeper::stop() {
  ask_to_stop();
  {
    const base::MutexLock lock(mu_);
    while (!finished_ && thread_.joinable()) {
      if (!changed_.wait_until(mu_, stop_deadline_) &&
          base::time_left(stop_deadline_).count() == 0) {
        break;
      }
    }
  }
  upstream_->cancel();
  if (thread_.joinable()) {
    thread_.join();
  }
}

bool Keeper::stopping() const {
  const base::MutexLock lock(mu_);
  return stop_;
}

void Keeper::guarded(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& error) {
    parts_.context.log.error(error.what());
  }
}

void Keeper::run() {
  while (true) {
    Command command = Command::none;
    JoinRequest request;
    {
      const base::MutexLock lock(mu_);
      while (!stop_ && command_ == Command::none) {
        const std::optional<base::SteadyTime> due = next_due();
        if (!due) {
          changed_.wait(mu_);
        } else if (*due <= parts_.context.clock.steady() || !changed_.wait_until(mu_, *due)) {
          break;
        }
      }
      if (stop_) {
        break;
      }
      command = std::exchange(command_, Command::none);
      request = request_;
    }
    switch (command) {
      case Command::join:
        do_join(request);
        break;
      case Command::leave:
        guarded([this] { do_leave(); });
        break;
      case Command::none:
        guarded([this] { pass(); });
        break;
    }
  }
  guarded([this] { do_end(); });
  {
    const base::MutexLock lock(mu_);
    finished_ = true;
  }
  changed_.notify_all();
}

std::optional<base::SteadyTime> Keeper::next_due() {
  if (!joined_) {
    return std::nullopt;
  }
  base::SteadyTime due = std::min({heartbeat_at_, capacity_at_, expiry_at_});
  if (!no_watcher_) {
    due = std::min(due, watcher_at_);
  }
  const base::Clock& clock = parts_.context.clock;
  const base::SteadyTime now = clock.steady();
  const Session::Wanted wanted = parts_.session.wanted();
  if (wanted.now) {
    return now;
  }
  if (wanted.due) {
    due = std::min(due, std::max(now, renew_not_before_));
  }
  if (const std::optional<base::Milliseconds> at = parts_.session.renew_at()) {
    const base::Milliseconds left = *at - clock.awake_and_asleep();
    due = std::min(due, std::max(now + std::max(left, base::Milliseconds(0)), renew_not_before_));
  }
  return due;
}

void Keeper::pass() {
  const auto due = [this](base::SteadyTime at) {
    return joined_ && !stopping() && parts_.context.clock.steady() >= at;
  };
  if (parts_.session.wanted().now) {
    renew();
  }
  if (due(heartbeat_at_)) {
    heartbeat();
  }
  if (!no_watcher_ && due(watcher_at_)) {
    watcher();
  }
  if (due(capacity_at_)) {
    capacity();
  }
  const std::optional<base::Milliseconds> at = parts_.session.renew_at();
  const bool old = at && *at <= parts_.context.clock.awake_and_asleep();
  const Session::Wanted wanted = parts_.session.wanted();
  if (wanted.now || ((wanted.due || old) && due(renew_not_before_))) {
    renew();
  }
  if (due(expiry_at_)) {
    expiry();
  }
  if (!stopping()) {
    end_leftover();
  }
}

base::SteadyTime Keeper::next_of(base::Milliseconds period, const Answer& answer) const {
  const base::SteadyTime now = parts_.context.clock.steady();
  if (answer.ok() && is_busy(answer->status)) {
    const std::optional<std::int64_t> seconds =
        retry_after_s(*answer, parts_.context.clock.wall_ms());
    if (seconds) {
      return now + std::chrono::seconds(std::min(*seconds, kMaxRetryAfterSeconds));
    }
  }
  return now + period;
}

std::optional<Answer> Keeper::call_session(Upstream::Call call, base::Milliseconds time) {
  const base::Clock& clock = parts_.context.clock;
  // The keeper renews itself, so it never waits for a renewal here.
  const TokenResult token = parts_.session.acquire([] { return false; }, clock.steady());
  if (!token.token) {
    return std::nullopt;
  }
  call.token = token.token->text;
  {
    const base::MutexLock lock(mu_);
    background_ = true;
  }
  Answer answer = upstream_->call(call, clock.steady() + time);
  {
    const base::MutexLock lock(mu_);
    background_ = false;
    if (!stop_) {
      upstream_->resume();
    }
  }
  if (answer.ok() && answer->status == kUnauthorized &&
      parts_.session.is_current(token.token->generation)) {
    parts_.session.make_due();
  }
  return answer;
}

void Keeper::heartbeat() {
  heartbeat_at_ = parts_.context.clock.steady() + timings_.heartbeat;
  Upstream::Call call;
  call.method = "POST";
  call.path = path::kAgentHeartbeat;
  const std::optional<Answer> answer = call_session(std::move(call), timings_.call);
  if (answer && answer->ok() && is_busy((*answer)->status)) {
    heartbeat_at_ = next_of(timings_.heartbeat, *answer);
  }
}

void Keeper::watcher() {
  watcher_at_ = parts_.context.clock.steady() + timings_.watcher;
  Upstream::Call call;
  call.method = "POST";
  call.path = path::kAgentWatcher;
  const std::optional<Answer> answer = call_session(std::move(call), timings_.call);
  if (!answer || stopping()) {
    return;
  }
  if (!answer->ok()) {
    if (!std::exchange(watcher_failing_, true)) {
      parts_.context.log.warning(text::watcher_failed(0));
    }
    return;
  }
  const int status = (*answer)->status;
  if (status == kNotFound) {
    no_watcher_ = true;
    parts_.context.log.warning(text::kNoWatcher);
  } else if (is_success(status)) {
    watcher_failing_ = false;
  } else if (status != kUnauthorized) {
    if (!std::exchange(watcher_failing_, true)) {
      parts_.context.log.warning(text::watcher_failed(status));
    }
    if (is_busy(status)) {
      watcher_at_ = next_of(timings_.watcher, *answer);
    }
  }
}

void Keeper::local_entry(const std::string& type, const std::string& body) {
  parts_.announcer.stored(parts_.sink.put_local(type, body));
}

std::optional<std::int64_t> Keeper::unread_capacity_start() const {
  if (!capacity_from_) {
    return std::nullopt;
  }
  base::Result<std::optional<sink::DeliveryStore>> store =
      sink::DeliveryStore::open(parts_.sink.files(), sink::Access::read_only, sink::WaitBudget());
  if (!store.ok() || !*store) {
    return std::nullopt;
  }
  const base::Result<sink::DeliveryStore::Look> look = (*store)->look(std::nullopt);
  if (!look.ok()) {
    return std::nullopt;
  }
  const bool unread = std::any_of(look->rows.begin(), look->rows.end(), [](const sink::Entry& row) {
    return row.type == kCapacityChanged && row.state != sink::RowState::written;
  });
  return unread ? capacity_from_ : std::nullopt;
}

void Keeper::capacity() {
  capacity_at_ = parts_.context.clock.steady() + timings_.capacity;
  Upstream::Call call;
  call.method = "GET";
  call.path = path::kAgentSession;
  const std::optional<Answer> answer = call_session(std::move(call), timings_.session_read);
  if (!answer || !answer->ok()) {
    return;
  }
  if (!is_success((*answer)->status)) {
    capacity_at_ = next_of(timings_.capacity, *answer);
    return;
  }
  const std::optional<std::int64_t> now = read_agent_session((*answer)->body).capacity;
  if (!now || *now == capacity_) {
    return;
  }
  const std::int64_t from = unread_capacity_start().value_or(capacity_);
  const std::string line =
      from == *now ? text::capacity_back(*now) : text::capacity_changed(from, *now);
  const std::size_t stored = parts_.sink.put_local(kCapacityChanged, line);
  if (stored == 0) {
    return;  // said by the desk; the baseline stays, so that it is told later
  }
  parts_.announcer.stored(stored);
  parts_.context.log.info(line);
  capacity_from_ = from;
  capacity_ = *now;
}

void Keeper::expiry() {
  expiry_at_ = parts_.context.clock.steady() + timings_.expiry;
  const base::Result<account::Credential> credential = parts_.read_credential();
  if (!credential.ok() || !credential->expires_ms) {
    return;
  }
  if (*credential->expires_ms - parts_.context.clock.wall_ms() > kExpiryWarningMs) {
    return;
  }
  const std::string line = text::credential_expiring(defaults_.harness, *credential->expires_ms);
  parts_.context.log.warning(line);
  local_entry("bridge.credential-expiring", line);
}

void Keeper::renew() {
  if (!session_ || !joined_) {
    return;
  }
  parts_.session.renewal_began();
  renew_not_before_ = parts_.context.clock.steady() + timings_.renew_pause;
  if (reread_credential_) {
    const base::Result<account::Credential> credential = parts_.read_credential();
    if (credential.ok() && credential->token != credential_) {
      credential_ = credential->token;
      credential_changed_ = true;
    }
  }
  Upstream::Call call;
  call.method = "POST";
  call.path = path::session_renew(*session_);
  call.token = credential_;
  renewal_answered(upstream_->call(call, parts_.context.clock.steady() + timings_.call));
}

void Keeper::renewal_answered(const Answer& answer) {
  const auto failed = [this](const std::string& text) {
    if (!stopping()) {
      parts_.context.log.warning(text);
    }
    parts_.session.renewal_failed(text);
  };
  if (!answer.ok()) {
    failed("The fleet could not be reached: " + transport_text(answer.error()));
    return;
  }
  const int status = answer->status;
  const bool not_found = status == kNotFound && is_json_object(answer->body);
  not_found_run_ = not_found ? not_found_run_ + 1 : 0;
  const bool refused_anew = credential_changed_ && (status == kForbidden || status == kNotFound);
  if (status == kConflict || not_found_run_ >= 2 || refused_anew) {
    gone();
    return;
  }
  if (status == kUnauthorized) {
    reread_credential_ = true;
    const std::string line = text::credential_refused(defaults_.harness);
    parts_.session.renewal_failed(text::renewal_refused(status));
    if (!std::exchange(credential_refused_, true)) {
      parts_.context.log.error(line);
      local_entry("bridge.credential-refused", line);
    }
    return;
  }
  if (!is_success(status)) {
    failed(text::renewal_refused(status));
    if (is_busy(status)) {
      renew_not_before_ = std::max(renew_not_before_, next_of(timings_.renew_pause, answer));
    }
    return;
  }
  const std::optional<Renewed> renewed = read_renewal(answer->body);
  if (!renewed) {
    failed(std::string(text::kNoToken));
    return;
  }
  reread_credential_ = false;
  credential_changed_ = false;
  credential_refused_ = false;
  parts_.session.renewed({renewed->token, renewed->expires_in_s, renewed->coordinator});
}

void Keeper::gone() {
  const std::optional<std::int64_t> session = session_;
  joined_ = false;
  parts_.context.log.error(text::kGone);
  const std::string sentence = text::ended_sentence(session);
  parts_.session.end();
  if (follower_) {
    follower_->stop();
    follower_.reset();
  }
  parts_.announcer.left();
  if (!defaults_.join_record.empty()) {
    remove_join_record(defaults_.join_record);
  }
  parts_.sink.end_session({{"bridge.session-ended", sentence}});
  parts_.inbox.push(SessionEnded{sentence});
}

}  // namespace robot_council::bridge
