#pragma once

#include <cstdint>

#include "fleet/callers.hpp"
#include "fleet/input.hpp"
#include "fleet/reply.hpp"
#include "fleet/unit.hpp"

namespace robot_council::fleet {

// Transitions of a task (service contract, 5.3). One conditional write decides each; refusals in
// the contract's order.
Reply claim_task(Unit& unit, const Session& session, std::int64_t task_id, const Input& input);
Reply start_task(Unit& unit, const Session& session, std::int64_t task_id, const Input& input);
Reply block_task(Unit& unit, const Session& session, std::int64_t task_id, const Input& input);
Reply complete_task(Unit& unit, const Session& session, std::int64_t task_id, const Input& input);
Reply fail_task(Unit& unit, const Session& session, std::int64_t task_id, const Input& input);
Reply release_task(Unit& unit, const Session& session, std::int64_t task_id, const Input& input);
Reply cancel_task(Unit& unit, const Session& session, std::int64_t task_id, const Input& input);
// Writes task.reassigned, placement.instruction and directive, in this order.
Reply reassign_task(Unit& unit, const Session& session, std::int64_t task_id, const Input& input);

}  // namespace robot_council::fleet
