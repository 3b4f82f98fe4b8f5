// Routes of agent sessions: gate, body, operation, contact.

#include <string>
#include <utility>

#include "fleet/mcp.hpp"
#include "fleet/messages.hpp"
#include "fleet/operation.hpp"
#include "fleet/roles.hpp"
#include "fleet/service.hpp"
#include "fleet/sessions.hpp"
#include "fleet/task_operations.hpp"
#include "service-api/names.hpp"
#include "service-api/paths.hpp"
#include "service-api/values.hpp"

namespace robot_council::fleet {

namespace path = service_api::path;
namespace ability = service_api::ability;

// When the contact is noted: a heartbeat says so in its answer; an act may still be refused with
// 403, which is no contact.
enum class Contact : std::uint8_t { before, after };
enum class Source : std::uint8_t { body, query };
enum class PathId : std::uint8_t { none, first };

struct Service::AgentCall {
  std::string_view rate = "agent";
  Contact contact = Contact::after;
  Source source = Source::body;
  PathId id = PathId::none;
  std::function<Reply(Core&, const Session&, const net::ServerRequest&, std::int64_t, const Input&)>
      run;
};

namespace {

std::variant<Input, Reply> arguments_of(const net::ServerRequest& request, Source source) {
  if (source == Source::query) {
    return Input::from_query(request.query);
  }
  return body_of(request);
}

Reply run(Core& core, const Session& session, const Operation& operation, std::int64_t id,
          const Input& input) {
  return run_operation(core, session, operation, id, input);
}

}  // namespace

void Service::agent_route(net::HttpServer& server, const std::string& method,
                          std::string_view pattern, AgentCall call) {
  server.route(
      method, std::string(pattern),
      [this, call = std::move(call)](const net::ServerRequest& request) -> net::HandlerResult {
        const auto caller = gate_.session(request, call.rate);
        if (const auto* refused = std::get_if<Reply>(&caller)) {
          return to_response(*refused);
        }
        const auto& session = std::get<Session>(caller);
        if (call.contact == Contact::before) {
          note_contact(*core_, session);
        }
        Reply reply;
        const auto id = call.id == PathId::first
                            ? service_api::parse_path_id(request.captures.front())
                            : std::optional<std::int64_t>(0);
        const auto input = arguments_of(request, call.source);
        if (!id) {
          reply = refuse(404, "There is nothing with this id.");
        } else if (const auto* refused = std::get_if<Reply>(&input)) {
          reply = *refused;
        } else {
          reply = call.run(*core_, session, request, *id, std::get<Input>(input));
        }
        if (call.contact == Contact::after && reply.status != 401 && reply.status != 403) {
          note_contact(*core_, session);
        }
        return to_response(reply);
      });
}

void Service::install_agent(net::HttpServer& server) {
  const auto simple = [](Operation operation) {
    return [operation = std::move(operation)](
               Core& core, const Session& session, const net::ServerRequest&, std::int64_t id,
               const Input& input) { return run(core, session, operation, id, input); };
  };
  using Access = Operation::Access;
  agent_route(server, "GET", path::kAgentSession,
              {"agent", Contact::before, Source::query, PathId::none,
               simple({"", Access::reads,
                       [](Unit& unit, const Session& session, std::int64_t, const Input&) {
                         return show_session(unit, session);
                       }})});
  agent_route(server, "PATCH", path::kAgentSession,
              {"agent", Contact::before, Source::body, PathId::none,
               simple({"", Access::writes,
                       [](Unit& unit, const Session& session, std::int64_t, const Input& input) {
                         return move_session(unit, session, input);
                       }})});
  agent_route(server, "POST", path::kAgentHeartbeat,
              {"agent", Contact::before, Source::body, PathId::none,
               [](Core&, const Session& session, const net::ServerRequest&, std::int64_t,
                  const Input&) { return heartbeat(session); }});
  agent_route(server, "POST", path::kAgentWatcher,
              {"agent", Contact::before, Source::body, PathId::none,
               [](Core& core, const Session& session, const net::ServerRequest&, std::int64_t,
                  const Input&) {
                 core.presence.watcher(session.id, core.now());
                 return watching(session);
               }});
  agent_route(server, "POST", path::kAgentRole,
              {"role", Contact::before, Source::body, PathId::none,
               simple({"", Access::writes,
                       [](Unit& unit, const Session& session, std::int64_t, const Input& input) {
                         return request_role(unit, session, input);
                       }})});
  agent_route(server, "POST", path::kEvents,
              {"agent", Contact::after, Source::body, PathId::none,
               simple({ability::kEventsPost, Access::writes,
                       [](Unit& unit, const Session& session, std::int64_t, const Input& input) {
                         return post_narration(unit, session, input);
                       }})});
  agent_route(server, "POST", path::kDirectives,
              {"agent", Contact::after, Source::body, PathId::none,
               simple({ability::kCoordinatorDirect, Access::writes,
                       [](Unit& unit, const Session& session, std::int64_t, const Input& input) {
                         return post_directive(unit, session, input);
                       }})});
  agent_route(
      server, "GET", path::kTasks,
      {"agent", Contact::after, Source::query, PathId::none, simple(task_list_operation())});
  agent_route(
      server, "POST", path::kTasks,
      {"agent", Contact::after, Source::body, PathId::none, simple(task_create_operation())});
  agent_route(server, "POST", path::kTaskAction,
              {"agent", Contact::after, Source::body, PathId::first,
               [](Core& core, const Session& session, const net::ServerRequest& request,
                  std::int64_t id, const Input& input) {
                 const Operation* operation = find_task_action(request.captures.at(1));
                 return operation == nullptr ? refuse(404, "There is no such transition.")
                                             : run(core, session, *operation, id, input);
               }});
  agent_route(server, "POST", path::kLockAction,
              {"agent", Contact::after, Source::body, PathId::none,
               [](Core& core, const Session& session, const net::ServerRequest& request,
                  std::int64_t, const Input& input) {
                 const Operation* operation = find_lock_action(request.captures.at(0));
                 return operation == nullptr ? refuse(404, "There is no such action.")
                                             : run(core, session, *operation, 0, input);
               }});
  install_mcp(server);
}

void Service::install_mcp(net::HttpServer& server) {
  server.route("POST", std::string(path::kMcp),
               [this](const net::ServerRequest& request) -> net::HandlerResult {
                 const auto caller = gate_.session(request, "agent");
                 if (const auto* refused = std::get_if<Reply>(&caller)) {
                   return to_response(*refused);
                 }
                 return to_response(answer_mcp(*core_, std::get<Session>(caller), request.body));
               });
  for (const char* method : {"GET", "DELETE"}) {
    server.route(method, std::string(path::kMcp),
                 [this](const net::ServerRequest& request) -> net::HandlerResult {
                   const auto caller = gate_.session(request, "agent");
                   if (const auto* refused = std::get_if<Reply>(&caller)) {
                     return to_response(*refused);
                   }
                   Reply reply = refuse(405, "This endpoint takes POST only.");
                   reply.headers.emplace_back("Allow", "POST");
                   return to_response(reply);
                 });
  }
}

}  // namespace robot_council::fleet
