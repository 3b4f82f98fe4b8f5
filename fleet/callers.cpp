#include "fleet/callers.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "base/sha256.hpp"
#include "service-api/limits.hpp"
#include "service-api/names.hpp"

namespace robot_council::fleet {

namespace {

constexpr std::string_view kSessionSql =
    "SELECT s.id, s.developer_id, d.github_login, s.installation_id, i.harness, i.machine_label, "
    "s.role, s.requested_role, s.status,"
    " s.repository, s.work_location, s.declared_capacity, s.ephemeral, s.feed_cursor, "
    "s.contact_at, s.token_expires_at,"
    " i.revoked_at, d.allowed FROM sessions s JOIN installations i ON i.id = s.installation_id"
    " JOIN developers d ON d.id = s.developer_id WHERE ";

struct SessionColumn {
  enum Index : std::size_t {
    id,
    developer_id,
    login,
    installation_id,
    harness,
    machine_label,
    role,
    requested_role,
    status,
    repository,
    work_location,
    declared_capacity,
    ephemeral,
    feed_cursor,
    contact_at,
    token_expires_at,
    revoked_at,
    allowed
  };
};

Session session_of(const Row& row) {
  Session session;
  session.id = row.integer(SessionColumn::id);
  session.developer_id = row.integer(SessionColumn::developer_id);
  session.login = row.text(SessionColumn::login);
  session.installation_id = row.integer(SessionColumn::installation_id);
  session.harness = row.text(SessionColumn::harness);
  session.machine_label = row.text(SessionColumn::machine_label);
  session.role = row.text(SessionColumn::role);
  session.requested_role = row.maybe_text(SessionColumn::requested_role);
  session.status = row.text(SessionColumn::status);
  session.repository = row.maybe_text(SessionColumn::repository);
  session.work_location = row.maybe_text(SessionColumn::work_location);
  session.declared_capacity = row.maybe_integer(SessionColumn::declared_capacity);
  session.ephemeral = row.flag(SessionColumn::ephemeral);
  session.feed_cursor = row.integer(SessionColumn::feed_cursor);
  session.contact_at = row.integer(SessionColumn::contact_at);
  return session;
}

Reply unknown_token() {
  return unauthorized("This token is not known here, or no longer good.");
}

Reply not_allowed() {
  return refuse(403, "This developer is not allowed on this fleet.");
}

}  // namespace

bool Session::live() const {
  return status != service_api::session_status::kGone;
}

bool Session::directs() const {
  return role == service_api::role::kCoordinator;
}

std::variant<Session, Reply> session_of_token(Unit& unit, std::string_view token) {
  static const std::string sql = std::string(kSessionSql) + "s.token_hash = ?";
  const auto row = unit.tx.first(sql, {stored_form(token)});
  if (!row || row->text(SessionColumn::status) == service_api::session_status::kGone ||
      row->integer(SessionColumn::token_expires_at) <= unit.now ||
      row->maybe_integer(SessionColumn::revoked_at)) {
    return unknown_token();
  }
  if (!row->flag(SessionColumn::allowed)) {
    return not_allowed();
  }
  return session_of(*row);
}

std::optional<Session> find_session(Unit& unit, std::int64_t session_id) {
  static const std::string sql = std::string(kSessionSql) + "s.id = ?";
  const auto row = unit.tx.first(sql, {session_id});
  return row ? std::optional<Session>(session_of(*row)) : std::nullopt;
}

std::variant<Installation, Reply> installation_of_token(Unit& unit, std::string_view token) {
  const auto row = unit.tx.first(
      "SELECT i.id, i.developer_id, d.github_login, i.harness, i.machine_label, i.expires_at, "
      "i.revoked_at, d.allowed"
      " FROM installations i JOIN developers d ON d.id = i.developer_id WHERE i.token_hash = ?",
      {stored_form(token)});
  enum Column : std::size_t {
    id,
    developer_id,
    login,
    harness,
    machine_label,
    expires_at,
    revoked_at,
    allowed
  };
  if (!row || row->maybe_integer(Column::revoked_at) ||
      row->integer(Column::expires_at) <= unit.now) {
    return unknown_token();
  }
  if (!row->flag(Column::allowed)) {
    return not_allowed();
  }
  return Installation{row->integer(Column::id), row->integer(Column::developer_id),
                      row->text(Column::login), row->text(Column::harness),
                      row->text(Column::machine_label)};
}

std::vector<std::string> abilities_of(std::string_view role) {
  std::vector<std::string> abilities(service_api::ability::kOfBuild.begin(),
                                     service_api::ability::kOfBuild.end());
  if (role == service_api::role::kCoordinator) {
    abilities.emplace_back(service_api::ability::kCoordinatorDirect);
  }
  return abilities;
}

bool role_holds(std::string_view role, std::string_view ability) {
  const auto abilities = abilities_of(role);
  return std::find(abilities.begin(), abilities.end(), ability) != abilities.end();
}

Reply missing_ability(std::string_view ability) {
  return refuse(403, "This session does not hold the ability " + std::string(ability) + ".");
}

std::int64_t effective_capacity(const Settings& settings,
                                const std::optional<std::int64_t>& declared) {
  return std::min(settings.tasks_at_once, declared.value_or(service_api::kMaxCapacity));
}

std::string new_token(std::string_view kind) {
  return std::string(kind) + "|" + base::random_hex(kTokenBytes);
}

std::string stored_form(std::string_view secret) {
  return base::sha256_hex(secret);
}

}  // namespace robot_council::fleet
