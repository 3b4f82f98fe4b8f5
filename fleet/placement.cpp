// Reassigning a task: the coordinator places it on a session (service contract, 5.3).

#include <algorithm>

#include "fleet/json_text.hpp"
#include "fleet/transition_rules.hpp"
#include "fleet/transitions.hpp"
#include "service-api/limits.hpp"
#include "service-api/names.hpp"

namespace robot_council::fleet {

namespace {

namespace status = service_api::task_status;

const Transition& reassign_rule() {
  static const Transition reassign{
      "reassign",
      service_api::event::kTaskReassigned,
      "reassigned",
      {status::kPending, status::kClaimed, status::kInProgress, status::kBlocked},
      status::kClaimed,
      Who::director,
      {"session_id", "directive", "hand_back", "expect", "meta"}};
  return reassign;
}

struct Placement {
  std::int64_t task_id = 0;
  std::optional<Session> assignee;
  std::string directive;
  bool hand_back = false;
  std::optional<std::string> expect;
  std::string client;  // the poster's meta
};

bool is_from_status(std::string_view word) {
  const auto& from = reassign_rule().from;
  return std::find(from.begin(), from.end(), word) != from.end();
}

Placement read_placement(Unit& unit, Fields& fields) {
  forbid_foreign_fields(fields, reassign_rule());
  Placement placement;
  const auto assignee = fields.integer("session_id", Need::required, 1, INT64_MAX);
  placement.directive =
      fields.text("directive", {Need::required, service_api::kMaxText}).value_or("");
  placement.hand_back = fields.boolean("hand_back").value_or(false);
  placement.expect = fields.text("expect", {Need::optional, 0, is_from_status});
  placement.client = fields.object("meta");
  if (assignee) {
    placement.assignee = find_session(unit, *assignee);
    if (!placement.assignee || !placement.assignee->live()) {
      fields.refuse("session_id",
                    "Session " + std::to_string(*assignee) + " is unknown or has ended.");
    }
  }
  return placement;
}

// lane_free: the assignee holds fewer other tasks than its capacity.
std::optional<Reply> placement_refused(Unit& unit, const Placement& placement) {
  const auto row = unit.tx.first(
      "SELECT COUNT(*) FROM tasks WHERE claimed_session = ? AND status IN ('claimed', "
      "'in_progress', 'blocked') AND id <> ?",
      {placement.assignee->id, placement.task_id});
  const std::int64_t holds = row ? row->integer(0) : 0;
  const std::int64_t capacity =
      effective_capacity(unit.settings, placement.assignee->declared_capacity);
  if (holds < capacity) {
    return std::nullopt;
  }
  const std::string reason = "Session " + std::to_string(placement.assignee->id) + " holds " +
                             std::to_string(holds) + " other task(s), and its capacity is " +
                             std::to_string(capacity) + ".";
  const std::string rule = ObjectText().text("rule", "lane_free").text("reason", reason).done();
  return refuse_with(422,
                     ObjectText()
                         .integer("task_id", placement.task_id)
                         .null("status")
                         .flag("applied", false)
                         .raw("refused", array_text({rule}))
                         .done(),
                     reason);
}

void append_instruction(Unit& unit, const Session& session, const Placement& placement) {
  const std::int64_t assignee = placement.assignee->id;
  ObjectText meta;
  if (!placement.client.empty()) {
    meta.raw("client", placement.client);
  }
  meta.integer("task_id", placement.task_id)
      .flag("hand_back", placement.hand_back)
      .ids("to", {assignee});
  EventDraft instruction;
  instruction.type = service_api::event::kPlacementInstruction;
  instruction.body = placement.directive;
  instruction.meta = meta.done();
  instruction.actor = session.actor();
  instruction.developer_id = session.developer_id;
  instruction.addressees = {{assignee, placement.assignee->developer_id}};
  const std::int64_t id = unit.append(instruction);

  EventDraft directive;
  directive.type = service_api::event::kDirective;
  directive.body = "Task #" + std::to_string(placement.task_id) + " is placed on session " +
                   std::to_string(assignee) + (placement.hand_back ? " (handed back)" : "") +
                   ". The instruction is event " + std::to_string(id) +
                   "; read it from after=" + std::to_string(id - 1) + ".";
  directive.meta = ObjectText()
                       .ids("targets", {assignee})
                       .integer("task_id", placement.task_id)
                       .flag("hand_back", placement.hand_back)
                       .integer("instruction_id", id)
                       .done();
  directive.actor = session.actor();
  directive.developer_id = session.developer_id;
  unit.append(directive);
}

std::int64_t write_placement(Unit& unit, const Placement& placement) {
  const std::int64_t assignee = placement.assignee->id;
  return unit.tx.execute(
      "UPDATE tasks SET sub_label = CASE WHEN claimed_session = ? THEN sub_label ELSE NULL END, "
      "status = 'claimed',"
      " claimed_at = ?, claimed_session = ?, claimed_login = ?, branch = NULL, placed_by = "
      "'coordinator', hand_back = ?"
      " WHERE id = ? AND status IN ('pending', 'claimed', 'in_progress', 'blocked') AND (? IS NULL "
      "OR status = ?)",
      {assignee, unit.now, assignee, placement.assignee->login, placement.hand_back ? 1 : 0,
       placement.task_id, placement.expect, placement.expect});
}

}  // namespace

Reply reassign_task(Unit& unit, const Session& session, std::int64_t task_id, const Input& input) {
  Fields fields(input);
  Placement placement = read_placement(unit, fields);
  placement.task_id = task_id;
  if (!fields.ok()) {
    return invalid_input(fields.errors());
  }
  const auto task = find_task(unit, task_id);
  if (auto refused = refusal_of(task, reassign_rule(), session, task_id)) {
    return *refused;
  }
  if (placement.expect && task->status != *placement.expect) {
    return not_applied(409, task_id,
                       "The task is " + task->status + ", not " + *placement.expect + ".");
  }
  if (!may_take(*task, *placement.assignee)) {
    return not_applied(403, task_id, "The task belongs to another developer than that session.");
  }
  if (auto refused = placement_refused(unit, placement)) {
    return *refused;
  }
  if (write_placement(unit, placement) == 0) {
    return not_applied(409, task_id, "The task changed meanwhile.");
  }
  const auto after = find_task(unit, task_id);
  if (after) {
    append_transition(unit, session, reassign_rule(), *after);
  }
  append_instruction(unit, session, placement);
  return ok(ObjectText()
                .integer("task_id", task_id)
                .text("status", status::kClaimed)
                .flag("applied", true)
                .texts("warnings", {})
                .done());
}

}  // namespace robot_council::fleet
