#pragma once

#include <string>
#include <string_view>

#include "fleet/callers.hpp"
#include "fleet/input.hpp"
#include "fleet/reply.hpp"
#include "fleet/unit.hpp"

namespace robot_council::fleet {

// POST events, tool events_narrate (service contract, 5.1). `to_tasks` means the tasks' holders
// now.
Reply post_narration(Unit& unit, const Session& session, const Input& input);
// POST directives, tool directive_post: a broadcast; `targets` says who should act.
Reply post_directive(Unit& unit, const Session& session, const Input& input);
// operator/directives: the person directs.
Reply post_operator_directive(Unit& unit, const Input& input, const std::string& login,
                              std::int64_t developer_id);

}  // namespace robot_council::fleet
