#pragma once

#include "fleet/callers.hpp"
#include "fleet/input.hpp"
#include "fleet/reply.hpp"
#include "fleet/unit.hpp"

namespace robot_council::fleet {

// Locks (service contract, 5.4). A lease ends by release, by force, or by its time; then a name can
// be taken over. Fences are drawn from one sequence over all names and never go back.
Reply acquire_lock(Unit& unit, const Session& session, const Input& input);
Reply renew_lock(Unit& unit, const Session& session, const Input& input);
Reply release_lock(Unit& unit, const Session& session, const Input& input);
Reply force_release_lock(Unit& unit, const Session& session, const Input& input);

}  // namespace robot_council::fleet
