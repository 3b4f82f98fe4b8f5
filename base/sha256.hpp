#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace robot_council::base {

// SHA-256 (FIPS 180-4). Our own, since the small executable links no TLS library.
[[nodiscard]] std::array<std::uint8_t, 32> sha256(std::string_view bytes);
// 64 lower-case hex digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);
[[nodiscard]] std::string to_hex(std::string_view bytes);

}  // namespace robot_council::base
