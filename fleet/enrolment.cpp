#include "fleet/enrolment.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "fleet/callers.hpp"
#include "fleet/endings.hpp"
#include "fleet/json_text.hpp"
#include "service-api/limits.hpp"
#include "service-api/names.hpp"
#include "service-api/patterns.hpp"

namespace robot_council::fleet {

namespace {

bool is_build_ability(std::string_view word) {
  const auto& all = service_api::ability::kOfBuild;
  return std::find(all.begin(), all.end(), word) != all.end();
}

std::string random_user_code() {
  std::string code;
  for (std::size_t i = 0; i < service_api::kUserCodeLetters; ++i) {
    code +=
        service_api::kUserCodeAlphabet[base::random_below(service_api::kUserCodeAlphabet.size())];
  }
  return code;
}

// A code that no enrolment in the store has: deciding goes by the code alone.
std::string unused_user_code(Unit& unit) {
  constexpr int kTries = 8;  // 20^8 codes: a second try is already rare
  std::string code = random_user_code();
  for (int i = 0; i < kTries; ++i) {
    if (!unit.tx.first("SELECT id FROM enrolments WHERE user_code_hash = ?", {stored_form(code)})) {
      break;
    }
    code = random_user_code();
  }
  return code;
}

Reply grant_refused(const char* code) {
  Reply reply;
  reply.status = 400;
  reply.body = service_api::grant_error_body(code);
  return reply;
}

struct Enrolment {
  std::int64_t id = 0;
  std::string harness;
  std::string machine_label;
  std::string requested_ip;
  std::string decision;
  std::string decided_by;
  std::int64_t expires_at = 0;
  bool exchanged = false;
};

// The state's refusal, nothing when the code may be exchanged now.
const char* refusal_of(const Enrolment& enrolment, std::int64_t now) {
  if (enrolment.decision == "denied") {
    return service_api::grant_error::kAccessDenied;
  }
  if (enrolment.exchanged || enrolment.expires_at <= now) {
    return service_api::grant_error::kExpiredToken;
  }
  return enrolment.decision == "pending" ? service_api::grant_error::kAuthorizationPending
                                         : nullptr;
}

Reply install(Unit& unit, const Enrolment& enrolment, std::int64_t developer_id) {
  const std::int64_t won = unit.tx.execute(
      "UPDATE enrolments SET exchanged_at = ?, developer_id = ? WHERE id = ? AND exchanged_at IS "
      "NULL AND decision = 'approved'",
      {unit.now, developer_id, enrolment.id});
  if (won == 0) {
    return grant_refused(service_api::grant_error::kExpiredToken);
  }
  const auto developer =
      unit.tx.first("SELECT github_login FROM developers WHERE id = ?", {developer_id});
  for (const std::int64_t id :
       superseded_by(unit, developer_id, enrolment.harness, enrolment.machine_label)) {
    revoke_installation(
        unit,
        Installation{id, developer_id, developer ? developer->text(0) : std::string(),
                     enrolment.harness, enrolment.machine_label},
        enrolment.decided_by);
  }
  const std::string token = new_token("rci");
  const std::int64_t id = unit.tx.insert(
      "INSERT INTO installations(developer_id, token_hash, harness, machine_label, requested_ip, "
      "created_at, expires_at)"
      " VALUES(?, ?, ?, ?, ?, ?, ?) RETURNING id",
      {developer_id, stored_form(token), enrolment.harness, enrolment.machine_label,
       enrolment.requested_ip, unit.now, unit.now + service_api::kInstallationLifetime * kSecond});
  return created(ObjectText()
                     .integer("installation_id", id)
                     .text("token", token)
                     .texts("abilities", {std::string(service_api::ability::kSessionsStart)})
                     .integer("expires_in", service_api::kInstallationLifetime)
                     .done());
}

}  // namespace

std::vector<std::int64_t> superseded_by(Unit& unit, std::int64_t developer_id,
                                        const std::string& harness,
                                        const std::string& machine_label) {
  std::vector<std::int64_t> ids;
  const Rows rows = unit.tx.query(
      "SELECT id FROM installations WHERE developer_id = ? AND harness = ? AND machine_label = ? "
      "AND revoked_at IS NULL"
      " AND expires_at > ? ORDER BY id",
      {developer_id, harness, machine_label, unit.now});
  ids.reserve(rows.size());
  for (const Row& row : rows) {
    ids.push_back(row.integer(0));
  }
  return ids;
}

Reply start_enrolment(Core& core, const Input& input, const Requester& requester) {
  Fields fields(input);
  const auto harness =
      fields.text("harness", {Need::required, service_api::kMaxHarness, service_api::is_harness});
  const auto machine_label =
      fields.text("machine_label",
                  {Need::required, service_api::kMaxMachineLabel, service_api::is_machine_label});
  const auto abilities = fields.words("requested_abilities", is_build_ability);
  const auto challenge =
      fields.text("code_challenge", {Need::required, 0, service_api::is_code_challenge});
  if (!fields.ok()) {
    return invalid_input(fields.errors());
  }
  const bool approved = core.settings().auto_approve;
  const std::string device_code = base::random_hex(kTokenBytes);
  std::string user_code;
  Reply reply = core.write([&](Unit& unit) {
    user_code = unused_user_code(unit);
    unit.tx.execute(
        "INSERT INTO enrolments(device_hash, user_code_hash, challenge_hash, harness, "
        "machine_label, abilities, requested_ip,"
        " created_at, expires_at, decision, decided_by, decided_at) VALUES(?, ?, ?, ?, ?, ?, ?, ?, "
        "?, ?, ?, ?)",
        {stored_form(device_code), stored_form(user_code), stored_form(*challenge), *harness,
         *machine_label, base::join(abilities, " "), requester.address, unit.now,
         unit.now + service_api::kCodeLifetime * kSecond, approved ? "approved" : "pending",
         approved ? Value(core.settings().login) : Value(), approved ? Value(unit.now) : Value()});
    return created(ObjectText()
                       .text("device_code", device_code)
                       .text("user_code", user_code)
                       .text("verification_uri", requester.verification_uri)
                       .integer("expires_in", service_api::kCodeLifetime)
                       .integer("interval", service_api::kCodeInterval)
                       .done());
  });
  if (!reply.refused() && approved) {
    core.context().log.warning("approved " + seat_name(*harness, *machine_label) +
                               " without asking: serve runs with --auto-approve");
  } else if (!reply.refused()) {
    core.codes.remember(stored_form(user_code), user_code);
  }
  return reply;
}

Reply exchange_code(Core& core, const Input& input) {
  Fields fields(input);
  const auto device_code =
      fields.text("device_code", {Need::required, service_api::kMaxDeviceCode});
  const auto verifier = fields.text("code_verifier", {Need::required, service_api::kMaxVerifier});
  if (verifier && verifier->size() < service_api::kMinVerifier) {
    fields.refuse("code_verifier", "The code verifier field must be at least 43 characters long.");
  }
  if (!fields.ok()) {
    return invalid_input(fields.errors());
  }
  return core.write([&](Unit& unit) {
    const auto row = unit.tx.first(
        "SELECT id, challenge_hash, harness, machine_label, requested_ip, decision, decided_by, "
        "expires_at, exchanged_at"
        " FROM enrolments WHERE device_hash = ?",
        {stored_form(*device_code)});
    enum Column : std::size_t {
      id,
      challenge,
      harness,
      label,
      ip,
      decision,
      decided_by,
      expires_at,
      exchanged_at
    };
    if (!row || row->text(challenge) != stored_form(base::sha256_hex(*verifier))) {
      return grant_refused(service_api::grant_error::kInvalidGrant);
    }
    const Enrolment enrolment{
        row->integer(id),         row->text(harness),
        row->text(label),         row->text(ip),
        row->text(decision),      row->text(decided_by),
        row->integer(expires_at), row->maybe_integer(exchanged_at).has_value()};
    if (const char* refusal = refusal_of(enrolment, unit.now)) {
      return grant_refused(refusal);
    }
    return install(unit, enrolment, core.developer_id());
  });
}

Reply decide_enrolment(Core& core, std::string_view typed, Decision decision) {
  const std::string code = service_api::normal_user_code(typed);
  const std::string hash = stored_form(code);
  const std::string word = decision == Decision::approved ? "approved" : "denied";
  Reply reply = core.write([&](Unit& unit) {
    const auto row = unit.tx.first(
        "SELECT id, harness, machine_label, decision, expires_at FROM enrolments WHERE "
        "user_code_hash = ? ORDER BY id DESC",
        {hash});
    if (!row) {
      return refuse(404, "No enrolment has this code.");
    }
    if (row->text(3) != "pending" || row->integer(4) <= unit.now) {
      return refuse(409, row->text(3) == "pending" ? "This code has expired."
                                                   : "This code was decided already.");
    }
    const std::int64_t won = unit.tx.execute(
        "UPDATE enrolments SET decision = ?, decided_by = ?, decided_at = ?, developer_id = ? "
        "WHERE id = ? AND decision = 'pending'",
        {word, core.settings().login, unit.now, core.developer_id(), row->integer(0)});
    if (won == 0) {
      return refuse(409, "This code was decided already.");
    }
    return ok(ObjectText()
                  .text("user_code", code)
                  .text("decision", word)
                  .ids("supersedes",
                       decision == Decision::approved
                           ? superseded_by(unit, core.developer_id(), row->text(1), row->text(2))
                           : std::vector<std::int64_t>())
                  .done());
  });
  if (!reply.refused()) {
    core.codes.forget(hash);
  }
  return reply;
}

}  // namespace robot_council::fleet
