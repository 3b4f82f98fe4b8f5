#include "stops/hash.hpp"

#include <array>
#include <cstdint>

namespace robot_council::stops {

std::string fnv1a_hex(std::string_view bytes) {
  constexpr std::uint64_t kOffset = 14695981039346656037ULL;
  constexpr std::uint64_t kPrime = 1099511628211ULL;
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::size_t kHexDigits = 16;
  std::uint64_t hash = kOffset;
  for (const char byte : bytes) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= kPrime;
  }
  std::string text(kHexDigits, '0');
  for (std::size_t i = kHexDigits; i > 0; --i, hash >>= 4U) {
    text[i - 1] = kDigits[hash & 0xfU];
  }
  return text;
}

}  // namespace robot_council::stops
