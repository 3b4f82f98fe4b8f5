#pragma once

#include <cstdint>
#include <string>

#include "fleet/callers.hpp"
#include "fleet/input.hpp"
#include "fleet/reply.hpp"
#include "fleet/unit.hpp"

namespace robot_council::fleet {

// Roles of sessions (service contract, 3.4). The abilities follow the role, so a change reaches the
// live token at once.

// POST agent/role.
Reply request_role(Unit& unit, const Session& session, const Input& input);
// operator/sessions/{id}/role: `approved` needs that role pending, `imposed` does not.
Reply decide_role(Unit& unit, std::int64_t session_id, const Input& input,
                  const std::string& login);
// operator/sessions/{id}/role/deny.
Reply deny_role(Unit& unit, std::int64_t session_id, const std::string& login);

}  // namespace robot_council::fleet
