#pragma once

#include <string>
#include <string_view>

namespace robot_council::stops {

// FNV-1a, 64 bits, as 16 lower-case hex digits: a fingerprint, no protection.
[[nodiscard]] std::string fnv1a_hex(std::string_view bytes);

}  // namespace robot_council::stops
