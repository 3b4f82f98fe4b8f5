#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace robot_council::base {

// n bytes of the system's generator (getrandom, getentropy) as 2n lower-case hex digits. Fit for
// secrets.
[[nodiscard]] std::string random_hex(std::size_t n_bytes);
// Uniform in [0, below); for jitter.
[[nodiscard]] std::uint64_t random_below(std::uint64_t below);

}  // namespace robot_council::base
