#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fleet/callers.hpp"
#include "fleet/input.hpp"
#include "fleet/reply.hpp"
#include "fleet/store.hpp"
#include "fleet/unit.hpp"

namespace robot_council::fleet {

// A task as it is now (service contract, 5.2).
struct Task {
  std::int64_t id = 0;
  std::int64_t developer_id = 0;
  std::optional<std::int64_t> parent_task_id;
  std::string title;
  std::optional<std::string> description;
  std::string status;
  std::int64_t priority = 0;
  std::string payload;  // JSON, "" = null
  std::string result;   // JSON, "" = null
  std::optional<std::string> project_id;
  std::optional<std::string> issue;
  std::optional<std::string> branch;
  std::optional<std::string> sub_label;
  std::optional<std::string> placed_by;
  bool hand_back = false;
  std::int64_t created_at = 0;
  std::optional<std::int64_t> created_session;
  std::optional<std::string> created_login;
  bool created_direct = false;
  std::optional<std::int64_t> claimed_at;
  std::optional<std::int64_t> claimed_session;
  std::optional<std::string> claimed_login;

  [[nodiscard]] bool held() const;  // claimed, in_progress, blocked
};

[[nodiscard]] std::optional<Task> find_task(Unit& unit, std::int64_t id);
// Its words are null for a reader of another developer, unless it was created with
// coordinator:direct or the reader directs. reader nullptr: the operator.
[[nodiscard]] std::string task_json(const Task& task, const Session* reader);

// GET tasks, tool task_list.
Reply list_tasks(Unit& unit, const Session& session, const Input& input);
// POST tasks, tool task_create.
Reply create_task(Unit& unit, const Session& session, const Input& input);
// POST tasks/{id}/branch, tool task_branch. Writes no event.
Reply set_branch(Unit& unit, const Session& session, std::int64_t task_id, const Input& input);
// For the operator: open ones, and those finished within 24 h; at most 500. JSON array.
[[nodiscard]] std::string overview_tasks(Unit& unit);

}  // namespace robot_council::fleet
