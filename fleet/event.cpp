#include "fleet/event.hpp"

#include <algorithm>
#include <array>

#include "fleet/json_text.hpp"
#include "service-api/names.hpp"

namespace robot_council::fleet {

namespace {

struct EventFacts {
  std::int64_t id = 0;
  std::string_view type;
  std::optional<std::string> body;
  std::string_view meta;
  std::int64_t created_at = 0;
  std::optional<std::int64_t> actor_session;
  std::optional<std::string> actor_login;
  bool direct = false;
  bool has_performer = false;
  std::optional<std::string> performed_by;
};

std::string json_of(const EventFacts& facts) {
  ObjectText actor;
  actor.integer("session_id", facts.actor_session)
      .text("github_login", facts.actor_login)
      .flag("coordinator_direct", facts.direct);
  ObjectText event;
  event.integer("id", facts.id)
      .text("type", facts.type)
      .text("body", facts.body)
      .raw("meta", facts.meta)
      .time("created_at", facts.created_at)
      .raw("actor", actor.done());
  if (facts.has_performer) {
    event.raw("performed_by", ObjectText().text("github_login", facts.performed_by).done());
  } else {
    event.null("performed_by");
  }
  return event.done();
}

}  // namespace

bool is_open(std::string_view type, bool direct) {
  constexpr std::array<std::string_view, 4> kClosed{
      service_api::event::kNarration, service_api::event::kLaneQuiet,
      service_api::event::kLaneCondition, service_api::event::kPlacementInstruction};
  if (std::find(kClosed.begin(), kClosed.end(), type) == kClosed.end()) {
    return true;
  }
  return direct && type != service_api::event::kPlacementInstruction;
}

bool Visibility::seen_by(const Reader& reader) const {
  if (open || reader.sees_all || developer_id == reader.developer_id) {
    return true;
  }
  return std::any_of(addressees.begin(), addressees.end(), [&reader](const Addressee& addressee) {
    return addressee.session_id == reader.session_id &&
           addressee.developer_id == reader.developer_id;
  });
}

StoredEvent store_event(Transaction& transaction, const EventDraft& draft, std::int64_t now) {
  StoredEvent event;
  event.id = transaction.insert(
      "INSERT INTO events(developer_id, type, body, meta, created_at, actor_session_id, "
      "actor_login, direct, has_performer,"
      " performed_by) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
      {draft.developer_id, draft.type, draft.body, draft.meta.empty() ? Value() : Value(draft.meta),
       now, draft.actor.session_id, draft.actor.login, draft.actor.direct ? 1 : 0,
       draft.performed_by ? 1 : 0, draft.performed_by});
  for (const Addressee& addressee : draft.addressees) {
    transaction.execute(
        "INSERT INTO event_addressees(event_id, session_id, developer_id) VALUES(?, ?, ?) ON "
        "CONFLICT DO NOTHING",
        {event.id, addressee.session_id, addressee.developer_id});
  }
  event.visibility.open = is_open(draft.type, draft.actor.direct);
  event.visibility.developer_id = draft.developer_id.value_or(0);
  event.visibility.addressees = draft.addressees;
  event.json = json_of({event.id, draft.type, draft.body, draft.meta, now, draft.actor.session_id,
                        draft.actor.login, draft.actor.direct, draft.performed_by.has_value(),
                        draft.performed_by});
  return event;
}

std::string event_json(const Row& row) {
  enum Column : std::size_t {
    id,
    type,
    body,
    meta,
    created_at,
    session,
    login,
    direct,
    has_performer,
    performed_by
  };
  return json_of({row.integer(id), row.text(type), row.maybe_text(body), row.text(meta),
                  row.integer(created_at), row.maybe_integer(session), row.maybe_text(login),
                  row.flag(direct), row.flag(has_performer), row.maybe_text(performed_by)});
}

}  // namespace robot_council::fleet
