#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.hpp"
#include "base/mutex.hpp"

namespace robot_council::fleet {

// Refused by a rate.
struct OverRate {
  std::int64_t limit = 0;
  std::int64_t retry_after = 1;  // s until the minute is over, at least 1
};

// Counts requests of fixed minutes (1.4), each minute beginning with a key's first request.
// Threads  safe from any.
class RateLimiter {
 public:
  explicit RateLimiter(const base::Clock& clock) : clock_(clock) {}

  // `rate` names the limit, `key` who is counted. Counts the request, also a refused one.
  [[nodiscard]] std::optional<OverRate> take(std::string_view rate, std::string_view key,
                                             std::int64_t limit);
  // Whether the next take() would be refused; counts nothing.
  [[nodiscard]] std::optional<OverRate> look(std::string_view rate, std::string_view key,
                                             std::int64_t limit) const;

 private:
  struct Window {
    base::SteadyTime begin;
    std::int64_t count = 0;
  };
  [[nodiscard]] static std::string name_of(std::string_view rate, std::string_view key);
  void drop_old(base::SteadyTime now) RC_REQUIRES(mu_);

  const base::Clock& clock_;
  mutable base::Mutex mu_;
  std::unordered_map<std::string, Window> windows_ RC_GUARDED_BY(mu_);
};

}  // namespace robot_council::fleet
