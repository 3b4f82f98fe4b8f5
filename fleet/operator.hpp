#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fleet/core.hpp"
#include "fleet/reply.hpp"

namespace robot_council::fleet {

// What the person of settings.login does (service contract, 8.6). The caller has checked the
// operator token.

// GET operator/overview.
Reply overview(Core& core);
// operator/sessions/{id}/revoke, operator/installations/{id}/revoke: again the same answer.
Reply revoke_session_of_operator(Core& core, std::int64_t session_id);
Reply revoke_installation_of_operator(Core& core, std::int64_t installation_id);

}  // namespace robot_council::fleet
