#include "fleet/rate_limiter.hpp"

#include <algorithm>
#include <chrono>

#include "fleet/limits.hpp"

namespace robot_council::fleet {

namespace {

constexpr std::chrono::seconds kWindow{60};

OverRate refused(base::SteadyTime begin, base::SteadyTime now, std::int64_t limit) {
  const auto left = std::chrono::duration_cast<std::chrono::seconds>(begin + kWindow - now).count();
  return OverRate{limit, std::max<std::int64_t>(left, 1)};
}

}  // namespace

std::string RateLimiter::name_of(std::string_view rate, std::string_view key) {
  return std::string(rate) + " " + std::string(key);
}

std::optional<OverRate> RateLimiter::take(std::string_view rate, std::string_view key,
                                          std::int64_t limit) {
  const base::MutexLock lock(mu_);
  const base::SteadyTime now = clock_.steady();
  if (windows_.size() >= kMaxRateKeys) {
    drop_old(now);
  }
  Window& window = windows_[name_of(rate, key)];
  if (window.count == 0 || now - window.begin >= kWindow) {
    window = Window{now, 0};
  }
  ++window.count;
  if (window.count > limit) {
    return refused(window.begin, now, limit);
  }
  return std::nullopt;
}

std::optional<OverRate> RateLimiter::look(std::string_view rate, std::string_view key,
                                          std::int64_t limit) const {
  const base::MutexLock lock(mu_);
  const base::SteadyTime now = clock_.steady();
  const auto found = windows_.find(name_of(rate, key));
  if (found == windows_.end() || now - found->second.begin >= kWindow ||
      found->second.count < limit) {
    return std::nullopt;
  }
  return refused(found->second.begin, now, limit);
}

void RateLimiter::drop_old(base::SteadyTime now) {
  for (auto it = windows_.begin(); it != windows_.end();) {
    it = now - it->second.begin >= kWindow ? windows_.erase(it) : std::next(it);
  }
  if (windows_.size() >= kMaxRateKeys) {
    windows_.clear();  // a flood of addresses: better to count anew than to grow without end
  }
}

}  // namespace robot_council::fleet
