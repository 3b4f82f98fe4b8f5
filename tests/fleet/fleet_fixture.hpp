#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/context.hpp"
#include "base/environment.hpp"
#include "base/json_value.hpp"
#include "base/log.hpp"
#include "fleet/service.hpp"
#include "fleet/settings.hpp"
#include "fleet/upkeep.hpp"
#include "net/http_client.hpp"
#include "net/http_server.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::fleet::test {

struct Answer {
  int status = 0;  // 0: no answer came
  std::string body;
  base::Json json;
  net::Headers headers;
  [[nodiscard]] std::string header(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(const char* name) const;
  [[nodiscard]] std::string text(const char* name) const;
};

struct Agent {
  std::int64_t id = 0;
  std::string token;
  std::int64_t installation_id = 0;
  std::string installation_token;
  std::int64_t feed_cursor = 0;
};

struct Enrolled {
  std::int64_t id = 0;
  std::string token;
};

// A whole service behind a real server on a loopback port, with a clock that the test moves.
// Without rates unless asked for.
class Fleet {
 public:
  explicit Fleet(Settings settings = default_settings());
  ~Fleet();
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;
  Fleet(Fleet&&) = delete;
  Fleet& operator=(Fleet&&) = delete;

  [[nodiscard]] static Settings default_settings();

  // One call of a client of its own.
  Answer call(const std::string& method, const std::string& target, std::string_view token,
              std::string_view body = {}, const net::Headers& more = {}) const;
  Answer get(const std::string& target, std::string_view token) const {
    return call("GET", target, token);
  }
  Answer post(const std::string& target, std::string_view token,
              std::string_view body = "{}") const {
    return call("POST", target, token, body);
  }
  // The bytes given, sent as they are; all that comes back until the server closes.
  [[nodiscard]] std::string raw(const std::string& request) const;
  // As the operator.
  Answer act(const std::string& target, std::string_view body = "{}") const;
  Answer see(const std::string& target) const;
  // tools/call; the answer's "result".
  base::Json tool(const Agent& agent, const std::string& name,
                  const std::string& arguments = "{}") const;

  // device/code, approval and device/token.
  Enrolled enrol(const std::string& label = "laptop", const std::string& harness = "claude");
  // A session of a new installation; `body` is that of POST sessions.
  Agent join(const std::string& label = "laptop", const std::string& body = "{}");
  Agent start(const Enrolled& installation, const std::string& body = "{}");
  // A session that holds the role, imposed by the operator.
  Agent coordinator(const std::string& label = "desk");
  // A session of another developer, put into the store by the fixture: this service enrols one
  // developer only.
  Agent foreign(const std::string& login = "bea");

  // GET events from `after`, acknowledging nothing.
  Answer read(const Agent& agent, std::int64_t after, const std::string& more = "") const;
  // Every event the agent sees after `after`.
  std::vector<base::Json> all_events(const Agent& agent, std::int64_t after = 0) const;
  // Every event there is, for the operator.
  std::vector<base::Json> feed(std::int64_t after = 0) const;
  // The newest event.
  base::Json last_event() const;
  std::int64_t head() const;

  // Stops the service and opens it again on the same store.
  void restart();
  // Time passes in steps of a minute, with a sweep after each.
  void pass(std::int64_t seconds);

  [[nodiscard]] Core& core() { return service_->core(); }
  [[nodiscard]] net::HttpServer& server() { return *server_; }
  [[nodiscard]] Upkeep& upkeep() { return *upkeep_; }
  [[nodiscard]] std::uint16_t port() const { return server_->port(); }
  [[nodiscard]] std::string store_path() const { return directory / "fleet.db"; }

  robot_council::test::TempDir directory{robot_council::test::TempDir::Place::memory};
  robot_council::test::FakeClock clock;
  base::MemoryLog log;
  base::MapEnvironment environment;
  Settings settings;
  std::string operator_token = std::string(64, 'a');

 private:
  void open();
  void close();

  base::Context context_{clock, environment, log};
  std::unique_ptr<net::HttpServer> server_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<Upkeep> upkeep_;
};

// "{"a":1}" of a format with one id.
[[nodiscard]] std::string with_id(const char* name, std::int64_t id);
[[nodiscard]] std::string type_of(const base::Json& event);
[[nodiscard]] std::vector<std::string> types_of(const std::vector<base::Json>& events);
[[nodiscard]] std::vector<std::int64_t> ids_of(const std::vector<base::Json>& events);
// Keys of an object, sorted.
[[nodiscard]] std::vector<std::string> keys_of(const base::Json& object);

inline constexpr const char* kApi = "/robot-council/api/";
[[nodiscard]] inline std::string api(const std::string& rest) {
  return kApi + rest;
}

}  // namespace robot_council::fleet::test
