#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fleet/callers.hpp"
#include "fleet/input.hpp"
#include "fleet/reply.hpp"
#include "fleet/unit.hpp"

namespace robot_council::fleet {

// Sessions of an installation and what a session says of itself (service contract, 3.1, 3.2).

// POST sessions. Writes session.joined (not for an ephemeral one); feed_cursor is its id.
Reply start_session(Unit& unit, const Installation& installation, const Input& input);
// POST sessions/{id}/renew: a new token, the old one is refused from now on.
Reply renew_session(Unit& unit, const Installation& installation, std::int64_t session_id);
// DELETE sessions/{id}: gone, tasks and locks released, in this transaction. Again: the same
// answer.
Reply end_session(Unit& unit, const Installation& installation, std::int64_t session_id);

// GET agent/session.
Reply show_session(Unit& unit, const Session& session);
// PATCH agent/session, tool session_move: writes session.moved only on change.
Reply move_session(Unit& unit, const Session& session, const Input& input);
// POST agent/heartbeat, tool presence_heartbeat.
[[nodiscard]] Reply heartbeat(const Session& session);
// POST agent/watcher.
[[nodiscard]] Reply watching(const Session& session);
// A stale session that was heard of is active again: session.resumed.
void resume_session(Unit& unit, const Session& session);

// tool sessions_list: active and stale sessions, newest first.
Reply list_sessions(Unit& unit, const Session& caller, const Input& input);

// Row of sessions_list, for the operator with 8.6. NOLINTNEXTLINE(readability-identifier-naming)
enum class RowFor : std::uint8_t { session, operator_ };
struct SessionQuery {
  std::optional<std::string> repository;  // without case
  std::optional<std::string> role;
  std::optional<std::string> os_family;
  std::optional<std::int64_t> after;  // ids below it
  std::int64_t limit = 0;
};
struct SessionRows {
  std::vector<std::string> rows;  // JSON texts
  std::vector<std::int64_t> ids;
};
// `reader` decides whose task words are shown; the operator reads all.
[[nodiscard]] SessionRows session_rows(Unit& unit, const SessionQuery& query, RowFor for_whom,
                                       const Session* reader);

}  // namespace robot_council::fleet
