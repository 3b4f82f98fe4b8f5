#pragma once

#include <string_view>

#include "fleet/callers.hpp"
#include "fleet/core.hpp"
#include "fleet/reply.hpp"

namespace robot_council::fleet {

// POST mcp (service contract, 6): one JSON-RPC 2.0 message in, one JSON answer out, no MCP session.
// The session is known and within its rate. Notes the contact.
[[nodiscard]] Reply answer_mcp(Core& core, const Session& session, std::string_view body);

}  // namespace robot_council::fleet
