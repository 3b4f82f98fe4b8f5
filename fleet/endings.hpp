#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/callers.hpp"
#include "fleet/unit.hpp"

namespace robot_council::fleet {

// How a session ends (service contract, 3.3 and 8.5).
struct SessionEnd {
  std::string_view reason;                  // ended, revoked, timeout
  std::optional<std::string> performed_by;  // the person who revoked it
};

// Marks the session gone, deletes its token, appends session.gone (not for an ephemeral one) and
// names it in unit.ended_sessions. Nothing is released. False if it was gone already.
bool mark_gone(Unit& unit, const Session& session, const SessionEnd& end);

// Gives back what a gone session holds: tasks to pending, locks free, each with its event in the
// sweep's form (no actor, `released_from`). Safe to repeat.
void release_holdings(Unit& unit, const Session& session);

// Revokes one installation: its token, its sessions, their holdings. installation.revoked comes
// first. The ids of the sessions that ended; nothing at all if it was revoked already.
std::vector<std::int64_t> revoke_installation(Unit& unit, const Installation& installation,
                                              const std::string& performed_by);

// "claude on laptop".
[[nodiscard]] std::string seat_name(std::string_view harness, std::string_view machine_label);

}  // namespace robot_council::fleet
