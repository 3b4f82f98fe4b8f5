#include "base/random.hpp"

#include <limits>

#include "base/check.hpp"
#include "base/os.hpp"
#include "base/sha256.hpp"

namespace robot_council::base {

std::string random_hex(std::size_t n_bytes) {
  std::string bytes(n_bytes, '\0');
  RC_CHECK(os::fill_random(bytes.data(), bytes.size()));
  return to_hex(bytes);
}

std::uint64_t random_below(std::uint64_t below) {
  if (below < 2) {
    return 0;
  }
  // Values past the last whole multiple would make small results likelier.
  const std::uint64_t limit = std::numeric_limits<std::uint64_t>::max() / below * below;
  while (true) {
    std::uint64_t value = 0;
    RC_CHECK(os::fill_random(&value, sizeof value));
    if (value < limit) {
      return value % below;
    }
  }
}

}  // namespace robot_council::base
