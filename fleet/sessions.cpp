#include "fleet/sessions.hpp"

#include <algorithm>

#include "base/json_value.hpp"
#include "base/text.hpp"
#include "fleet/endings.hpp"
#include "fleet/json_text.hpp"
#include "service-api/limits.hpp"
#include "service-api/names.hpp"
#include "service-api/patterns.hpp"

namespace robot_council::fleet {

namespace {

using service_api::kMaxCapacity;

struct Place {
  std::optional<std::string> repository;
  std::optional<std::string> work_location;
};

struct Start {
  Place place;
  std::optional<std::string> os_family;
  std::optional<std::string> arch;
  std::optional<std::int64_t> declared_capacity;
  bool ephemeral = false;
};

// The older field: "o/n" is a repository, "o/n/loc" both, anything else is dropped.
Place place_of_project(const std::string& project_id) {
  if (service_api::is_repository(project_id)) {
    return Place{project_id, std::nullopt};
  }
  const std::size_t slash = project_id.rfind('/');
  if (slash != std::string::npos) {
    const std::string repository = project_id.substr(0, slash);
    const std::string location = project_id.substr(slash + 1);
    if (service_api::is_repository(repository) && service_api::is_work_location(location)) {
      return Place{repository, location};
    }
  }
  return {};
}

void read_platform(const Input& input, Fields& fields, Start& start) {
  const base::Json* platform = base::get_member(input.json(), "platform");
  if (platform == nullptr || platform->is_null()) {
    return;
  }
  if (!platform->is_object()) {
    fields.refuse("platform", "The platform field must be an object.");
    return;
  }
  for (const auto& [name, value] : platform->items()) {
    if (name != "os_family" && name != "arch") {
      fields.refuse("platform", "The platform field holds os_family and arch, nothing else.");
    }
  }
  start.os_family = base::get_string(*platform, "os_family");
  if (!start.os_family || !service_api::is_os_family(*start.os_family)) {
    fields.refuse("platform.os_family",
                  "The os family must be one of Windows, Darwin, Linux, BSD, Solaris, Unknown.");
  }
  const base::Json* arch = base::get_member(*platform, "arch");
  if (arch != nullptr && !arch->is_null()) {
    start.arch = base::get_string(*platform, "arch");
    if (!start.arch || !service_api::is_arch(*start.arch)) {
      fields.refuse("platform.arch", "The arch is not of the form this service takes.");
    }
  }
}

TextRule repository_rule(Null null) {
  return {Need::optional, service_api::kMaxRepository, service_api::is_repository, null};
}

TextRule location_rule(Null null) {
  return {Need::optional, service_api::kMaxWorkLocation, service_api::is_work_location, null};
}

Start read_start(const Input& input, Fields& fields) {
  Start start;
  start.place.repository = fields.text("repository", repository_rule(Null::absent));
  start.place.work_location = fields.text("work_location", location_rule(Null::absent));
  const auto project = fields.text(
      "project_id", {Need::optional, service_api::kMaxProjectId, service_api::is_project_id});
  if (project && !start.place.repository && !start.place.work_location) {
    start.place = place_of_project(*project);
  }
  read_platform(input, fields, start);
  const auto capacity = fields.integer("capacity", Need::optional, 1, INT64_MAX);
  if (capacity) {
    start.declared_capacity = std::min(*capacity, kMaxCapacity);
  }
  start.ephemeral = fields.boolean("ephemeral").value_or(false);
  return start;
}

void append_joined(Unit& unit, const Session& session, const Start& start) {
  EventDraft joined;
  joined.type = service_api::event::kSessionJoined;
  joined.body = seat_name(session.harness, session.machine_label) + " started a session.";
  joined.meta = ObjectText()
                    .integer("installation_id", session.installation_id)
                    .text("repository", start.place.repository)
                    .text("work_location", start.place.work_location)
                    .text("os_family", start.os_family)
                    .text("arch", start.arch)
                    .integer("declared_capacity", start.declared_capacity)
                    .done();
  joined.actor = session.actor();
  joined.developer_id = session.developer_id;
  unit.append(joined);
}

std::string place_text(const std::optional<std::string>& repository,
                       const std::optional<std::string>& location) {
  if (!repository && !location) {
    return "nowhere";
  }
  return repository.value_or("no repository") + (location ? " at " + *location : std::string());
}

// The session of the path if it is the installation's, else the refusal.
std::variant<Session, Reply> own_session(Unit& unit, const Installation& installation,
                                         std::int64_t session_id) {
  auto session = find_session(unit, session_id);
  if (!session) {
    return refuse(404, "There is no such session.");
  }
  if (session->installation_id != installation.id) {
    return refuse(403, "This session belongs to another installation.");
  }
  return *session;
}

}  // namespace

Reply start_session(Unit& unit, const Installation& installation, const Input& input) {
  Fields fields(input);
  const Start start = read_start(input, fields);
  if (!fields.ok()) {
    return invalid_input(fields.errors());
  }
  const std::string token = new_token("rcs");
  Session session;
  session.developer_id = installation.developer_id;
  session.login = installation.login;
  session.installation_id = installation.id;
  session.harness = installation.harness;
  session.machine_label = installation.machine_label;
  session.role = service_api::role::kBuild;
  session.id = unit.tx.insert(
      "INSERT INTO sessions(developer_id, installation_id, token_hash, token_expires_at, "
      "repository, work_location, os_family,"
      " arch, declared_capacity, ephemeral, contact_at, started_at) VALUES(?, ?, ?, ?, ?, ?, ?, ?, "
      "?, ?, ?, ?) RETURNING id",
      {session.developer_id, session.installation_id, stored_form(token),
       unit.now + service_api::kSessionLifetime * kSecond, start.place.repository,
       start.place.work_location, start.os_family, start.arch, start.declared_capacity,
       start.ephemeral ? 1 : 0, unit.now, unit.now});
  std::int64_t cursor = unit.head;
  if (!start.ephemeral) {
    append_joined(unit, session, start);
    cursor = unit.events.back().id;
  }
  unit.tx.execute("UPDATE sessions SET feed_cursor = ? WHERE id = ?", {cursor, session.id});
  return created(
      ObjectText()
          .integer("session_id", session.id)
          .text("token", token)
          .texts("abilities", abilities_of(session.role))
          .integer("expires_in", service_api::kSessionLifetime)
          .integer("feed_cursor", cursor)
          .integer("capacity", effective_capacity(unit.settings, start.declared_capacity))
          .integer("declared_capacity", start.declared_capacity)
          .done());
}

Reply renew_session(Unit& unit, const Installation& installation, std::int64_t session_id) {
  auto found = own_session(unit, installation, session_id);
  if (const auto* refusal = std::get_if<Reply>(&found)) {
    return *refusal;
  }
  const auto& session = std::get<Session>(found);
  const std::string token = new_token("rcs");
  const std::int64_t changed = unit.tx.execute(
      "UPDATE sessions SET token_hash = ?, token_expires_at = ? WHERE id = ? AND status <> 'gone'",
      {stored_form(token), unit.now + service_api::kSessionLifetime * kSecond, session.id});
  if (changed == 0) {
    return refuse(409, "This session has ended. Start a new one.");
  }
  resume_session(unit, session);
  return ok(ObjectText()
                .integer("session_id", session.id)
                .text("token", token)
                .texts("abilities", abilities_of(session.role))
                .integer("expires_in", service_api::kSessionLifetime)
                .integer("feed_cursor", session.feed_cursor)
                .done());
}

Reply end_session(Unit& unit, const Installation& installation, std::int64_t session_id) {
  auto found = own_session(unit, installation, session_id);
  if (const auto* refusal = std::get_if<Reply>(&found)) {
    return *refusal;
  }
  const auto& session = std::get<Session>(found);
  if (mark_gone(unit, session, {"ended", std::nullopt})) {
    release_holdings(unit, session);
  }
  return ok(ObjectText().integer("session_id", session.id).text("status", "gone").done());
}

Reply show_session(Unit& unit, const Session& session) {
  const auto coordinator = unit.tx.first(
      "SELECT 1 FROM sessions WHERE role = 'coordinator' AND status = 'active' LIMIT 1", {});
  return ok(ObjectText()
                .integer("session_id", session.id)
                .integer("installation_id", session.installation_id)
                .text("status", session.status)
                .text("role", session.role)
                .text("requested_role", session.requested_role)
                .text("repository", session.repository)
                .text("work_location", session.work_location)
                .integer("capacity", effective_capacity(unit.settings, session.declared_capacity))
                .integer("declared_capacity", session.declared_capacity)
                .integer("feed_cursor", session.feed_cursor)
                .texts("abilities", abilities_of(session.role))
                .flag("fleet_can_direct", coordinator.has_value())
                .done());
}

Reply move_session(Unit& unit, const Session& session, const Input& input) {
  Fields fields(input);
  const auto repository = fields.text("repository", repository_rule(Null::refused));
  const auto location = fields.text("work_location", location_rule(Null::refused));
  if (!fields.has("repository") && !fields.has("work_location")) {
    fields.refuse("repository", "The repository or the work location field is required.");
  }
  if (!fields.ok()) {
    return invalid_input(fields.errors());
  }
  const auto to_repository = repository ? repository : session.repository;
  const auto to_location = location ? location : session.work_location;
  if (to_repository != session.repository || to_location != session.work_location) {
    const std::int64_t changed = unit.tx.execute(
        "UPDATE sessions SET repository = ?, work_location = ? WHERE id = ? AND status <> 'gone'",
        {to_repository, to_location, session.id});
    if (changed == 0) {
      return refuse(409, "This session has ended.");
    }
    if (!session.ephemeral) {
      EventDraft moved;
      moved.type = service_api::event::kSessionMoved;
      moved.body = "session " + std::to_string(session.id) + " moved from " +
                   place_text(session.repository, session.work_location) + " to " +
                   place_text(to_repository, to_location) + ".";
      moved.meta = ObjectText()
                       .integer("installation_id", session.installation_id)
                       .text("from_repository", session.repository)
                       .text("from_work_location", session.work_location)
                       .text("to_repository", to_repository)
                       .text("to_work_location", to_location)
                       .done();
      moved.actor = session.actor();
      moved.developer_id = session.developer_id;
      unit.append(moved);
    }
  }
  return ok(ObjectText()
                .integer("session_id", session.id)
                .text("repository", to_repository)
                .text("work_location", to_location)
                .flag("applied", true)
                .done());
}

Reply heartbeat(const Session& session) {
  return ok(ObjectText()
                .integer("session_id", session.id)
                .text("status", service_api::session_status::kActive)
                .integer("stale_in", service_api::kStaleAfter)
                .integer("gone_in", service_api::kGoneAfter)
                .done());
}

Reply watching(const Session& session) {
  return ok(ObjectText().integer("session_id", session.id).flag("watching", true).done());
}

void resume_session(Unit& unit, const Session& session) {
  const std::int64_t changed = unit.tx.execute(
      "UPDATE sessions SET status = 'active', contact_at = ? WHERE id = ? AND status = 'stale'",
      {unit.now, session.id});
  if (changed == 0 || session.ephemeral) {
    return;
  }
  EventDraft resumed;
  resumed.type = service_api::event::kSessionResumed;
  resumed.body = seat_name(session.harness, session.machine_label) + " is answering again.";
  resumed.meta = ObjectText().integer("installation_id", session.installation_id).done();
  resumed.actor = session.actor();
  resumed.developer_id = session.developer_id;
  unit.append(resumed);
}

}  // namespace robot_council::fleet
