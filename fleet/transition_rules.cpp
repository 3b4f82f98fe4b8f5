#include "fleet/transition_rules.hpp"

#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "fleet/json_text.hpp"
#include "service-api/names.hpp"

namespace robot_council::fleet {

namespace {

bool contains(const std::vector<std::string_view>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string list_of(const std::vector<std::string_view>& words) {
  std::vector<std::string> copy(words.begin(), words.end());
  return base::join(copy, ", ");
}

}  // namespace

const std::vector<std::string_view>& held_statuses() {
  static const std::vector<std::string_view> held(service_api::task_status::kHeld.begin(),
                                                  service_api::task_status::kHeld.end());
  return held;
}

bool may_take(const Task& task, const Session& session) {
  return task.created_direct || task.developer_id == session.developer_id;
}

void forbid_foreign_fields(Fields& fields, const Transition& transition) {
  std::vector<const char*> foreign;
  for (const char* name : {"branch", "sub_label", "result", "session_id", "directive", "hand_back",
                           "expect", "meta"}) {
    const bool own =
        std::any_of(transition.fields.begin(), transition.fields.end(),
                    [name](const char* field) { return std::strcmp(field, name) == 0; });
    if (!own) {
      foreign.push_back(name);
    }
  }
  fields.forbid(foreign, transition.name);
}

Reply not_applied(int status, std::int64_t task_id, std::string_view why) {
  return refuse_with(
      status, ObjectText().integer("task_id", task_id).null("status").flag("applied", false).done(),
      why);
}

Reply applied(std::int64_t task_id, std::string_view status) {
  return ok(
      ObjectText().integer("task_id", task_id).text("status", status).flag("applied", true).done());
}

std::optional<Reply> refusal_of(const std::optional<Task>& task, const Transition& transition,
                                const Session& session, std::int64_t task_id) {
  if (!task) {
    return not_applied(404, task_id, "There is no task #" + std::to_string(task_id) + ".");
  }
  if (!contains(transition.from, task->status)) {
    return not_applied(409, task_id,
                       "Task #" + std::to_string(task_id) + " is " + task->status + "; " +
                           std::string(transition.name) + " takes it from " +
                           list_of(transition.from) + ".");
  }
  const bool holds = task->claimed_session == session.id;
  switch (transition.who) {
    case Who::eligible:
      if (!may_take(*task, session)) {
        return not_applied(403, task_id, "This task belongs to another developer.");
      }
      break;
    case Who::holder:
      if (!holds) {
        return not_applied(403, task_id, "Another session holds this task.");
      }
      break;
    case Who::holder_or_director:
      if (!holds && !session.directs()) {
        return not_applied(
            403, task_id, "Another session holds this task; only it or a coordinator may do this.");
      }
      break;
    case Who::director:
      break;
  }
  return std::nullopt;
}

void append_transition(Unit& unit, const Session& session, const Transition& transition,
                       const Task& after) {
  ObjectText meta;
  meta.integer("task_id", after.id).text("to", transition.to);
  if (transition.who == Who::eligible || transition.to == service_api::task_status::kClaimed) {
    meta.integer("assigned_to", after.claimed_session);
  }
  if (after.sub_label) {
    meta.text("sub_label", *after.sub_label);
  }
  EventDraft draft;
  draft.type = transition.event;
  draft.body = "Task #" + std::to_string(after.id) + " " + std::string(transition.verb) + ".";
  draft.meta = meta.done();
  draft.actor = session.actor();
  draft.developer_id = after.developer_id;
  unit.append(draft);
}

}  // namespace robot_council::fleet
