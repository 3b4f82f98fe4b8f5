#pragma once

#include <memory>
#include <string>

#include "base/context.hpp"
#include "base/result.hpp"
#include "fleet/core.hpp"
#include "fleet/gate.hpp"
#include "fleet/settings.hpp"
#include "fleet/store.hpp"
#include "net/http_server.hpp"

namespace robot_council::fleet {

// The fleet's service without its process: routes over a store. serve() and the tests put it behind
// a server; timers are the caller's, so that a test with its own clock decides when a minute is
// over.
class Service {
 public:
  // operator_token: what operator calls must bear. Errors: of the store.
  [[nodiscard]] static base::Result<std::unique_ptr<Service>> open(std::unique_ptr<Store> store,
                                                                   Settings settings,
                                                                   std::string operator_token,
                                                                   const base::Context& context);

  // Registers every route. Before server.start(); the server must not outlive this.
  void install(net::HttpServer& server);
  // "http://127.0.0.1:8787": what verification_uri begins with when there is no public URL. Before
  // server.start().
  void set_address(std::string address) { address_ = std::move(address); }
  // Where a person opens the operator's page.
  [[nodiscard]] std::string operator_page_address() const;

  [[nodiscard]] Core& core() { return *core_; }

 private:
  Service(std::unique_ptr<Core> core, std::string operator_token);

  void install_enrolment(net::HttpServer& server);
  void install_sessions(net::HttpServer& server);
  void install_agent(net::HttpServer& server);
  void install_mcp(net::HttpServer& server);
  void install_feed(net::HttpServer& server);
  void install_operator(net::HttpServer& server);
  void install_rest(net::HttpServer& server);

  // Runs `call` for a session: gate, body, contact.
  struct AgentCall;
  void agent_route(net::HttpServer& server, const std::string& method, std::string_view pattern,
                   AgentCall call);
  [[nodiscard]] net::HandlerResult read_feed(const net::ServerRequest& request);
  [[nodiscard]] net::HandlerResult read_operator_feed(const net::ServerRequest& request);
  [[nodiscard]] net::HandlerResult hold(const net::ServerRequest& request, const Waiter& waiter,
                                        const Page& page);
  [[nodiscard]] net::HandlerResult resume(const net::ServerRequest& request);
  [[nodiscard]] net::ServerResponse feed_response(const Page& page) const;
  // The public URL, else the address that was set; without a trailing slash.
  [[nodiscard]] std::string base_url() const;

  std::unique_ptr<Core> core_;
  Gate gate_;
  std::string address_;
};

}  // namespace robot_council::fleet
