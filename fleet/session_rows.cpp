#include <algorithm>
#include <string>

#include "fleet/json_text.hpp"
#include "fleet/sessions.hpp"
#include "service-api/limits.hpp"
#include "service-api/names.hpp"
#include "service-api/patterns.hpp"

namespace robot_council::fleet {

namespace {

// The tasks a session holds. Their words are shown to who may read the task (5.2).
std::string held_tasks(Unit& unit, std::int64_t session_id, const Session* reader) {
  std::vector<std::string> tasks;
  const Rows rows = unit.tx.query(
      "SELECT id, status, sub_label, title, description, branch, developer_id, created_direct FROM "
      "tasks"
      " WHERE claimed_session = ? AND status IN ('claimed', 'in_progress', 'blocked') ORDER BY id",
      {session_id});
  enum Column : std::size_t {
    id,
    status,
    sub_label,
    title,
    description,
    branch,
    developer_id,
    direct
  };
  for (const Row& row : rows) {
    const bool readable = reader == nullptr || reader->directs() || row.flag(direct) ||
                          row.integer(developer_id) == reader->developer_id;
    const auto word = [&row, readable](std::size_t column) {
      return readable ? row.maybe_text(column) : std::optional<std::string>();
    };
    tasks.push_back(ObjectText()
                        .integer("id", row.integer(id))
                        .text("status", row.text(status))
                        .text("sub_label", word(sub_label))
                        .flag("readable", readable)
                        .text("title", word(title))
                        .text("description", word(description))
                        .text("branch", word(branch))
                        .done());
  }
  return array_text(tasks);
}

// Of a session's watcher (3.3); renewals and feed reads count too.
std::string_view watcher_state(const std::optional<std::int64_t>& at, std::int64_t now) {
  if (!at) {
    return "absent";
  }
  const std::int64_t age = now - *at;
  if (age <= service_api::kWatcherAlive * kSecond) {
    return "alive";
  }
  return age > service_api::kWatcherUnknown * kSecond ? "unknown" : "stale";
}

std::string held_locks(Unit& unit, std::int64_t session_id) {
  std::vector<std::string> names;
  for (const Row& row :
       unit.tx.query("SELECT name FROM locks WHERE holder = ? ORDER BY name", {session_id})) {
    names.push_back(row.text(0));
  }
  return text_list(names);
}

struct ListColumn {
  enum Index : std::size_t {
    id,
    login,
    harness,
    machine_label,
    role,
    repository,
    work_location,
    os_family,
    arch,
    status,
    contact_at,
    declared_capacity,
    installation_id,
    requested_role,
    requested_at,
    ephemeral,
    watcher_at
  };
};

std::string row_text(Unit& unit, const Row& row, RowFor for_whom, const Session* reader) {
  const Presence::Times times = unit.presence.of(row.integer(ListColumn::id));
  const std::int64_t seen =
      std::max(row.integer(ListColumn::contact_at), times.contact.value_or(0));
  const auto declared = row.maybe_integer(ListColumn::declared_capacity);
  ObjectText text;
  text.integer("id", row.integer(ListColumn::id))
      .text("github_login", row.text(ListColumn::login))
      .text("harness", row.text(ListColumn::harness))
      .text("machine_label", row.text(ListColumn::machine_label))
      .text("role", row.text(ListColumn::role))
      .text("repository", row.maybe_text(ListColumn::repository))
      .text("work_location", row.maybe_text(ListColumn::work_location))
      .text("os_family", row.maybe_text(ListColumn::os_family))
      .text("arch", row.maybe_text(ListColumn::arch))
      .text("status", row.text(ListColumn::status))
      .time("last_seen_at", seen)
      .integer("capacity", effective_capacity(unit.settings, declared))
      .raw("tasks", held_tasks(unit, row.integer(ListColumn::id), reader));
  if (for_whom == RowFor::operator_) {
    const auto watcher = times.watcher ? times.watcher : row.maybe_integer(ListColumn::watcher_at);
    text.integer("installation_id", row.integer(ListColumn::installation_id))
        .text("requested_role", row.maybe_text(ListColumn::requested_role))
        .time("requested_at", row.maybe_integer(ListColumn::requested_at))
        .integer("declared_capacity", declared)
        .flag("ephemeral", row.flag(ListColumn::ephemeral))
        .text("watcher", watcher_state(watcher, unit.now))
        .raw("locks", held_locks(unit, row.integer(ListColumn::id)));
  }
  return text.done();
}

}  // namespace

SessionRows session_rows(Unit& unit, const SessionQuery& query, RowFor for_whom,
                         const Session* reader) {
  const Rows rows = unit.tx.query(
      "SELECT s.id, d.github_login, i.harness, i.machine_label, s.role, s.repository, "
      "s.work_location, s.os_family, s.arch, s.status,"
      " s.contact_at, s.declared_capacity, s.installation_id, s.requested_role, s.requested_at, "
      "s.ephemeral, s.watcher_at"
      " FROM sessions s JOIN installations i ON i.id = s.installation_id JOIN developers d ON d.id "
      "= s.developer_id"
      " WHERE s.status IN ('active', 'stale') AND (s.ephemeral = 0 OR ? = 1) AND s.id < ?"
      " AND (? IS NULL OR LOWER(s.repository) = LOWER(?)) AND (? IS NULL OR s.role = ?) AND (? IS "
      "NULL OR s.os_family = ?)"
      " ORDER BY s.id DESC LIMIT ?",
      {for_whom == RowFor::operator_ ? 1 : 0, query.after.value_or(INT64_MAX), query.repository,
       query.repository, query.role, query.role, query.os_family, query.os_family, query.limit});
  SessionRows result;
  for (const Row& row : rows) {
    result.rows.push_back(row_text(unit, row, for_whom, reader));
    result.ids.push_back(row.integer(ListColumn::id));
  }
  return result;
}

Reply list_sessions(Unit& unit, const Session& caller, const Input& input) {
  Fields fields(input);
  SessionQuery query;
  query.repository = fields.text("repository", {Need::optional, service_api::kMaxRepository});
  query.role = fields.text("role", {Need::optional, 0, service_api::is_role});
  query.os_family = fields.text("os_family", {Need::optional, 0, service_api::is_os_family});
  query.after = fields.integer("after", Need::optional, 0, INT64_MAX);
  query.limit = fields.integer("limit", Need::optional, 1, service_api::kMaxPageTasks)
                    .value_or(service_api::kMaxPageTasks);
  if (!fields.ok()) {
    return invalid_input(fields.errors());
  }
  const std::int64_t wanted = query.limit;
  query.limit = wanted + 1;  // one more tells whether this is the last page
  SessionRows found = session_rows(unit, query, RowFor::session, &caller);
  std::optional<std::int64_t> cursor;
  if (static_cast<std::int64_t>(found.rows.size()) > wanted) {
    found.rows.pop_back();
    found.ids.pop_back();
    cursor = found.ids.back();
  }
  return ok(ObjectText().raw("sessions", array_text(found.rows)).integer("cursor", cursor).done());
}

}  // namespace robot_council::fleet
