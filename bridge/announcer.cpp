#include "bridge/announcer.hpp"

#include <algorithm>
#include <exception>

#include "base/files.hpp"
#include "base/json.hpp"
#include "bridge/message.hpp"
#include "bridge/texts.hpp"

namespace robot_council::bridge {

namespace {

constexpr std::string_view kMethod = "notifications/claude/channel";
constexpr std::string_view kWaiting =
    "New fleet events are waiting for this session. This is a notice of the Robot Council server; ";
constexpr std::string_view kByHook = "the stop hook delivers them when the turn ends.";
constexpr std::string_view kNoHook =
    "no stop hook was found, and this server's instructions say how they are read.";
constexpr std::string_view kCacheOnly =
    "Nothing is waiting for this session. This notice only keeps its prompt cache warm.";

void take_earlier(std::optional<base::SteadyTime>& least, std::optional<base::SteadyTime> other) {
  if (other && (!least || *other < *least)) {
    least = other;
  }
}

}  // namespace

std::string notice_params(std::size_t count, int repeat, HookState hook) {
  std::string content(kWaiting);
  content.append(hook == HookState::found ? kByHook : kNoHook);
  std::string params = R"({"content":)" + base::quote_json(content) + R"(,"meta":{"new":")" +
                       std::to_string(count) + "\"";
  if (repeat > 0) {
    params.append(R"(,"repeat":")").append(std::to_string(repeat)).append("\"");
  }
  return params + "}}";
}

std::string keep_warm_params() {
  return R"({"content":)" + base::quote_json(kCacheOnly) + R"(,"meta":{"keep_warm":"1"}})";
}

Announcer::Announcer(AnnouncerParts parts, const Timings& timings, Channel channel, HookState hook,
                     const KeepWarmOptions& keep_warm)
    : parts_(std::move(parts)),
      timings_(timings),
      channel_(channel),
      hook_(hook),
      plan_(timings, hook),
      warm_(keep_warm.interval, keep_warm.ceiling, timings.own_turn, timings.turn_mark,
            parts_.context.clock.steady()) {}

Announcer::~Announcer() {
  stop();
}

void Announcer::joined() {
  if (channel_ == Channel::none) {
    return;
  }
  {
    const base::MutexLock lock(mu_);
    joined_ = true;
    if (!thread_.joinable() && !stop_) {
      thread_ = std::thread([this] { run(); });
    }
  }
  changed_.notify_all();
}

void Announcer::left() {
  const base::MutexLock lock(mu_);
  joined_ = false;
  held_back_.reset();
  plan_.reset();
}

void Announcer::stop() {
  {
    const base::MutexLock lock(mu_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void Announcer::initialized() {
  {
    const base::MutexLock lock(mu_);
    initialized_ = true;
  }
  changed_.notify_all();
}

void Announcer::stored(std::size_t rows) {
  if (channel_ == Channel::none || rows == 0) {
    return;
  }
  {
    const base::MutexLock lock(mu_);
    plan_.stored(rows);
  }
  changed_.notify_all();
}

void Announcer::tool_called() {
  const base::MutexLock lock(mu_);
  warm_.active(parts_.context.clock.steady());
}

void Announcer::feed_was_read() {
  const base::MutexLock lock(mu_);
  plan_.feed_was_read();
}

void Announcer::run() {
  const base::MutexLock lock(mu_);
  while (!stop_) {
    const std::optional<base::SteadyTime> due = next_due();
    if (!due) {
      changed_.wait(mu_);
      continue;
    }
    if (*due > parts_.context.clock.steady()) {
      static_cast<void>(changed_.wait_until(mu_, *due));
      continue;
    }
    try {
      pass();
    } catch (const std::exception& error) {
      parts_.context.log.error(std::string("A notice could not be sent: ") + error.what());
      held_back_ = parts_.context.clock.steady() + timings_.unreadable;
    }
  }
}

std::optional<base::SteadyTime> Announcer::next_due() {
  if (!joined_ || !initialized_) {
    return std::nullopt;
  }
  std::optional<base::SteadyTime> due;
  if (plan_.has_news()) {
    due = held_back_.value_or(parts_.context.clock.steady());
  }
  take_earlier(due, plan_.repeat_due());
  std::optional<base::SteadyTime> warm = warm_.look_due();
  if (warm && held_back_) {
    warm = std::max(*warm, *held_back_);
  }
  take_earlier(due, warm);
  return due;
}

std::optional<sink::ShareState> Announcer::read_share() {
  base::Result<sink::ShareState> share = sink::read_share(parts_.files, sink::own_process());
  return share.ok() ? std::optional<sink::ShareState>(*std::move(share)) : std::nullopt;
}

void Announcer::send(const std::string& params) {
  // Stdout may be blocked by a harness that does not read: the lock is given up meanwhile, so that
  // nobody waits for it here.
  mu_.unlock();
  parts_.output.write_line(notification_line(kMethod, params));
  mu_.lock();
}

bool Announcer::announce(base::SteadyTime now) {
  if (plan_.has_news()) {
    const std::optional<sink::ShareState> share = read_share();
    const std::size_t count =
        plan_.announce(share ? std::optional<std::string>(share->digest) : std::nullopt, now);
    warm_.active(now);
    send(notice_params(count, 0, hook_));
    parts_.record.noticed();
    return true;
  }
  if (plan_.repeat_due() && *plan_.repeat_due() <= now) {
    const std::optional<sink::ShareState> share = read_share();
    const std::optional<std::string> digest =
        share ? std::optional<std::string>(share->digest) : std::nullopt;
    const std::optional<NoticePlan::Repeat> repeat =
        plan_.repeat(digest, share && share->entries == 0, now);
    if (repeat) {
      warm_.active(now);
      send(notice_params(repeat->count, repeat->number, hook_));
      parts_.record.noticed();
      return true;
    }
  }
  return false;
}

void Announcer::look_at_turn(base::SteadyTime now) {
  const base::Result<base::FileInfo> mark = base::file_info(parts_.files.turn(), base::Links::dont);
  if (mark.ok()) {
    warm_.turn_ended(mark->modified_ms, parts_.context.clock.wall_ms(), now);
  }
  warm_.looked(now);
}

void Announcer::keep_warm(base::SteadyTime now) {
  if (!warm_.on()) {
    return;
  }
  look_at_turn(now);
  const std::optional<base::SteadyTime> due = warm_.due();
  if (!due || *due > now) {
    return;
  }
  warm_.sent(parts_.context.clock.wall_ms(), now);
  send(keep_warm_params());
}

void Announcer::pass() {
  const base::SteadyTime now = parts_.context.clock.steady();
  if (parts_.braked()) {
    held_back_ = now + timings_.brake;
    if (plan_.repeat_due() && *plan_.repeat_due() <= now) {
      plan_.postpone(now);
    }
    return;
  }
  held_back_.reset();
  if (!announce(now)) {
    keep_warm(now);
  }
}

}  // namespace robot_council::bridge
