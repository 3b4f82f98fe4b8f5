#include "fleet/operator.hpp"

#include <vector>

#include "base/text.hpp"
#include "base/version.hpp"
#include "fleet/callers.hpp"
#include "fleet/endings.hpp"
#include "fleet/enrolment.hpp"
#include "fleet/feed_window.hpp"
#include "fleet/json_text.hpp"
#include "fleet/sessions.hpp"
#include "fleet/tasks.hpp"
#include "service-api/names.hpp"

namespace robot_council::fleet {

namespace {

std::string installations(Unit& unit) {
  std::vector<std::string> rows;
  for (const Row& row : unit.tx.query("SELECT i.id, d.github_login, i.harness, i.machine_label, "
                                      "i.requested_ip, i.created_at, i.expires_at, i.revoked_at"
                                      " FROM installations i JOIN developers d ON d.id = "
                                      "i.developer_id ORDER BY i.id DESC LIMIT ?",
                                      {kOverviewRows})) {
    rows.push_back(ObjectText()
                       .integer("id", row.integer(0))
                       .text("github_login", row.text(1))
                       .text("harness", row.text(2))
                       .text("machine_label", row.text(3))
                       .text("requested_ip", row.text(4))
                       .time("created_at", row.integer(5))
                       .time("expires_at", row.integer(6))
                       .time("revoked_at", row.maybe_integer(7))
                       .done());
  }
  return array_text(rows);
}

std::string enrolments(Core& core, Unit& unit) {
  std::vector<std::string> rows;
  for (const Row& row :
       unit.tx.query("SELECT user_code_hash, harness, machine_label, abilities, requested_ip, "
                     "created_at, expires_at FROM enrolments"
                     " WHERE decision = 'pending' AND expires_at > ? ORDER BY id LIMIT ?",
                     {unit.now, kOverviewRows})) {
    rows.push_back(
        ObjectText()
            .text("user_code", core.codes.find(row.text(0)))
            .text("harness", row.text(1))
            .text("machine_label", row.text(2))
            .texts("requested_abilities", base::split(row.text(3), ' '))
            .text("requested_ip", row.text(4))
            .time("created_at", row.integer(5))
            .time("expires_at", row.integer(6))
            .ids("supersedes", superseded_by(unit, core.developer_id(), row.text(1), row.text(2)))
            .done());
  }
  return array_text(rows);
}

std::string role_requests(Unit& unit) {
  std::vector<std::string> rows;
  for (const Row& row : unit.tx.query("SELECT id, role, requested_role, requested_at FROM sessions "
                                      "WHERE requested_role IS NOT NULL AND status <> 'gone'"
                                      " ORDER BY requested_at, id LIMIT ?",
                                      {kOverviewRows})) {
    rows.push_back(ObjectText()
                       .integer("session_id", row.integer(0))
                       .text("from", row.text(1))
                       .text("to", row.text(2))
                       .time("requested_at", row.maybe_integer(3))
                       .done());
  }
  return array_text(rows);
}

std::string locks(Unit& unit) {
  std::vector<std::string> rows;
  for (const Row& row :
       unit.tx.query("SELECT name, holder, holder_login, fence, acquired_at, expires_at FROM locks"
                     " WHERE holder IS NOT NULL ORDER BY name LIMIT ?",
                     {kOverviewRows})) {
    rows.push_back(ObjectText()
                       .text("name", row.text(0))
                       .integer("session_id", row.integer(1))
                       .text("github_login", row.maybe_text(2))
                       .integer("fence", row.integer(3))
                       .time("acquired_at", row.integer(4))
                       .time("expires_at", row.integer(5))
                       .done());
  }
  return array_text(rows);
}

std::int64_t count(Unit& unit, std::string_view sql) {
  const auto row = unit.tx.first(sql, {});
  return row ? row->integer(0) : 0;
}

std::string counts(Core& core, Unit& unit) {
  ObjectText tasks;
  for (const std::string_view status : service_api::task_status::kAll) {
    const auto row = unit.tx.first("SELECT COUNT(*) FROM tasks WHERE status = ?", {status});
    tasks.integer(status, row ? row->integer(0) : 0);
  }
  return ObjectText()
      .integer("sessions",
               count(unit, "SELECT COUNT(*) FROM sessions WHERE status IN ('active', 'stale')"))
      .raw("tasks", tasks.done())
      .integer("locks", count(unit, "SELECT COUNT(*) FROM locks WHERE holder IS NOT NULL"))
      .integer("held_requests", static_cast<std::int64_t>(core.waiters.count()))
      .done();
}

std::string last_events(Unit& unit) {
  const auto row = unit.tx.first(
      "SELECT MIN(id) FROM (SELECT id FROM events ORDER BY id DESC LIMIT ?) AS newest",
      {kOverviewEvents});
  const std::int64_t after = row ? row->maybe_integer(0).value_or(1) - 1 : 0;
  return array_text(read_page(unit.tx, after, kOverviewEvents, Reader{0, 0, true}).events);
}

}  // namespace

Reply overview(Core& core) {
  return core.read([&core](Unit& unit) {
    SessionQuery query;
    query.limit = kOverviewRows;
    return ok(
        ObjectText()
            .text("version", base::version())
            .text("login", core.settings().login)
            .time("time", unit.now)
            .integer("cursor", unit.head)
            .raw("sessions", array_text(session_rows(unit, query, RowFor::operator_, nullptr).rows))
            .raw("installations", installations(unit))
            .raw("enrolments", enrolments(core, unit))
            .raw("role_requests", role_requests(unit))
            .raw("tasks", overview_tasks(unit))
            .raw("locks", locks(unit))
            .raw("counts", counts(core, unit))
            .raw("events", last_events(unit))
            .done());
  });
}

Reply revoke_session_of_operator(Core& core, std::int64_t session_id) {
  return core.write([&](Unit& unit) {
    const auto session = find_session(unit, session_id);
    if (!session) {
      return refuse(404, "There is no such session.");
    }
    if (mark_gone(unit, *session, {"revoked", core.settings().login})) {
      release_holdings(unit, *session);
    }
    return ok(ObjectText().integer("session_id", session_id).text("status", "gone").done());
  });
}

Reply revoke_installation_of_operator(Core& core, std::int64_t installation_id) {
  return core.write([&](Unit& unit) {
    const auto row = unit.tx.first(
        "SELECT i.developer_id, d.github_login, i.harness, i.machine_label, i.revoked_at FROM "
        "installations i"
        " JOIN developers d ON d.id = i.developer_id WHERE i.id = ?",
        {installation_id});
    if (!row) {
      return refuse(404, "There is no such installation.");
    }
    revoke_installation(
        unit,
        Installation{installation_id, row->integer(0), row->text(1), row->text(2), row->text(3)},
        core.settings().login);
    // Its sessions all ended with it, now or at the first call: the answer is the same.
    std::vector<std::int64_t> sessions;
    const std::int64_t revoked_at = row->maybe_integer(4).value_or(unit.now);
    for (const Row& session : unit.tx.query(
             "SELECT id FROM sessions WHERE installation_id = ? AND ended_at = ? ORDER BY id",
             {installation_id, revoked_at})) {
      sessions.push_back(session.integer(0));
    }
    return ok(ObjectText()
                  .integer("installation_id", installation_id)
                  .flag("revoked", true)
                  .ids("sessions", sessions)
                  .done());
  });
}

}  // namespace robot_council::fleet
