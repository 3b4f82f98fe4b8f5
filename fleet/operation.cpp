#include "fleet/operation.hpp"

#include "fleet/sessions.hpp"
#include "service-api/names.hpp"

namespace robot_council::fleet {

Reply run_operation(Core& core, const Session& session, const Operation& operation, std::int64_t id,
                    const Input& input) {
  if (!operation.ability.empty() && !role_holds(session.role, operation.ability)) {
    return missing_ability(operation.ability);
  }
  const auto work = [&](Unit& unit) {
    const auto current = find_session(unit, session.id);
    if (!current || !current->live()) {
      return unauthorized("This session has ended.");
    }
    if (!operation.ability.empty() && !role_holds(current->role, operation.ability)) {
      return missing_ability(operation.ability);
    }
    return operation.run(unit, *current, id, input);
  };
  return operation.access == Operation::Access::writes ? core.write(work) : core.read(work);
}

void note_contact(Core& core, const Session& session) {
  core.presence.contact(session.id, core.now());
  if (session.status == service_api::session_status::kStale) {
    (void)core.write([&](Unit& unit) {
      resume_session(unit, session);
      return ok({});
    });
  }
}

}  // namespace robot_council::fleet
