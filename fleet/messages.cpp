#include "fleet/messages.hpp"

#include <algorithm>
#include <vector>

#include "fleet/json_text.hpp"
#include "service-api/limits.hpp"
#include "service-api/names.hpp"
#include "service-api/values.hpp"

namespace robot_council::fleet {

namespace {

std::string posted(std::int64_t event_id, const char* type) {
  return ObjectText().integer("event_id", event_id).text("type", type).done();
}

// The live sessions with these ids; nothing and a refused field if one is unknown or gone.
std::vector<Addressee> live_sessions(Unit& unit, const std::vector<std::int64_t>& ids,
                                     const char* name, Fields& fields) {
  std::vector<Addressee> found;
  for (const std::int64_t id : ids) {
    const auto session = find_session(unit, id);
    if (!session || !session->live()) {
      fields.refuse(name, "Session " + std::to_string(id) + " is unknown or has ended.");
      return {};
    }
    found.push_back({id, session->developer_id});
  }
  return found;
}

struct TaskHolder {
  std::int64_t task_id = 0;
  Addressee holder;
};

std::vector<TaskHolder> holders_of(Unit& unit, const std::vector<std::int64_t>& tasks,
                                   const Session& poster, Fields& fields) {
  std::vector<TaskHolder> holders;
  for (const std::int64_t task_id : tasks) {
    const auto row = unit.tx.first(
        "SELECT s.id, s.developer_id, t.developer_id, t.created_direct FROM tasks t JOIN sessions "
        "s ON s.id = t.claimed_session"
        " WHERE t.id = ? AND t.status IN ('claimed', 'in_progress', 'blocked') AND s.status <> "
        "'gone'",
        {task_id});
    const bool readable =
        row && (poster.directs() || row->flag(3) || row->integer(2) == poster.developer_id);
    if (!readable) {
      fields.refuse("to_tasks", "Task #" + std::to_string(task_id) +
                                    " is unknown or not held by a live session.");
      return {};
    }
    holders.push_back({task_id, {row->integer(0), row->integer(1)}});
  }
  return holders;
}

std::string narration_meta(const std::string& client, const std::vector<Addressee>& to,
                           const std::vector<TaskHolder>& holders) {
  ObjectText meta;
  if (!client.empty()) {
    meta.raw("client", client);
  }
  if (!to.empty()) {
    std::vector<std::int64_t> ids;
    std::transform(to.begin(), to.end(), std::back_inserter(ids),
                   [](const Addressee& a) { return a.session_id; });
    meta.ids("to", service_api::sorted_ids(std::move(ids)));
  }
  if (!holders.empty()) {
    std::vector<std::string> pairs;
    pairs.reserve(holders.size());
    for (const TaskHolder& pair : holders) {
      pairs.push_back(ObjectText()
                          .integer("task_id", pair.task_id)
                          .integer("session_id", pair.holder.session_id)
                          .done());
    }
    meta.raw("to_tasks", array_text(pairs));
  }
  return meta.empty() ? std::string() : meta.done();
}

// A directive of a session or of the operator: they differ in the actor only.
Reply direct(Unit& unit, const Input& input, const Actor& actor, std::int64_t developer_id) {
  Fields fields(input);
  const auto body = fields.text("body", {Need::required, service_api::kMaxText});
  const std::string client = fields.object("meta");
  const auto targets = fields.ids("targets");
  live_sessions(unit, targets, "targets", fields);
  if (!fields.ok()) {
    return invalid_input(fields.errors());
  }
  ObjectText meta;
  if (!client.empty()) {
    meta.raw("client", client);
  }
  if (!targets.empty()) {
    meta.ids("targets", targets);
  }
  EventDraft directive;
  directive.type = service_api::event::kDirective;
  directive.body = body;
  directive.meta = meta.empty() ? std::string() : meta.done();
  directive.actor = actor;
  directive.developer_id = developer_id;
  return created(posted(unit.append(directive), directive.type));
}

}  // namespace

Reply post_narration(Unit& unit, const Session& session, const Input& input) {
  Fields fields(input);
  const auto body = fields.text("body", {Need::required, service_api::kMaxText});
  const std::string client = fields.object("meta");
  const auto to = fields.ids("to");
  const auto to_tasks = fields.ids("to_tasks");
  std::vector<Addressee> addressees = live_sessions(unit, to, "to", fields);
  const std::vector<TaskHolder> holders = holders_of(unit, to_tasks, session, fields);
  if (!fields.ok()) {
    return invalid_input(fields.errors());
  }
  for (const TaskHolder& pair : holders) {
    addressees.push_back(pair.holder);
  }
  EventDraft narration;
  narration.type = service_api::event::kNarration;
  narration.body = body;
  narration.meta = narration_meta(client, addressees, holders);
  narration.actor = session.actor();
  narration.developer_id = session.developer_id;
  narration.addressees = std::move(addressees);
  return created(posted(unit.append(narration), narration.type));
}

Reply post_directive(Unit& unit, const Session& session, const Input& input) {
  return direct(unit, input, session.actor(), session.developer_id);
}

Reply post_operator_directive(Unit& unit, const Input& input, const std::string& login,
                              std::int64_t developer_id) {
  return direct(unit, input, Actor{std::nullopt, login, true}, developer_id);
}

}  // namespace robot_council::fleet
