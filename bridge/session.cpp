#include "bridge/session.hpp"

#include <algorithm>
#include <utility>

namespace robot_council::bridge {

namespace {

// Time asleep since start-up: what the one clock counts and the other does not.
base::Milliseconds slept(const base::Clock& clock) {
  const auto awake =
      std::chrono::duration_cast<base::Milliseconds>(clock.steady().time_since_epoch());
  return clock.awake_and_asleep() - awake;
}

}  // namespace

void Session::issue(const Issue& issue) {
  token_ = issue.token;
  coordinator_ = issue.coordinator;
  ++generation_;
  expires_.reset();
  if (issue.expires_in_s) {
    constexpr std::int64_t kLongestLifeSeconds =
        366LL * 24 * 3600;  // of a token; larger numbers are nonsense
    expires_ = clock_.awake_and_asleep() +
               base::Milliseconds(std::chrono::seconds(
                   std::clamp<std::int64_t>(*issue.expires_in_s, 0, kLongestLifeSeconds)));
  }
}

void Session::begin(std::int64_t session, const Issue& issued) {
  {
    const base::MutexLock lock(mu_);
    session_ = session;
    ended_ = false;
    renewing_ = now_ = due_ = first_ = false;
    failure_.clear();
    asleep_ = slept(clock_);
    issue(issued);
  }
  changed_.notify_all();
}

void Session::renewed(const Issue& issued) {
  {
    const base::MutexLock lock(mu_);
    issue(issued);
    renewing_ = now_ = due_ = first_ = false;
    failure_.clear();
    ++attempts_;
  }
  changed_.notify_all();
}

void Session::renewal_began() {
  const base::MutexLock lock(mu_);
  renewing_ = true;
}

void Session::renewal_failed(const std::string& text) {
  {
    const base::MutexLock lock(mu_);
    renewing_ = now_ = first_ = false;
    due_ = true;
    failure_ = text;
    ++attempts_;
  }
  changed_.notify_all();
}

void Session::end() {
  {
    const base::MutexLock lock(mu_);
    ended_ = true;
    renewing_ = now_ = due_ = first_ = false;
    ++attempts_;
  }
  changed_.notify_all();
}

void Session::leave() {
  {
    const base::MutexLock lock(mu_);
    session_.reset();
    token_.clear();
    ++generation_;
    expires_.reset();
    coordinator_ = false;
    renewing_ = now_ = due_ = first_ = false;
    ++attempts_;
  }
  changed_.notify_all();
}

void Session::on_wanted(std::function<void()> callback) {
  const base::MutexLock lock(mu_);
  on_wanted_ = std::move(callback);
}

Session::Wanted Session::wanted() {
  const base::MutexLock lock(mu_);
  if (!session_ || ended_) {
    return {};
  }
  note_sleep();
  return {now_ || first_, due_};
}

std::optional<base::Milliseconds> Session::renew_at() const {
  const base::MutexLock lock(mu_);
  if (!session_ || ended_ || !expires_) {
    return std::nullopt;
  }
  return *expires_ - timings_.renew_before;
}

void Session::note_sleep() {
  const base::Milliseconds now = slept(clock_);
  if (now - asleep_ >= timings_.asleep) {
    first_ = true;
    due_ = true;
  }
  asleep_ = std::max(asleep_, now);
}

TokenResult Session::acquire(const std::function<bool()>& abandoned, base::SteadyTime deadline) {
  std::function<void()> tell;
  {
    const base::MutexLock lock(mu_);
    if (session_ && !ended_ && !renewing_) {
      note_sleep();
      if (first_) {
        tell = on_wanted_;
      }
    }
  }
  if (tell) {
    tell();
  }
  const base::MutexLock lock(mu_);
  while (true) {
    if (ended_) {
      return {std::nullopt, NoToken::ended, {}};
    }
    if (!session_) {
      return {std::nullopt, NoToken::left, {}};
    }
    if (abandoned()) {
      return {std::nullopt, NoToken::abandoned, {}};
    }
    if (!renewing_ && !first_) {
      return {Token{token_, generation_, *session_}, NoToken::left, {}};
    }
    if (!changed_.wait_until(mu_, deadline) && clock_.steady() >= deadline) {
      return {std::nullopt, NoToken::abandoned, {}};
    }
  }
}

TokenResult Session::renew_after(std::uint64_t generation, const std::function<bool()>& abandoned,
                                 base::SteadyTime deadline) {
  std::function<void()> tell;
  std::uint64_t seen = 0;
  {
    const base::MutexLock lock(mu_);
    seen = attempts_;
    if (session_ && !ended_ && generation == generation_ && !renewing_) {
      now_ = true;
      due_ = true;
      tell = on_wanted_;
    }
  }
  if (tell) {
    tell();
  }
  const base::MutexLock lock(mu_);
  while (true) {
    if (ended_) {
      return {std::nullopt, NoToken::ended, {}};
    }
    if (!session_) {
      return {std::nullopt, NoToken::left, {}};
    }
    if (abandoned()) {
      return {std::nullopt, NoToken::abandoned, {}};
    }
    if (generation_ != generation && !renewing_) {
      return {Token{token_, generation_, *session_}, NoToken::left, {}};
    }
    if (attempts_ != seen && !renewing_) {
      return {std::nullopt, NoToken::failed, failure_};
    }
    if (!changed_.wait_until(mu_, deadline) && clock_.steady() >= deadline) {
      return {std::nullopt, NoToken::abandoned, {}};
    }
  }
}

void Session::make_due() {
  std::function<void()> tell;
  {
    const base::MutexLock lock(mu_);
    if (!session_ || ended_) {
      return;
    }
    due_ = true;
    tell = on_wanted_;
  }
  if (tell) {
    tell();
  }
}

bool Session::await_attempt(const std::function<bool()>& abandoned, base::SteadyTime deadline) {
  const base::MutexLock lock(mu_);
  const std::uint64_t seen = attempts_;
  while (true) {
    if (ended_ || !session_ || abandoned()) {
      return false;
    }
    if (attempts_ != seen || (!due_ && !renewing_)) {
      return true;
    }
    if (!changed_.wait_until(mu_, deadline) && clock_.steady() >= deadline) {
      return false;
    }
  }
}

bool Session::is_current(std::uint64_t generation) const {
  const base::MutexLock lock(mu_);
  return session_ && generation == generation_;
}

bool Session::coordinator() const {
  const base::MutexLock lock(mu_);
  return coordinator_;
}

std::optional<std::int64_t> Session::id() const {
  const base::MutexLock lock(mu_);
  return session_;
}

void Session::wake() {
  // Taken so that a waiter between its condition and its wait does not miss this.
  { const base::MutexLock lock(mu_); }
  changed_.notify_all();
}

}  // namespace robot_council::bridge
