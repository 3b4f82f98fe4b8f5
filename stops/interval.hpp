#pragma once

#include <cstdint>
#include <optional>

namespace robot_council::stops {

// A share k of n with its Wilson score interval at 95 %. Source: Wilson 1927, without continuity
// correction.
struct Share {
  std::int64_t k = 0;
  std::int64_t n = 0;
  double rate = 0;  // all 0..1
  double low = 0;
  double high = 0;
};

// Nothing when n is 0. Needs 0 <= k <= n.
[[nodiscard]] std::optional<Share> share_of(std::int64_t k, std::int64_t n);
// Whole per cents, halves up: 41 of 47 is 87.
[[nodiscard]] int percent(double rate);

}  // namespace robot_council::stops
