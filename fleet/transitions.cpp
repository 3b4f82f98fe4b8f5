#include "fleet/transitions.hpp"

#include <functional>

#include "fleet/transition_rules.hpp"
#include "service-api/limits.hpp"
#include "service-api/names.hpp"
#include "service-api/patterns.hpp"

namespace robot_council::fleet {

namespace {

namespace status = service_api::task_status;

// The conditional write: rows changed, 1 or 0.
using Write = std::function<std::int64_t(Unit&)>;

Reply apply(Unit& unit, const Session& session, const Transition& transition, std::int64_t task_id,
            const Write& write) {
  if (auto refused = refusal_of(find_task(unit, task_id), transition, session, task_id)) {
    return *refused;
  }
  if (write(unit) == 0) {
    return not_applied(409, task_id, "Another session was quicker.");
  }
  const auto after = find_task(unit, task_id);
  if (after) {
    append_transition(unit, session, transition, *after);
  }
  return applied(task_id, transition.to);
}

// A transition without a body.
Reply apply_bare(Unit& unit, const Session& session, const Transition& transition,
                 std::int64_t task_id, const Input& input, const Write& write) {
  Fields fields(input);
  forbid_foreign_fields(fields, transition);
  if (!fields.ok()) {
    return invalid_input(fields.errors());
  }
  return apply(unit, session, transition, task_id, write);
}

// complete and fail: both end the task and may carry a result.
Reply finish(Unit& unit, const Session& session, const Transition& transition, std::int64_t task_id,
             const Input& input) {
  Fields fields(input);
  forbid_foreign_fields(fields, transition);
  const std::string result = fields.object("result");
  if (!fields.ok()) {
    return invalid_input(fields.errors());
  }
  const std::string_view sql = transition.to == status::kDone
                                   ? "UPDATE tasks SET status = 'done', result = ?, finished_at = "
                                     "? WHERE id = ? AND claimed_session = ?"
                                     " AND status IN ('claimed', 'in_progress')"
                                   : "UPDATE tasks SET status = 'failed', result = ?, finished_at "
                                     "= ? WHERE id = ? AND claimed_session = ?"
                                     " AND status IN ('claimed', 'in_progress', 'blocked')";
  return apply(unit, session, transition, task_id, [&](Unit& u) {
    return u.tx.execute(sql,
                        {result.empty() ? Value() : Value(result), u.now, task_id, session.id});
  });
}

}  // namespace

Reply claim_task(Unit& unit, const Session& session, std::int64_t task_id, const Input& input) {
  static const Transition claim{"claim",
                                service_api::event::kTaskClaimed,
                                "claimed",
                                {status::kPending},
                                status::kClaimed,
                                Who::eligible,
                                {}};
  return apply_bare(unit, session, claim, task_id, input, [&](Unit& u) {
    return u.tx.execute(
        "UPDATE tasks SET status = 'claimed', claimed_at = ?, claimed_session = ?, claimed_login = "
        "?, branch = NULL,"
        " sub_label = NULL, placed_by = NULL, hand_back = 0 WHERE id = ? AND status = 'pending'",
        {u.now, session.id, session.login, task_id});
  });
}

Reply start_task(Unit& unit, const Session& session, std::int64_t task_id, const Input& input) {
  static const Transition start{"start",
                                service_api::event::kTaskStarted,
                                "started",
                                {status::kClaimed, status::kBlocked},
                                status::kInProgress,
                                Who::holder,
                                {"branch", "sub_label"}};
  Fields fields(input);
  forbid_foreign_fields(fields, start);
  const auto branch =
      fields.text("branch", {Need::optional, service_api::kMaxBranch, service_api::is_branch});
  const auto label = fields.text(
      "sub_label", {Need::optional, service_api::kMaxSubLabel, service_api::is_sub_label});
  if (!fields.ok()) {
    return invalid_input(fields.errors());
  }
  return apply(unit, session, start, task_id, [&](Unit& u) {
    return u.tx.execute(
        "UPDATE tasks SET status = 'in_progress', branch = COALESCE(?, branch), sub_label = "
        "COALESCE(?, sub_label)"
        " WHERE id = ? AND claimed_session = ? AND status IN ('claimed', 'blocked')",
        {branch, label, task_id, session.id});
  });
}

Reply block_task(Unit& unit, const Session& session, std::int64_t task_id, const Input& input) {
  static const Transition block{"block",
                                service_api::event::kTaskBlocked,
                                "blocked",
                                {status::kClaimed, status::kInProgress},
                                status::kBlocked,
                                Who::holder,
                                {}};
  return apply_bare(unit, session, block, task_id, input, [&](Unit& u) {
    return u.tx.execute(
        "UPDATE tasks SET status = 'blocked' WHERE id = ? AND claimed_session = ? AND status IN "
        "('claimed', 'in_progress')",
        {task_id, session.id});
  });
}

Reply complete_task(Unit& unit, const Session& session, std::int64_t task_id, const Input& input) {
  static const Transition complete{"complete",    service_api::event::kTaskCompleted,
                                   "completed",   {status::kClaimed, status::kInProgress},
                                   status::kDone, Who::holder,
                                   {"result"}};
  return finish(unit, session, complete, task_id, input);
}

Reply fail_task(Unit& unit, const Session& session, std::int64_t task_id, const Input& input) {
  static const Transition fail{"fail",          service_api::event::kTaskFailed,
                               "failed",        held_statuses(),
                               status::kFailed, Who::holder,
                               {"result"}};
  return finish(unit, session, fail, task_id, input);
}

Reply release_task(Unit& unit, const Session& session, std::int64_t task_id, const Input& input) {
  static const Transition release{
      "release",        service_api::event::kTaskReleased, "released", held_statuses(),
      status::kPending, Who::holder_or_director,           {}};
  return apply_bare(unit, session, release, task_id, input, [&](Unit& u) {
    return u.tx.execute(
        "UPDATE tasks SET status = 'pending', branch = NULL, sub_label = NULL, claimed_at = NULL, "
        "claimed_session = NULL,"
        " claimed_login = NULL, placed_by = NULL, hand_back = 0"
        " WHERE id = ? AND (claimed_session = ? OR ? = 1) AND status IN ('claimed', 'in_progress', "
        "'blocked')",
        {task_id, session.id, session.directs() ? 1 : 0});
  });
}

Reply cancel_task(Unit& unit, const Session& session, std::int64_t task_id, const Input& input) {
  static const Transition cancel{
      "cancel",
      service_api::event::kTaskCancelled,
      "cancelled",
      {status::kPending, status::kClaimed, status::kInProgress, status::kBlocked},
      status::kCancelled,
      Who::director,
      {}};
  return apply_bare(unit, session, cancel, task_id, input, [&](Unit& u) {
    return u.tx.execute(
        "UPDATE tasks SET status = 'cancelled', finished_at = ?"
        " WHERE id = ? AND status IN ('pending', 'claimed', 'in_progress', 'blocked')",
        {u.now, task_id});
  });
}

}  // namespace robot_council::fleet
