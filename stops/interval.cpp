#include "stops/interval.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace robot_council::stops {

std::optional<Share> share_of(std::int64_t k, std::int64_t n) {
  RC_CHECK(k >= 0 && k <= n);
  if (n == 0) {
    return std::nullopt;
  }
  constexpr double kZ = 1.959963984540054;  // 97.5 % quantile of the normal distribution
  const auto count = static_cast<double>(n);
  const double rate = static_cast<double>(k) / count;
  const double scale = 1 + kZ * kZ / count;
  const double middle = (rate + kZ * kZ / (2 * count)) / scale;
  const double half =
      kZ / scale * std::sqrt(rate * (1 - rate) / count + kZ * kZ / (4 * count * count));
  return Share{k, n, rate, std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

int percent(double rate) {
  return static_cast<int>(std::floor(rate * 100 + 0.5));
}

}  // namespace robot_council::stops
