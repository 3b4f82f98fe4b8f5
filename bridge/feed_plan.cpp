#include "bridge/feed_plan.hpp"

#include <algorithm>

namespace robot_council::bridge {

namespace {
constexpr int kTooManyRequests = 429;
constexpr int kBadGateway = 502;
constexpr int kGatewayTimeout = 504;
}  // namespace

int FeedPlan::wait_seconds() const {
  return wait_ && !no_wait_until_ ? wait_s_ : 0;
}

base::Milliseconds FeedPlan::read_time() const {
  // The wait and ten seconds; a service that is not asked to hold gets an ordinary call's time.
  const int waited = wait_seconds();
  if (waited == 0) {
    return timings_.call;
  }
  const base::Milliseconds shorter = std::chrono::seconds(kWaitSeconds - waited);
  return std::max(timings_.feed - shorter, base::Milliseconds(1));
}

std::string FeedPlan::query(std::optional<std::int64_t> after) const {
  std::string text;
  const auto add = [&text](const std::string& part) {
    text.append(text.empty() ? "?" : "&").append(part);
  };
  if (after) {
    add("after=" + std::to_string(*after));
  }
  if (acknowledge_) {
    add("acknowledge=false");
  }
  if (wait_seconds() > 0) {
    add("wait=" + std::to_string(wait_seconds()));
  }
  return text;
}

base::SteadyTime FeedPlan::spaced(base::SteadyTime next) {
  // The generic cell rate algorithm (ITU-T I.371): a bucket whose level is the time it takes to run
  // dry.
  next = std::max(next, used_until_ - timings_.flood * (kReadsWithoutPause - 1));
  used_until_ = std::max(used_until_, next) + timings_.flood;
  return next;
}

base::SteadyTime FeedPlan::after_page(const PageFacts& facts, base::SteadyTime now) {
  backoff_ = timings_.backoff;
  if (no_wait_until_ && now >= *no_wait_until_) {
    no_wait_until_.reset();
    wait_s_ = kWaitSeconds;
  }
  if (facts.moved && (facts.full || facts.moved_by >= kExaminedIds)) {
    return now;
  }
  if (!facts.held || wait_seconds() == 0) {
    return now + timings_.poll;
  }
  const base::Milliseconds asked = std::chrono::seconds(wait_seconds());
  const base::Milliseconds whole = std::min(asked, timings_.feed);
  if (facts.empty && !facts.moved && facts.took < whole - whole / 8) {
    // Never sooner than without the header: "0" would make a loop.
    return now + std::max(facts.retry_after.value_or(timings_.early), timings_.early);
  }
  return now;
}

void FeedPlan::halve_wait(base::SteadyTime now) {
  if (wait_seconds() == 0) {
    return;
  }
  if (wait_s_ <= kSmallestWait) {
    no_wait_until_ = now + timings_.no_wait;
    return;
  }
  wait_s_ = std::max(kSmallestWait, wait_s_ / 2);
}

base::SteadyTime FeedPlan::after_failure(int status, std::optional<base::Milliseconds> retry_after,
                                         bool cut_while_held, double jitter, base::SteadyTime now) {
  if (status == kBadGateway || status == kGatewayTimeout || cut_while_held) {
    halve_wait(now);
  }
  if (status == kTooManyRequests) {
    return now + retry_after.value_or(timings_.limited);
  }
  // Up to a tenth later, so that many bridges of one service that fell over do not come back
  // together.
  constexpr double kJitterPart = 0.1;
  const auto extra =
      static_cast<std::int64_t>(static_cast<double>(backoff_.count()) * kJitterPart * jitter);
  const base::Milliseconds pause =
      std::max(backoff_ + base::Milliseconds(extra), retry_after.value_or(base::Milliseconds(0)));
  backoff_ = std::min(backoff_ * 2, timings_.backoff_most);
  return now + pause;
}

bool FeedPlan::drop(bool acknowledge, bool wait) {
  const bool changes = (acknowledge && acknowledge_) || (wait && wait_);
  acknowledge_ = acknowledge_ && !acknowledge;
  wait_ = wait_ && !wait;
  return changes;
}

}  // namespace robot_council::bridge
