#include "fleet/upkeep.hpp"

#include <string>

#include "fleet/callers.hpp"
#include "fleet/endings.hpp"
#include "fleet/json_text.hpp"
#include "fleet/limits.hpp"
#include "service-api/limits.hpp"
#include "service-api/names.hpp"

namespace robot_council::fleet {

namespace {

constexpr std::string_view kLongSilentSql =
    "SELECT id FROM sessions WHERE status IN ('active', 'stale') AND contact_at <= ? ORDER BY "
    "contact_at, id LIMIT ?";
constexpr std::string_view kSilentSql =
    "SELECT id FROM sessions WHERE status = 'active' AND contact_at <= ? ORDER BY contact_at, id "
    "LIMIT ?";

// A contact that came after the flush, and is not in the store yet.
bool heard_after(const Unit& unit, std::int64_t session_id, std::int64_t time) {
  const auto contact = unit.presence.of(session_id).contact;
  return contact && *contact > time;
}

}  // namespace

void Upkeep::flush_contacts() {
  if (!core_.presence.dirty()) {
    return;
  }
  const Reply flushed = core_.write([this](Unit& unit) {
    core_.presence.flush(unit.tx);
    return ok({});
  });
  if (!flushed.refused()) {
    core_.presence.forget_flushed();
  }
}

void Upkeep::sweep() {
  const std::int64_t now = core_.now();
  if (now - last_sweep_ > kSweepEvery + kSweepLate || now < last_sweep_) {
    forgive_silence();
  }
  last_sweep_ = now;
  flush_contacts();
  mark_silent_gone();
  mark_silent_stale();
  release_leftovers();
}

void Upkeep::forgive_silence() {
  core_.context().log.warning(
      "the sweep of silent sessions is late: their silence counts from now");
  (void)core_.write([](Unit& unit) {
    unit.tx.execute("UPDATE sessions SET contact_at = ? WHERE status <> 'gone' AND contact_at < ?",
                    {unit.now, unit.now});
    return ok({});
  });
}

void Upkeep::mark_silent_gone() {
  (void)core_.write([](Unit& unit) {
    const std::int64_t gone_before = unit.now - service_api::kGoneAfter * kSecond;
    for (const Row& row : unit.tx.query(kLongSilentSql, {gone_before, kSweepBatch})) {
      const auto session = find_session(unit, row.integer(0));
      if (session && !heard_after(unit, session->id, gone_before)) {
        mark_gone(unit, *session, {"timeout", std::nullopt});
      }
    }
    return ok({});
  });
}

void Upkeep::mark_silent_stale() {
  (void)core_.write([](Unit& unit) {
    const std::int64_t gone_before = unit.now - service_api::kGoneAfter * kSecond;
    const std::int64_t stale_before = unit.now - service_api::kStaleAfter * kSecond;
    for (const Row& row : unit.tx.query(kSilentSql, {stale_before, kSweepBatch})) {
      const auto session = find_session(unit, row.integer(0));
      // One silent long enough to be gone waits for the next sweep rather than passing through
      // both.
      if (!session || session->contact_at <= gone_before ||
          heard_after(unit, session->id, stale_before)) {
        continue;
      }
      unit.tx.execute("UPDATE sessions SET status = 'stale' WHERE id = ? AND status = 'active'",
                      {session->id});
      if (session->ephemeral) {
        continue;
      }
      EventDraft stale;
      stale.type = service_api::event::kSessionStale;
      stale.body = seat_name(session->harness, session->machine_label) + " stopped answering.";
      stale.meta = ObjectText()
                       .integer("installation_id", session->installation_id)
                       .time("quiet_since", session->contact_at)
                       .done();
      stale.actor = session->actor();
      stale.developer_id = session->developer_id;
      unit.append(stale);
    }
    return ok({});
  });
}

void Upkeep::release_leftovers() {
  std::vector<std::int64_t> holders;
  (void)core_.read([&holders](Unit& unit) {
    for (const Row& row :
         unit.tx.query("SELECT s.id FROM sessions s WHERE s.status = 'gone' AND (EXISTS(SELECT 1 "
                       "FROM tasks t WHERE t.claimed_session = s.id"
                       " AND t.status IN ('claimed', 'in_progress', 'blocked')) OR EXISTS(SELECT 1 "
                       "FROM locks l WHERE l.holder = s.id))"
                       " ORDER BY s.id",
                       {})) {
      holders.push_back(row.integer(0));
    }
    return ok({});
  });
  for (const std::int64_t id : holders) {
    const Reply released = core_.write([id](Unit& unit) {
      const auto session = find_session(unit, id);
      if (session) {
        release_holdings(unit, *session);
      }
      return ok({});
    });
    if (released.refused()) {
      core_.context().log.error("cannot release what session " + std::to_string(id) +
                                " held; the next sweep tries again");
    }
  }
}

void Upkeep::drop_expired_codes() {
  (void)core_.write([](Unit& unit) {
    unit.tx.execute("DELETE FROM enrolments WHERE expires_at <= ?", {unit.now});
    return ok({});
  });
}

std::int64_t Upkeep::prune(std::string_view sql, std::int64_t before) {
  std::int64_t all = 0;
  std::int64_t changed = 0;
  do {
    changed = 0;
    (void)core_.write([&](Unit& unit) {
      changed = unit.tx.execute(sql, {before, kPruneBatch});
      return ok({});
    });
    all += changed;
  } while (changed == kPruneBatch);
  return all;
}

void Upkeep::prune_events(std::int64_t before) {
  prune(
      "DELETE FROM event_addressees WHERE event_id IN (SELECT a.event_id FROM event_addressees a "
      "JOIN events e ON e.id = a.event_id"
      " WHERE e.created_at < ? ORDER BY a.event_id LIMIT ?)",
      before);
  prune(
      "DELETE FROM events WHERE id IN (SELECT id FROM events WHERE created_at < ? ORDER BY id "
      "LIMIT ?)",
      before);
  (void)core_.read([this](Unit& unit) {
    const auto oldest = unit.tx.first("SELECT MIN(id) FROM events", {});
    core_.window.set_oldest(oldest ? oldest->maybe_integer(0).value_or(INT64_MAX) : INT64_MAX);
    return ok({});
  });
}

void Upkeep::retain() {
  const Settings& settings = core_.settings();
  const std::int64_t now = core_.now();
  if (settings.keep_events > 0) {
    prune_events(now - settings.keep_events * kDay);
  }
  if (settings.keep_tasks > 0) {
    prune(
        "DELETE FROM tasks WHERE id IN (SELECT id FROM tasks WHERE finished_at < ? ORDER BY id "
        "LIMIT ?)",
        now - settings.keep_tasks * kDay);
  }
  if (settings.keep_locks > 0) {
    prune(
        "DELETE FROM locks WHERE name IN (SELECT name FROM locks WHERE holder IS NULL AND freed_at "
        "< ? ORDER BY name LIMIT ?)",
        now - settings.keep_locks * kDay);
  }
  if (settings.keep_sessions > 0) {
    prune(
        "DELETE FROM sessions WHERE id IN (SELECT s.id FROM sessions s WHERE s.status = 'gone' AND "
        "s.ended_at < ?"
        " AND NOT EXISTS(SELECT 1 FROM locks l WHERE l.holder = s.id) AND NOT EXISTS(SELECT 1 FROM "
        "tasks t"
        " WHERE t.claimed_session = s.id AND t.status IN ('claimed', 'in_progress', 'blocked')) "
        "ORDER BY s.id LIMIT ?)",
        now - settings.keep_sessions * kDay);
  }
}

}  // namespace robot_council::fleet
