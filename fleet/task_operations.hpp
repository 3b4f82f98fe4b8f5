#pragma once

#include <string_view>

#include "fleet/operation.hpp"

namespace robot_council::fleet {

// Operations on tasks and locks, shared by their routes and tools.
[[nodiscard]] Operation task_list_operation();
[[nodiscard]] Operation task_create_operation();
// claim, start, block, complete, fail, release, reassign, cancel, branch; nullptr for any other
// word.
[[nodiscard]] const Operation* find_task_action(std::string_view action);
// acquire, renew, release, force-release; nullptr for any other word.
[[nodiscard]] const Operation* find_lock_action(std::string_view action);

}  // namespace robot_council::fleet
