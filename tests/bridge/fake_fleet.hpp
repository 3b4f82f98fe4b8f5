#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/fd.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::test {

struct FleetRequest {
  std::string method;
  std::string path;                            // below /robot-council/api/
  std::string query;                           // without "?"
  std::map<std::string, std::string> headers;  // lower-case names
  std::string body;
  std::string token;  // of the Bearer
  base::SteadyTime at;
  std::uint64_t connection = 0;  // in the order in which they were made
  [[nodiscard]] std::string key() const { return method + " " + path; }
};

struct FleetReply {
  int status = 200;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  bool cut = false;              // the connection is closed without an answer
  bool hang = false;             // nothing is answered until the peer goes or the fleet stops
  bool drip = false;             // a byte now and then, without end
  bool reset = false;            // the connection is reset without an answer
  bool half = false;             // half of the answer, then the end of the connection
  base::Milliseconds after{0};   // nothing is answered before
  base::Milliseconds slowly{0};  // the answer comes in small pieces, over this time
};

// A fleet that can misbehave: real HTTP on loopback, one thread a connection, every answer
// replaceable. What it does by itself: one session after another, a feed with held reads, a token
// that renewals replace, an MCP endpoint with one tool.
class FakeFleet {
 public:
  using Handler = std::function<std::optional<FleetReply>(const FleetRequest&)>;

  FakeFleet();
  ~FakeFleet();
  FakeFleet(const FakeFleet&) = delete;
  FakeFleet& operator=(const FakeFleet&) = delete;
  FakeFleet(FakeFleet&&) = delete;
  FakeFleet& operator=(FakeFleet&&) = delete;

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  // Replaces the answer to "POST sessions", "GET events", ...; nothing from it: the fleet's own
  // answer. Later ones win.
  void on(const std::string& key, Handler handler);
  void on(const std::string& key, FleetReply reply);
  // For every request that has none of its own.
  void otherwise(Handler handler);
  // The next `times` answers only.
  void once(const std::string& key, FleetReply reply, int times = 1);

  // Posts an event; returns its id. `rest`: members beside id, as JSON without braces.
  std::int64_t post(const std::string& type, const std::string& rest = {});
  std::int64_t directive(const std::string& body = "do it");
  [[nodiscard]] std::int64_t head();
  void set_head(std::int64_t id);  // ids jump
  // Later joins are told this feed cursor; nothing: the head.
  void join_from(std::optional<std::int64_t> cursor);
  // Reads are answered at once, without the header.
  void no_wait() { waits_ = false; }
  // Later requests with the current token are refused until it is renewed.
  void expire_token();
  void set_abilities(const std::string& json_list);

  [[nodiscard]] std::vector<FleetRequest> requests(const std::string& key = {});
  [[nodiscard]] std::size_t count(const std::string& key) { return requests(key).size(); }
  bool wait_for(const std::string& key, std::size_t times,
                base::Milliseconds limit = test::kInTime);
  [[nodiscard]] std::int64_t session() { return session_; }
  [[nodiscard]] std::string token();
  [[nodiscard]] std::size_t open_connections() const { return open_; }
  // Only the newest `most` requests are kept, for runs that last.
  void keep_requests(std::size_t most);
  void stop();

 private:
  struct Connection {
    std::thread thread;
    std::shared_ptr<std::atomic<bool>> over;
  };
  void accept_loop();
  void reap();
  void serve(int fd, std::uint64_t connection);
  void deliver(int fd, const FleetReply& reply);
  FleetReply reply_to(const FleetRequest& request, int fd);
  FleetReply own_reply(const FleetRequest& request, int fd);
  FleetReply feed(const FleetRequest& request, int fd);
  FleetReply mcp(const FleetRequest& request);

  base::Fd listener_;
  std::uint16_t port_ = 0;
  std::mutex mu_;
  std::condition_variable changed_;
  std::map<std::string, Handler> handlers_;
  Handler otherwise_;
  std::map<std::string, std::list<FleetReply>> once_;
  std::vector<FleetRequest> requests_;
  std::vector<std::pair<std::int64_t, std::string>> events_;
  std::int64_t next_id_ = 1;
  std::optional<std::int64_t> join_cursor_;
  std::int64_t session_ = 40;
  int tokens_ = 0;
  bool expired_ = false;
  std::string abilities_ = R"(["tasks:create","tasks:claim","locks:acquire","events:post"])";
  std::atomic<bool> waits_{true};
  std::atomic<bool> stop_{false};
  std::atomic<std::size_t> open_{0};
  std::thread thread_;
  std::uint64_t accepted_ = 0;
  std::size_t kept_requests_ = SIZE_MAX;
  std::list<Connection> connections_;
};

// Reads `name` of a query.
[[nodiscard]] std::optional<std::string> query_value(const std::string& query,
                                                     const std::string& name);

}  // namespace robot_council::test
