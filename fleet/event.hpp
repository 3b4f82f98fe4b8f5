#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/store.hpp"

namespace robot_council::fleet {

struct Addressee {
  std::int64_t session_id = 0;
  std::int64_t developer_id = 0;
};

// Who reads a page: a session, or the operator, who sees all.
struct Reader {
  std::int64_t session_id = 0;
  std::int64_t developer_id = 0;
  bool sees_all = false;
};

// Who an event is about.
struct Actor {
  std::optional<std::int64_t> session_id;
  std::optional<std::string> login;
  bool direct = false;  // held coordinator:direct when it acted
};

// An event before it has an id (service contract, 4.2).
struct EventDraft {
  const char* type = "";
  std::optional<std::string> body;
  std::string meta;  // JSON object as text; "" = null
  Actor actor;
  std::optional<std::int64_t> developer_id;  // whose event it is, fixed now (4.3, rule 3)
  std::optional<std::string> performed_by;   // the person who acted
  std::vector<Addressee> addressees;         // rule 4
};

// Who sees it (4.3).
struct Visibility {
  bool open = true;  // rules 1 and 2: every reader
  std::int64_t developer_id = 0;
  std::vector<Addressee> addressees;
  [[nodiscard]] bool seen_by(const Reader& reader) const;
};

// An event as readers get it.
struct StoredEvent {
  std::int64_t id = 0;
  Visibility visibility;
  std::string json;
};

// Rules 1 and 2 of 4.3.
[[nodiscard]] bool is_open(std::string_view type, bool direct);

// Inserts the event and its addressees. Its id is one above the last committed one (one writer at a
// time).
[[nodiscard]] StoredEvent store_event(Transaction& transaction, const EventDraft& draft,
                                      std::int64_t now);

// Columns for event_of(), of table events with alias e.
inline constexpr std::string_view kEventColumns =
    "e.id, e.type, e.body, e.meta, e.created_at, e.actor_session_id, e.actor_login, e.direct, "
    "e.has_performer, e.performed_by";
// The event's JSON from a row that begins with kEventColumns.
[[nodiscard]] std::string event_json(const Row& row);

}  // namespace robot_council::fleet
