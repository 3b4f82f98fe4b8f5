#include "bridge/interest.hpp"

#include <algorithm>
#include <array>

#include "base/json_value.hpp"

namespace robot_council::bridge {

namespace {

// Events about anyone that a coordinator is told.
constexpr std::array<std::string_view, 21> kForCoordinators = {"session.stale",
                                                               "session.gone",
                                                               "session.resumed",
                                                               "session.role_changed",
                                                               "session.role_requested",
                                                               "task.created",
                                                               "task.claimed",
                                                               "task.started",
                                                               "task.blocked",
                                                               "task.completed",
                                                               "task.failed",
                                                               "task.released",
                                                               "task.reassigned",
                                                               "task.cancelled",
                                                               "lock.acquired",
                                                               "lock.released",
                                                               "lock.taken_over",
                                                               "lock.force_released",
                                                               "session.role_withdrawn",
                                                               "lane.quiet",
                                                               "lane.condition"};

bool any_integer_is(const base::Json* list, std::int64_t wanted) {
  if (list == nullptr) {
    return false;
  }
  return std::any_of(list->begin(), list->end(),
                     [wanted](const base::Json& item) { return base::as_integer(item) == wanted; });
}

// A directive without a usable list of addressees is for everyone.
bool directive_reaches(const base::Json* meta, std::int64_t me) {
  const base::Json* targets = meta == nullptr ? nullptr : base::get_array(*meta, "targets");
  if (targets == nullptr || targets->empty()) {
    return true;
  }
  const bool usable = std::all_of(targets->begin(), targets->end(), [](const base::Json& item) {
    return base::as_integer(item).has_value();
  });
  return !usable || any_integer_is(targets, me);
}

// `meta.to` addresses only as a list of integers (service contract, section 7).
bool addressed_to(const base::Json* meta, std::int64_t me) {
  const base::Json* list = meta == nullptr ? nullptr : base::get_array(*meta, "to");
  if (list == nullptr) {
    return false;
  }
  const bool usable = std::all_of(list->begin(), list->end(), [](const base::Json& item) {
    return base::as_integer(item).has_value();
  });
  return usable && any_integer_is(list, me);
}

bool narration_reaches(const base::Json* meta, std::int64_t me) {
  if (addressed_to(meta, me)) {
    return true;
  }
  const base::Json* tasks = meta == nullptr ? nullptr : base::get_array(*meta, "to_tasks");
  if (tasks == nullptr) {
    return false;
  }
  return std::any_of(tasks->begin(), tasks->end(), [me](const base::Json& item) {
    return base::get_integer(item, "session_id") == me;
  });
}

bool meta_is(const base::Json* meta, std::string_view key, std::int64_t wanted) {
  return meta != nullptr && base::get_integer(*meta, key) == wanted;
}

bool about_held_task(const base::Json* meta, const Holder& holder) {
  if (meta == nullptr || holder.held == nullptr) {
    return false;
  }
  const std::optional<std::int64_t> task = base::get_integer(*meta, "task_id");
  return task && holder.held->count(*task) > 0;
}

}  // namespace

std::optional<std::int64_t> actor_session(const base::Json& event) {
  const base::Json* actor = base::get_object(event, "actor");
  return actor == nullptr ? std::nullopt : base::get_integer(*actor, "session_id");
}

Verdict interest(const base::Json& event, const Holder& holder) {
  const std::string type = base::get_string(event, "type").value_or("");
  const base::Json* meta = base::get_object(event, "meta");
  const std::int64_t me = holder.session;
  if (actor_session(event) == me) {
    return type == "session.stale" ? Verdict{true, 1} : Verdict{false, 2};
  }
  if (type == "directive") {
    return {directive_reaches(meta, me), 3};
  }
  if (type == "placement.instruction") {
    return {addressed_to(meta, me), 4};
  }
  if (type == "narration") {
    return {narration_reaches(meta, me), 5};
  }
  const bool reassigned = type == "task.reassigned";
  if ((reassigned || type == "task.claimed") && meta_is(meta, "assigned_to", me)) {
    return {true, 6};
  }
  if ((reassigned || type == "task.cancelled") && about_held_task(meta, holder)) {
    return {true, 7};
  }
  if ((type == "lock.taken_over" || type == "lock.force_released") &&
      meta_is(meta, "taken_from", me)) {
    return {true, 8};
  }
  if (holder.coordinator &&
      std::find(kForCoordinators.begin(), kForCoordinators.end(), type) != kForCoordinators.end()) {
    return {true, 9};
  }
  return {false, 10};
}

void follow_held(const base::Json& event, std::int64_t session, std::set<std::int64_t>& held) {
  const base::Json* meta = base::get_object(event, "meta");
  const std::optional<std::int64_t> task =
      meta == nullptr ? std::nullopt : base::get_integer(*meta, "task_id");
  if (!task) {
    return;
  }
  const std::string type = base::get_string(event, "type").value_or("");
  if (type == "task.claimed" || type == "task.reassigned") {
    if (meta_is(meta, "assigned_to", session)) {
      held.insert(*task);
    } else {
      held.erase(*task);
    }
  } else if (type == "task.released" || type == "task.cancelled" || type == "task.completed" ||
             type == "task.failed") {
    held.erase(*task);
  }
}

}  // namespace robot_council::bridge
