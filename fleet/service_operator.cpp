// Routes of the operator (service contract, 8.6).

#include <optional>
#include <utility>

#include "fleet/enrolment.hpp"
#include "fleet/messages.hpp"
#include "fleet/operator.hpp"
#include "fleet/roles.hpp"
#include "fleet/service.hpp"
#include "service-api/names.hpp"
#include "service-api/paths.hpp"
#include "service-api/values.hpp"

namespace robot_council::fleet {

namespace path = service_api::path;

namespace {

Reply nothing_here() {
  return refuse(404, "There is nothing here.");
}

using Act = std::function<Reply(const net::ServerRequest&, const Input&)>;

// Gate and body before an act.
net::Handler guarded(Gate& gate, Act act) {
  return [&gate, act = std::move(act)](const net::ServerRequest& request) -> net::HandlerResult {
    if (auto refused = gate.operator_(request)) {
      return to_response(*refused);
    }
    const auto input = body_of(request);
    if (const auto* refused = std::get_if<Reply>(&input)) {
      return to_response(*refused);
    }
    return to_response(act(request, std::get<Input>(input)));
  };
}

}  // namespace

void Service::install_operator(net::HttpServer& server) {
  Core& core = *core_;
  server.route(
      "GET", std::string(path::kOperatorOverview),
      guarded(gate_, [&core](const net::ServerRequest&, const Input&) { return overview(core); }));
  server.route("POST", std::string(path::kOperatorDirectives),
               guarded(gate_, [&core](const net::ServerRequest&, const Input& input) {
                 return core.write([&](Unit& unit) {
                   return post_operator_directive(unit, input, core.settings().login,
                                                  core.developer_id());
                 });
               }));
  server.route("POST", std::string(path::kOperatorEnrolment),
               guarded(gate_, [this, &core](const net::ServerRequest& request, const Input&) {
                 const std::string& decision = request.captures.at(1);
                 if (decision != "approve" && decision != "deny") {
                   return nothing_here();
                 }
                 if (auto refused = gate_.over(request, "decisions", core.settings().login)) {
                   return *refused;
                 }
                 return decide_enrolment(
                     core, request.captures.at(0),
                     decision == "approve" ? Decision::approved : Decision::denied);
               }));
  server.route("POST", std::string(path::kOperatorSession),
               guarded(gate_, [&core](const net::ServerRequest& request, const Input& input) {
                 const auto id = service_api::parse_path_id(request.captures.at(0));
                 const std::string& act = request.captures.at(1);
                 if (!id || (act != "role" && act != "revoke")) {
                   return nothing_here();
                 }
                 if (act == "revoke") {
                   return revoke_session_of_operator(core, *id);
                 }
                 return core.write([&](Unit& unit) {
                   return decide_role(unit, *id, input, core.settings().login);
                 });
               }));
  server.route(
      "POST", std::string(path::kOperatorRoleDeny),
      guarded(gate_, [&core](const net::ServerRequest& request, const Input&) {
        const auto id = service_api::parse_path_id(request.captures.at(0));
        if (!id) {
          return nothing_here();
        }
        return core.write([&](Unit& unit) { return deny_role(unit, *id, core.settings().login); });
      }));
  server.route("POST", std::string(path::kOperatorInstallation),
               guarded(gate_, [&core](const net::ServerRequest& request, const Input&) {
                 const auto id = service_api::parse_path_id(request.captures.at(0));
                 if (!id || request.captures.at(1) != "revoke") {
                   return nothing_here();
                 }
                 return revoke_installation_of_operator(core, *id);
               }));
  server.route("POST", std::string(path::kOperatorSignIn),
               [this](const net::ServerRequest& request) -> net::HandlerResult {
                 const auto input = body_of(request);
                 if (const auto* refused = std::get_if<Reply>(&input)) {
                   return to_response(*refused);
                 }
                 if (gate_.is_operator_token(
                         base::get_string(std::get<Input>(input).json(), "token").value_or(""))) {
                   Reply signed_in;
                   signed_in.status = 204;
                   return to_response(signed_in);
                 }
                 if (auto refused = gate_.over(request, "failed-sign-ins", request.peer)) {
                   return to_response(*refused);
                 }
                 return to_response(unauthorized("This is not the operator's token."));
               });
}

}  // namespace robot_council::fleet
