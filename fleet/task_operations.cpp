#include "fleet/task_operations.hpp"

#include <map>
#include <string>

#include "fleet/locks.hpp"
#include "fleet/tasks.hpp"
#include "fleet/transitions.hpp"
#include "service-api/names.hpp"

namespace robot_council::fleet {

namespace {

namespace ability = service_api::ability;
using Access = Operation::Access;
using LockAct = Reply (*)(Unit&, const Session&, const Input&);

Operation lock_operation(std::string_view needed, LockAct act) {
  return {needed, Access::writes,
          [act](Unit& unit, const Session& session, std::int64_t, const Input& input) {
            return act(unit, session, input);
          }};
}

const Operation* find(const std::map<std::string, Operation, std::less<>>& table,
                      std::string_view name) {
  const auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

}  // namespace

Operation task_list_operation() {
  return {"", Access::reads,
          [](Unit& unit, const Session& session, std::int64_t, const Input& input) {
            return list_tasks(unit, session, input);
          }};
}

Operation task_create_operation() {
  return {ability::kTasksCreate, Access::writes,
          [](Unit& unit, const Session& session, std::int64_t, const Input& input) {
            return create_task(unit, session, input);
          }};
}

const Operation* find_task_action(std::string_view action) {
  static const std::map<std::string, Operation, std::less<>> actions{
      {"claim", {ability::kTasksClaim, Access::writes, claim_task}},
      {"start", {ability::kTasksClaim, Access::writes, start_task}},
      {"block", {ability::kTasksClaim, Access::writes, block_task}},
      {"complete", {ability::kTasksClaim, Access::writes, complete_task}},
      {"fail", {ability::kTasksClaim, Access::writes, fail_task}},
      {"release", {ability::kTasksClaim, Access::writes, release_task}},
      {"reassign", {ability::kCoordinatorDirect, Access::writes, reassign_task}},
      {"cancel", {ability::kCoordinatorDirect, Access::writes, cancel_task}},
      {"branch", {ability::kTasksClaim, Access::writes, set_branch}}};
  return find(actions, action);
}

const Operation* find_lock_action(std::string_view action) {
  static const std::map<std::string, Operation, std::less<>> actions{
      {"acquire", lock_operation(ability::kLocksAcquire, acquire_lock)},
      {"renew", lock_operation(ability::kLocksAcquire, renew_lock)},
      {"release", lock_operation(ability::kLocksAcquire, release_lock)},
      {"force-release", lock_operation(ability::kCoordinatorDirect, force_release_lock)}};
  return find(actions, action);
}

}  // namespace robot_council::fleet
