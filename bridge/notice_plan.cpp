#include "bridge/notice_plan.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "bridge/texts.hpp"

namespace robot_council::bridge {

std::size_t NoticePlan::announce(std::optional<std::string> digest, base::SteadyTime now) {
  told_ = fresh_;
  fresh_ = 0;
  repeats_ = 0;
  digest_ = std::move(digest);
  due_ = now + timings_.notice_repeat;
  return told_;
}

std::optional<NoticePlan::Repeat> NoticePlan::repeat(const std::optional<std::string>& digest,
                                                     bool empty, base::SteadyTime now) {
  if (!due_) {
    return std::nullopt;
  }
  if (!digest) {
    due_ = now + timings_.unreadable;
    return std::nullopt;
  }
  if (!digest_) {
    digest_ = digest;  // it could not be read when the notice went out
  }
  if (empty || *digest != *digest_) {
    due_.reset();
    return std::nullopt;
  }
  ++repeats_;
  if (repeats_ >= kNoticeRepeats) {
    due_.reset();
  } else {
    due_ = now + timings_.notice_repeat * (1 << repeats_);
  }
  return Repeat{told_, repeats_};
}

void NoticePlan::feed_was_read() {
  if (hook_ == HookState::none) {
    due_.reset();
  }
}

void NoticePlan::reset() {
  fresh_ = 0;
  due_.reset();
}

void KeepWarmPlan::active(base::SteadyTime now) {
  activity_ = std::max(activity_, now);
  own_turn_open_ = false;
}

void KeepWarmPlan::turn_ended(std::int64_t mark_ms, std::int64_t wall_ms, base::SteadyTime now) {
  if (last_mark_ms_ == mark_ms) {
    return;
  }
  last_mark_ms_ = mark_ms;
  const std::int64_t age = std::clamp<std::int64_t>(wall_ms - mark_ms, 0,
                                                    now.time_since_epoch() / base::Milliseconds(1));
  const base::SteadyTime at = now - base::Milliseconds(age);
  if (own_turn_open_ && mark_ms >= alive_wall_ms_ &&
      mark_ms <= alive_wall_ms_ + own_turn_.count()) {
    own_turn_open_ = false;
    return;
  }
  own_turn_open_ = false;
  activity_ = std::max(activity_, at);
}

std::optional<base::SteadyTime> KeepWarmPlan::due() const {
  if (!interval_) {
    return std::nullopt;
  }
  const base::SteadyTime at = std::max(activity_, alive_.value_or(activity_)) + *interval_;
  if (ceiling_ && at - activity_ >= *ceiling_) {
    return std::nullopt;
  }
  return at;
}

void KeepWarmPlan::sent(std::int64_t wall_ms, base::SteadyTime now) {
  alive_ = now;
  alive_wall_ms_ = wall_ms;
  own_turn_open_ = true;
}

std::optional<base::SteadyTime> KeepWarmPlan::look_due() const {
  std::optional<base::SteadyTime> at = due();
  if (own_turn_open_ && alive_ && looked_ < *alive_ + own_turn_) {
    const base::SteadyTime look = std::max(looked_, *alive_) + look_;
    at = at ? std::min(*at, look) : look;
  } else if (interval_ && !at) {
    // Over the ceiling: only a turn of the session itself starts keep-alives again, and that leaves
    // a mark.
    at = looked_ + *interval_;
  }
  return at;
}

KeepWarmOptions keep_warm_options(std::optional<std::string_view> keep_warm,
                                  std::optional<std::string_view> keep_warm_for,
                                  std::string_view harness) {
  constexpr std::size_t kMaxDigits = 6;
  const auto off = [](std::string_view why) {
    KeepWarmOptions options;
    options.said = std::string(why) + std::string(text::kKeepWarmOff);
    return options;
  };
  const auto minutes = [](std::string_view text) -> std::optional<base::Milliseconds> {
    const std::optional<std::int64_t> n =
        text.size() <= kMaxDigits ? base::parse_digits(text) : std::nullopt;
    return n && *n >= 1 ? std::optional<base::Milliseconds>(std::chrono::minutes(*n))
                        : std::nullopt;
  };
  const bool with_ceiling = keep_warm_for && !keep_warm_for->empty();
  if (!keep_warm) {
    return with_ceiling ? off(text::kKeepWarmForAlone) : KeepWarmOptions{};
  }
  if (keep_warm->empty()) {
    return off(text::kKeepWarmMinutes);
  }
  if (harness != "claude") {
    return off(text::kKeepWarmClaude);
  }
  KeepWarmOptions options;
  options.interval = minutes(*keep_warm);
  if (with_ceiling) {
    options.ceiling = minutes(*keep_warm_for);
  }
  if (!options.interval || (with_ceiling && !options.ceiling)) {
    return off(text::kKeepWarmBoth);
  }
  if (options.ceiling && *options.ceiling <= *options.interval) {
    return off(text::kKeepWarmOrder);
  }
  return options;
}

}  // namespace robot_council::bridge
