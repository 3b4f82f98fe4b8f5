#include "net/bearer.hpp"

#include <openssl/crypto.h>

#include "base/text.hpp"

namespace robot_council::net {

bool equal_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::optional<std::string_view> bearer_token(std::string_view authorization) {
  constexpr std::string_view kScheme = "bearer ";
  if (!base::starts_with_ignoring_case(authorization, kScheme)) {
    return std::nullopt;
  }
  const std::string_view token = base::trim(authorization.substr(kScheme.size()));
  if (token.empty() || token.find_first_of(" \t") != std::string_view::npos) {
    return std::nullopt;
  }
  return token;
}

bool bearer_matches(std::string_view authorization, std::string_view expected) {
  const std::optional<std::string_view> token = bearer_token(authorization);
  return token && !expected.empty() && equal_constant_time(*token, expected);
}

}  // namespace robot_council::net
