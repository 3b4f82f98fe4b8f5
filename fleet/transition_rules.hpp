#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/callers.hpp"
#include "fleet/input.hpp"
#include "fleet/reply.hpp"
#include "fleet/tasks.hpp"
#include "fleet/unit.hpp"

namespace robot_council::fleet {

// What the transitions share.

// Whom a transition is open to.
enum class Who : std::uint8_t {
  eligible,  // the task is its developer's, or was created with coordinator:direct
  holder,
  holder_or_director,  // the holder, or who holds coordinator:direct
  director,            // the ability was checked already
};

struct Transition {
  std::string_view name;
  const char* event;
  std::string_view verb;
  std::vector<std::string_view> from;
  std::string_view to;
  Who who;
  std::vector<const char*> fields;  // of its body; the others' are refused
};

[[nodiscard]] const std::vector<std::string_view>& held_statuses();
[[nodiscard]] bool may_take(const Task& task, const Session& session);
// Refuses every field that belongs to another transition.
void forbid_foreign_fields(Fields& fields, const Transition& transition);
// {"task_id","status":null,"applied":false}
[[nodiscard]] Reply not_applied(int status, std::int64_t task_id, std::string_view why);
[[nodiscard]] Reply applied(std::int64_t task_id, std::string_view status);
// 404, 409, 403 in this order; nothing when the write may be tried.
[[nodiscard]] std::optional<Reply> refusal_of(const std::optional<Task>& task,
                                              const Transition& transition, const Session& session,
                                              std::int64_t task_id);
// Appends the transition's event.
void append_transition(Unit& unit, const Session& session, const Transition& transition,
                       const Task& after);

}  // namespace robot_council::fleet
