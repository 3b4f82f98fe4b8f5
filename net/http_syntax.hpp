#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/http_client.hpp"

namespace robot_council::net {

// A byte below 0x20 (tab too), or 0x7f.
[[nodiscard]] bool is_control(char c);
// RFC 9110 5.6.2: what methods and field names are made of; not empty.
[[nodiscard]] bool is_token(std::string_view text);
// Value of the first field of that name, any case.
[[nodiscard]] std::optional<std::string> first_value(const Headers& headers, std::string_view name);

}  // namespace robot_council::net
