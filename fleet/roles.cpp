#include "fleet/roles.hpp"

#include "fleet/json_text.hpp"
#include "service-api/names.hpp"
#include "service-api/patterns.hpp"

namespace robot_council::fleet {

namespace {

std::string session_words(const Session& session) {
  return "session " + std::to_string(session.id);
}

EventDraft role_event(const Session& session, const char* type, std::string body) {
  EventDraft draft;
  draft.type = type;
  draft.body = std::move(body);
  draft.actor = session.actor();
  draft.developer_id = session.developer_id;
  return draft;
}

std::optional<std::string> read_role(Fields& fields) {
  auto role = fields.text("role", {Need::required});
  if (role && !service_api::is_role(*role)) {
    fields.refuse("role", "The role must be one of build, ci, coordinator.");
    return std::nullopt;
  }
  return role;
}

Reply holds_already(Unit& unit, const Session& session) {
  if (session.requested_role) {
    unit.tx.execute("UPDATE sessions SET requested_role = NULL, requested_at = NULL WHERE id = ?",
                    {session.id});
    EventDraft withdrawn = role_event(
        session, service_api::event::kSessionRoleWithdrawn,
        session_words(session) + " withdrew its request to be " + *session.requested_role + ".");
    withdrawn.meta = ObjectText()
                         .integer("installation_id", session.installation_id)
                         .text("withdrawn", *session.requested_role)
                         .text("stays", session.role)
                         .done();
    unit.append(withdrawn);
  }
  return ok(ObjectText()
                .integer("session_id", session.id)
                .flag("pending", false)
                .null("requested_role")
                .text("role", session.role)
                .done());
}

}  // namespace

Reply request_role(Unit& unit, const Session& session, const Input& input) {
  Fields fields(input);
  const auto role = read_role(fields);
  if (!fields.ok()) {
    return invalid_input(fields.errors());
  }
  if (*role == session.role) {
    return holds_already(unit, session);
  }
  if (session.requested_role != role) {
    unit.tx.execute("UPDATE sessions SET requested_role = ?, requested_at = ? WHERE id = ?",
                    {*role, unit.now, session.id});
    EventDraft asked = role_event(
        session, service_api::event::kSessionRoleRequested,
        session_words(session) + " asked to change from " + session.role + " to " + *role + ".");
    asked.meta = ObjectText()
                     .integer("installation_id", session.installation_id)
                     .text("from", session.role)
                     .text("to", *role)
                     .done();
    unit.append(asked);
  }
  Reply reply = ok(ObjectText()
                       .integer("session_id", session.id)
                       .flag("pending", true)
                       .text("requested_role", *role)
                       .text("role", session.role)
                       .done());
  reply.status = 202;
  return reply;
}

Reply decide_role(Unit& unit, std::int64_t session_id, const Input& input,
                  const std::string& login) {
  Fields fields(input);
  const auto role = read_role(fields);
  const auto how = fields.text("how", {Need::required, 0, [](std::string_view word) {
                                         return word == "approved" || word == "imposed";
                                       }});
  const auto session = find_session(unit, session_id);
  if (!session) {
    return refuse(404, "There is no such session.");
  }
  if (!fields.ok()) {
    return invalid_input(fields.errors());
  }
  if (!session->live()) {
    return refuse(409, "This session has ended.");
  }
  const bool applied = session->role != *role;
  if (applied && *how == "approved" && session->requested_role != role) {
    return refuse(409,
                  session->requested_role ? "Another role is pending now." : "No role is pending.");
  }
  if (applied) {
    unit.tx.execute(
        "UPDATE sessions SET role = ?, requested_role = NULL, requested_at = NULL WHERE id = ? AND "
        "status <> 'gone'",
        {*role, session->id});
    EventDraft changed = role_event(
        *session, service_api::event::kSessionRoleChanged,
        session_words(*session) + " was " + *how + " from " + session->role + " to " + *role + ".");
    changed.meta = ObjectText()
                       .integer("installation_id", session->installation_id)
                       .text("from", session->role)
                       .text("to", *role)
                       .text("how", *how)
                       .done();
    changed.performed_by = login;
    unit.append(changed);
  }
  return ok(ObjectText()
                .integer("session_id", session->id)
                .text("role", *role)
                .text("how", *how)
                .flag("applied", applied)
                .done());
}

Reply deny_role(Unit& unit, std::int64_t session_id, const std::string& login) {
  const auto session = find_session(unit, session_id);
  if (!session) {
    return refuse(404, "There is no such session.");
  }
  if (!session->requested_role) {
    return refuse(409, "No role is pending.");
  }
  unit.tx.execute("UPDATE sessions SET requested_role = NULL, requested_at = NULL WHERE id = ?",
                  {session->id});
  EventDraft denied = role_event(
      *session, service_api::event::kSessionRoleRequested,
      session_words(*session) + " was refused the role " + *session->requested_role + ".");
  denied.meta = ObjectText()
                    .integer("installation_id", session->installation_id)
                    .text("refused", *session->requested_role)
                    .text("stays", session->role)
                    .done();
  denied.performed_by = login;
  unit.append(denied);
  return ok(ObjectText()
                .integer("session_id", session->id)
                .text("refused", *session->requested_role)
                .text("stays", session->role)
                .done());
}

}  // namespace robot_council::fleet
