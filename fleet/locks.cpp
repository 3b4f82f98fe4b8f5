#include "fleet/locks.hpp"

#include <optional>
#include <string>

#include "fleet/json_text.hpp"
#include "fleet/limits.hpp"
#include "service-api/limits.hpp"
#include "service-api/names.hpp"
#include "service-api/patterns.hpp"

namespace robot_council::fleet {

namespace {

struct Lock {
  std::optional<std::int64_t> holder;
  std::optional<std::int64_t> previous;
  std::int64_t fence = 0;
  std::int64_t acquired_at = 0;
  std::int64_t expires_at = 0;

  [[nodiscard]] bool runs(std::int64_t now) const { return holder && expires_at > now; }
};

struct Asked {
  std::string name;
  std::int64_t ttl = 0;  // s
};

enum class Ttl : std::uint8_t { required, refused };

Asked read_asked(Fields& fields, Ttl ttl) {
  Asked asked;
  asked.name =
      fields.text("name", {Need::required, service_api::kMaxLockName, service_api::is_lock_name})
          .value_or("");
  if (ttl == Ttl::required) {
    asked.ttl = fields.integer("ttl", Need::required, 1, service_api::kMaxLockTtl).value_or(0);
  } else {
    fields.forbid({"ttl"}, "this call");
  }
  return asked;
}

std::optional<Lock> find_lock(Unit& unit, const std::string& name) {
  const auto row = unit.tx.first(
      "SELECT holder, previous, fence, acquired_at, expires_at FROM locks WHERE name = ?", {name});
  if (!row) {
    return std::nullopt;
  }
  return Lock{row->maybe_integer(0), row->maybe_integer(1), row->integer(2), row->integer(3),
              row->integer(4)};
}

Reply not_held(int status, const std::string& name, std::string_view why) {
  return refuse_with(status, ObjectText().text("name", name).flag("held", false).done(), why);
}

Reply leased(const std::string& name, std::int64_t fence, std::int64_t expires_at,
             std::int64_t ttl) {
  return ok(ObjectText()
                .text("name", name)
                .flag("held", true)
                .integer("fence", fence)
                .time("expires_at", expires_at)
                .integer("expires_in", ttl)
                .done());
}

Reply freed(const std::string& name) {
  return ok(ObjectText().text("name", name).flag("held", false).done());
}

void append_lock_event(Unit& unit, const Session& session, const char* type, std::string body,
                       std::string meta) {
  EventDraft draft;
  draft.type = type;
  draft.body = std::move(body);
  draft.meta = std::move(meta);
  draft.actor = session.actor();
  draft.developer_id = session.developer_id;
  unit.append(draft);
}

// Why the session's lease on this name does not run, first match of 5.4; nothing when it runs.
std::optional<Reply> not_yours(const std::optional<Lock>& lock, const Session& session,
                               const std::string& name, std::int64_t now) {
  if (!lock) {
    return not_held(404, name, "Nobody has taken " + name + " yet.");
  }
  if (lock->runs(now) && lock->holder == session.id) {
    return std::nullopt;
  }
  if (lock->previous == session.id) {
    return not_held(409, name, name + " was yours and is no longer.");
  }
  if (lock->runs(now)) {
    return not_held(403, name, "Another session holds " + name + ".");
  }
  return not_held(409, name, "No lease runs on " + name + ".");
}

std::int64_t draw_fence(Unit& unit) {
  const auto row = unit.tx.first(
      "UPDATE counters SET value = value + 1 WHERE name = 'fence' RETURNING value", {});
  return row ? row->integer(0) : 0;
}

}  // namespace

Reply acquire_lock(Unit& unit, const Session& session, const Input& input) {
  Fields fields(input);
  const Asked asked = read_asked(fields, Ttl::required);
  if (!fields.ok()) {
    return invalid_input(fields.errors());
  }
  const auto lock = find_lock(unit, asked.name);
  if (lock && lock->runs(unit.now)) {
    return not_held(409, asked.name,
                    lock->holder == session.id ? "You hold " + asked.name + " already; renew it."
                                               : "Another session holds " + asked.name + ".");
  }
  const auto leases = unit.tx.first(
      "SELECT COUNT(*) FROM locks WHERE holder = ? AND expires_at > ?", {session.id, unit.now});
  if (leases && leases->integer(0) >= service_api::kMaxLiveLeases) {
    return not_held(409, asked.name, "You hold 20 locks already.");
  }
  const std::int64_t fence = draw_fence(unit);
  const std::int64_t expires = unit.now + asked.ttl * kSecond;
  unit.tx.execute(
      "INSERT INTO locks(name, developer_id, holder, holder_login, previous, fence, acquired_at, "
      "expires_at, freed_at)"
      " VALUES(?, ?, ?, ?, NULL, ?, ?, ?, NULL) ON CONFLICT(name) DO UPDATE SET developer_id = "
      "excluded.developer_id,"
      " previous = COALESCE(locks.holder, locks.previous), holder = excluded.holder, holder_login "
      "= excluded.holder_login,"
      " fence = excluded.fence, acquired_at = excluded.acquired_at, expires_at = "
      "excluded.expires_at, freed_at = NULL",
      {asked.name, session.developer_id, session.id, session.login, fence, unit.now, expires});
  ObjectText meta;
  meta.text("lock", asked.name).integer("fence", fence);
  if (lock && lock->holder) {
    meta.integer("taken_from", lock->holder);
    append_lock_event(unit, session, service_api::event::kLockTakenOver,
                      "Took over " + asked.name + ".", meta.done());
  } else {
    append_lock_event(unit, session, service_api::event::kLockAcquired,
                      "Acquired " + asked.name + ".", meta.done());
  }
  return leased(asked.name, fence, expires, asked.ttl);
}

Reply renew_lock(Unit& unit, const Session& session, const Input& input) {
  Fields fields(input);
  const Asked asked = read_asked(fields, Ttl::required);
  if (!fields.ok()) {
    return invalid_input(fields.errors());
  }
  const auto lock = find_lock(unit, asked.name);
  if (auto refused = not_yours(lock, session, asked.name, unit.now)) {
    return *refused;
  }
  const std::int64_t expires = unit.now + asked.ttl * kSecond;
  if (expires > lock->acquired_at + service_api::kMaxLockHold * kSecond) {
    return not_held(
        409, asked.name,
        "One hold lasts at most 4 hours; release " + asked.name + " and take it again.");
  }
  const std::int64_t changed = unit.tx.execute(
      "UPDATE locks SET expires_at = ? WHERE name = ? AND holder = ? AND expires_at > ?",
      {expires, asked.name, session.id, unit.now});
  if (changed == 0) {
    return not_held(409, asked.name, "The lease on " + asked.name + " changed meanwhile.");
  }
  append_lock_event(unit, session, service_api::event::kLockRenewed, "Renewed " + asked.name + ".",
                    ObjectText().text("lock", asked.name).integer("fence", lock->fence).done());
  return leased(asked.name, lock->fence, expires, asked.ttl);
}

Reply release_lock(Unit& unit, const Session& session, const Input& input) {
  Fields fields(input);
  const Asked asked = read_asked(fields, Ttl::refused);
  if (!fields.ok()) {
    return invalid_input(fields.errors());
  }
  if (auto refused = not_yours(find_lock(unit, asked.name), session, asked.name, unit.now)) {
    return *refused;
  }
  const std::int64_t changed = unit.tx.execute(
      "UPDATE locks SET previous = holder, holder = NULL, holder_login = NULL, freed_at = ? WHERE "
      "name = ? AND holder = ?"
      " AND expires_at > ?",
      {unit.now, asked.name, session.id, unit.now});
  if (changed == 0) {
    return not_held(409, asked.name, "The lease on " + asked.name + " changed meanwhile.");
  }
  append_lock_event(unit, session, service_api::event::kLockReleased,
                    "Released " + asked.name + ".", ObjectText().text("lock", asked.name).done());
  return freed(asked.name);
}

Reply force_release_lock(Unit& unit, const Session& session, const Input& input) {
  Fields fields(input);
  const Asked asked = read_asked(fields, Ttl::refused);
  if (!fields.ok()) {
    return invalid_input(fields.errors());
  }
  const auto lock = find_lock(unit, asked.name);
  if (!lock) {
    return not_held(404, asked.name, "Nobody has taken " + asked.name + " yet.");
  }
  const std::int64_t changed = unit.tx.execute(
      "UPDATE locks SET previous = holder, holder = NULL, holder_login = NULL, freed_at = ? WHERE "
      "name = ? AND holder IS NOT NULL",
      {unit.now, asked.name});
  if (changed == 0) {
    return not_held(409, asked.name, asked.name + " is free.");
  }
  append_lock_event(
      unit, session, service_api::event::kLockForceReleased, "Force released " + asked.name + ".",
      ObjectText().text("lock", asked.name).integer("taken_from", lock->holder).done());
  return freed(asked.name);
}

}  // namespace robot_council::fleet
