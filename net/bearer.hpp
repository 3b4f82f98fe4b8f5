#pragma once

#include <optional>
#include <string_view>

namespace robot_council::net {

// Whether both are the same bytes, in a time that depends on their lengths only (CRYPTO_memcmp).
// For tokens and their hashes.
[[nodiscard]] bool equal_constant_time(std::string_view a, std::string_view b);

// The token of an Authorization header "Bearer TOKEN" (RFC 6750; the scheme in any case, one or
// more blanks), a view into it. Nothing: another scheme, an empty token, or one with a blank
// inside.
[[nodiscard]] std::optional<std::string_view> bearer_token(std::string_view authorization);

// bearer_token() and equal_constant_time() in one. An empty `expected` matches nothing.
[[nodiscard]] bool bearer_matches(std::string_view authorization, std::string_view expected);

}  // namespace robot_council::net
