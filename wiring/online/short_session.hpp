#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "account/service_client.hpp"
#include "base/result.hpp"
#include "wiring/online/limits.hpp"

namespace robot_council::wiring::online {

enum class Ephemeral : std::uint8_t {
  yes,  // leaves no event in the feed and is not listed
  no,
};

struct SessionPlace {
  std::string project_id;  // "" = not sent, as for each
  std::string repository;
  std::string work_location;
  Ephemeral ephemeral = Ephemeral::yes;
};

// A fleet session for one call of a command. The caller ends it.
struct ShortSession {
  std::int64_t id = 0;
  std::string token;
};

// POST sessions; a 422 that names the platform is repeated once without. `what` is the whole text
// for a person: timeout, io: no answer; refused: HTTP status; invalid: an unusable answer. `status`
// gets the HTTP status, 0 without an answer. `limit`: both calls together.
[[nodiscard]] base::Result<ShortSession> start_session(
    account::ServiceClient& client, const std::string& credential, const SessionPlace& place,
    int& status, base::Milliseconds limit = account::kCallTime);
// DELETE. True if the service answered 200.
bool end_session(account::ServiceClient& client, const std::string& credential,
                 const ShortSession& session, base::Milliseconds limit = kSessionEndTime);

}  // namespace robot_council::wiring::online
