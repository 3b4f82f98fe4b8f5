#pragma once

#include <string>
#include <string_view>

#include "net/http_guard.hpp"
#include "net/http_server.hpp"

namespace robot_council::net {

// {"message": TEXT}, the shape of the service's own errors.
[[nodiscard]] ServerResponse message_response(int status, std::string_view text);
// The whole answer to a request that no handler saw, as bytes.
[[nodiscard]] std::string refusal_bytes(const Refusal& refusal);

}  // namespace robot_council::net
