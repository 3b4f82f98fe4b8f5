#include "fleet/endings.hpp"

#include "fleet/json_text.hpp"
#include "service-api/names.hpp"

namespace robot_council::fleet {

std::string seat_name(std::string_view harness, std::string_view machine_label) {
  return std::string(harness) + " on " + std::string(machine_label);
}

bool mark_gone(Unit& unit, const Session& session, const SessionEnd& end) {
  const std::int64_t changed = unit.tx.execute(
      "UPDATE sessions SET status = 'gone', token_hash = NULL, requested_role = NULL, requested_at "
      "= NULL, ended_at = ?"
      " WHERE id = ? AND status <> 'gone'",
      {unit.now, session.id});
  if (changed == 0) {
    return false;
  }
  unit.ended_sessions.push_back(session.id);
  if (!session.ephemeral) {
    EventDraft gone;
    gone.type = service_api::event::kSessionGone;
    gone.body = seat_name(session.harness, session.machine_label) + " ended.";
    gone.meta = ObjectText()
                    .integer("installation_id", session.installation_id)
                    .text("reason", end.reason)
                    .done();
    gone.actor = session.actor();
    gone.developer_id = session.developer_id;
    gone.performed_by = end.performed_by;
    unit.append(gone);
  }
  return true;
}

void release_holdings(Unit& unit, const Session& session) {
  const Rows tasks = unit.tx.query(
      "UPDATE tasks SET status = 'pending', branch = NULL, sub_label = NULL, claimed_at = NULL, "
      "claimed_session = NULL,"
      " claimed_login = NULL, placed_by = NULL, hand_back = 0"
      " WHERE claimed_session = ? AND status IN ('claimed', 'in_progress', 'blocked') RETURNING "
      "id, developer_id",
      {session.id});
  for (const Row& task : tasks) {
    EventDraft released;
    released.type = service_api::event::kTaskReleased;
    released.body = "Task #" + std::to_string(task.integer(0)) + " released.";
    released.meta = ObjectText()
                        .integer("task_id", task.integer(0))
                        .text("to", service_api::task_status::kPending)
                        .integer("released_from", session.id)
                        .done();
    released.developer_id = task.integer(1);
    unit.append(released);
  }
  const Rows locks = unit.tx.query(
      "UPDATE locks SET previous = holder, holder = NULL, holder_login = NULL, freed_at = ? WHERE "
      "holder = ? RETURNING name",
      {unit.now, session.id});
  for (const Row& lock : locks) {
    EventDraft released;
    released.type = service_api::event::kLockReleased;
    released.body = "Released " + lock.text(0) + ".";
    released.meta =
        ObjectText().text("lock", lock.text(0)).integer("released_from", session.id).done();
    released.developer_id = session.developer_id;
    unit.append(released);
  }
}

std::vector<std::int64_t> revoke_installation(Unit& unit, const Installation& installation,
                                              const std::string& performed_by) {
  std::vector<std::int64_t> ended;
  const std::int64_t changed = unit.tx.execute(
      "UPDATE installations SET revoked_at = ?, token_hash = NULL WHERE id = ? AND revoked_at IS "
      "NULL",
      {unit.now, installation.id});
  if (changed == 0) {
    return ended;
  }
  EventDraft revoked;
  revoked.type = service_api::event::kInstallationRevoked;
  revoked.body = seat_name(installation.harness, installation.machine_label) + " was revoked.";
  revoked.meta = ObjectText().integer("installation_id", installation.id).done();
  revoked.actor.login = installation.login;
  revoked.developer_id = installation.developer_id;
  revoked.performed_by = performed_by;
  unit.append(revoked);
  const Rows sessions = unit.tx.query(
      "SELECT id FROM sessions WHERE installation_id = ? AND status <> 'gone' ORDER BY id",
      {installation.id});
  for (const Row& row : sessions) {
    const auto session = find_session(unit, row.integer(0));
    if (session && mark_gone(unit, *session, {"revoked", performed_by})) {
      release_holdings(unit, *session);
      ended.push_back(session->id);
    }
  }
  return ended;
}

}  // namespace robot_council::fleet
