#include "fleet/service.hpp"

#include <utility>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "fleet/enrolment.hpp"
#include "fleet/json_text.hpp"
#include "fleet/page.hpp"
#include "fleet/sessions.hpp"
#include "service-api/paths.hpp"
#include "service-api/values.hpp"

namespace robot_council::fleet {

namespace path = service_api::path;

Service::Service(std::unique_ptr<Core> core, std::string operator_token)
    : core_(std::move(core)), gate_(*core_, std::move(operator_token)) {}

base::Result<std::unique_ptr<Service>> Service::open(std::unique_ptr<Store> store,
                                                     Settings settings, std::string operator_token,
                                                     const base::Context& context) {
  auto core = Core::open(std::move(store), std::move(settings), context);
  if (!core) {
    return core.error();
  }
  return std::unique_ptr<Service>(new Service(*std::move(core), std::move(operator_token)));
}

void Service::install(net::HttpServer& server) {
  core_->set_wake(
      [&server](const std::vector<net::RequestId>& requests) { server.wake(requests); });
  server.on_gone([this](net::RequestId request) { core_->waiters.remove(request); });
  server.not_found(
      [](const net::ServerRequest&) { return to_response(refuse(404, "There is nothing here.")); });
  install_rest(server);
  install_enrolment(server);
  install_sessions(server);
  install_agent(server);
  install_feed(server);
  install_operator(server);
  install_page(server);
}

std::string Service::base_url() const {
  const std::string& url = core_->settings().public_url;
  return base::without_trailing(url.empty() ? address_ : url, '/');
}

std::string Service::operator_page_address() const {
  return base_url() + std::string(path::kOperatorPage);
}

void Service::install_rest(net::HttpServer& server) {
  server.route("GET", std::string(path::kHealth),
               [this](const net::ServerRequest&) -> net::HandlerResult {
                 const std::string store =
                     ObjectText()
                         .text("kind", core_->store_kind())
                         .text("state", core_->store_available() ? "ok" : "unavailable")
                         .done();
                 return to_response(ok(ObjectText()
                                           .text("status", "ok")
                                           .text("version", base::version())
                                           .raw("store", store)
                                           .done()));
               });
}

void Service::install_enrolment(net::HttpServer& server) {
  server.route("POST", std::string(path::kDeviceCode),
               [this](const net::ServerRequest& request) -> net::HandlerResult {
                 if (auto refused = gate_.over(request, "device-code", request.peer)) {
                   return to_response(*refused);
                 }
                 const auto input = body_of(request);
                 if (const auto* refused = std::get_if<Reply>(&input)) {
                   return to_response(*refused);
                 }
                 return to_response(start_enrolment(
                     *core_, std::get<Input>(input),
                     Requester{request.peer, base_url() + std::string(path::kEnrolPage)}));
               });
  server.route("POST", std::string(path::kDeviceToken),
               [this](const net::ServerRequest& request) -> net::HandlerResult {
                 if (auto refused = gate_.over(request, "device-token-ip", request.peer)) {
                   return to_response(*refused);
                 }
                 const auto input = body_of(request);
                 if (const auto* refused = std::get_if<Reply>(&input)) {
                   return to_response(*refused);
                 }
                 const base::Json& json = std::get<Input>(input).json();
                 const std::string pair = base::get_string(json, "device_code").value_or("") + " " +
                                          base::get_string(json, "code_verifier").value_or("");
                 if (auto refused = gate_.over(request, "device-token", base::sha256_hex(pair))) {
                   return to_response(*refused);
                 }
                 return to_response(exchange_code(*core_, std::get<Input>(input)));
               });
}

void Service::install_sessions(net::HttpServer& server) {
  server.route("POST", std::string(path::kSessions),
               [this](const net::ServerRequest& request) -> net::HandlerResult {
                 const auto caller = gate_.installation(request);
                 if (const auto* refused = std::get_if<Reply>(&caller)) {
                   return to_response(*refused);
                 }
                 const auto input = body_of(request);
                 if (const auto* refused = std::get_if<Reply>(&input)) {
                   return to_response(*refused);
                 }
                 return to_response(core_->write([&](Unit& unit) {
                   return start_session(unit, std::get<Installation>(caller),
                                        std::get<Input>(input));
                 }));
               });
  using Change = Reply (*)(Unit&, const Installation&, std::int64_t);
  const auto change = [this](const net::ServerRequest& request,
                             Change apply) -> net::HandlerResult {
    const auto caller = gate_.installation(request);
    if (const auto* refused = std::get_if<Reply>(&caller)) {
      return to_response(*refused);
    }
    const auto id = service_api::parse_path_id(request.captures.empty() ? std::string()
                                                                        : request.captures.front());
    if (!id) {
      return to_response(refuse(404, "There is no such session."));
    }
    return to_response(
        core_->write([&](Unit& unit) { return apply(unit, std::get<Installation>(caller), *id); }));
  };
  server.route("POST", std::string(path::kSessionRenew),
               [this, change](const net::ServerRequest& request) {
                 auto result = change(request, renew_session);
                 const auto* response = std::get_if<net::ServerResponse>(&result);
                 const auto id = service_api::parse_path_id(
                     request.captures.empty() ? std::string() : request.captures.front());
                 if (response != nullptr && response->status == 200 && id) {
                   core_->presence.contact(*id, core_->now());
                   core_->presence.watcher(*id, core_->now());
                 }
                 return result;
               });
  server.route("DELETE", std::string(path::kSession), [change](const net::ServerRequest& request) {
    return change(request, end_session);
  });
}

}  // namespace robot_council::fleet
