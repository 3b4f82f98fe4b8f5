#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/result.hpp"
#include "net/http_client.hpp"

namespace robot_council::net {

// Names one request from its arrival to its answer; never reused in a process.
using RequestId = std::uint64_t;

// Why a handler runs.
enum class Turn : std::uint8_t {
  first,     // the request has just arrived
  woken,     // it was parked and wake() named it
  over,      // it was parked and its time is over
  stopping,  // it was parked and the server stops: answer now
};

struct ServerRequest {
  RequestId id = 0;
  Turn turn = Turn::first;
  std::string method;
  std::string path;                                        // decoded, without query
  std::vector<std::pair<std::string, std::string>> query;  // decoded, in order
  Headers headers;
  std::string body;
  std::string peer;  // IP address; with behind_proxy the last hop of X-Forwarded-For
  std::vector<std::string> captures;  // what "{}" matched in the route, in order
  [[nodiscard]] std::optional<std::string> header(std::string_view name) const;
  [[nodiscard]] std::optional<std::string> query_value(
      std::string_view name) const;  // the last one
};

struct ServerResponse {
  int status = 200;
  std::string body;
  std::string content_type = "application/json";
  Headers headers;
};

// "Not yet": the connection is handed to the poller; no thread and no worker is held. The handler
// runs again with turn woken, over or stopping. wake(id) before the parking is done is not lost:
// the handler then runs again at once. A wake may come once too often (turn woken with nothing
// new): the handler looks for itself. With parked_capacity() used up the handler runs again at once
// with turn over. A handler that parks in turn stopping, or in turn over with no room or time left,
// is answered for: 503.
struct Park {
  base::SteadyTime until;  // the real steady clock
};

using HandlerResult = std::variant<ServerResponse, Park>;
using Handler = std::function<HandlerResult(const ServerRequest&)>;

struct ServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;               // 0 = any
  std::vector<std::string> more_hosts;  // Host values allowed beside loopback names with our port,
                                        // e.g. "fleet.example.org"
  std::vector<std::string> more_origins;
  bool behind_proxy = false;
  std::size_t max_body = std::size_t{64} << 10U;
  std::size_t workers = 4;
  std::size_t max_parked = 2048;
  base::Milliseconds incomplete{10000};  // a request not whole by then is dropped
};

// HTTP/1.1 server: one poller thread reads whole requests within the limits of the service
// contract 8.2 and guards the head; workers run handlers through cpp-httplib's parser; one request
// a connection.
class HttpServer {
 public:
  // Binds and listens (no SO_REUSEPORT, backlog 4096); nothing is served before start(). Raises the
  // soft limit of open descriptors of this process to the hard one. busy: the port is taken;
  // refused: no loopback address and not behind_proxy; invalid: `host` is no IP address. `log` must
  // outlive the server.
  [[nodiscard]] static base::Result<std::unique_ptr<HttpServer>> open(const ServerOptions& options,
                                                                      base::Log& log);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  HttpServer(HttpServer&&) = delete;
  HttpServer& operator=(HttpServer&&) = delete;
  virtual ~HttpServer() = default;

  // Exact method and path; "{}" stands for one non-empty segment. Before start() only. A path known
  // under other methods answers 405 with Allow, an unknown one what `not_found` gives.
  virtual void route(const std::string& method, const std::string& pattern, Handler handler) = 0;
  virtual void not_found(Handler handler) = 0;
  // A request that was parked ended without an answer of its handler (peer gone, dropped):
  // bookkeeping of the holder. Called from the poller thread, at once when the peer closes its
  // side. Not while its handler runs: that one answers (to nobody) or parks, and then the callback
  // comes.
  virtual void on_gone(std::function<void(RequestId)> callback) = 0;

  virtual base::Status start() = 0;
  [[nodiscard]] virtual std::uint16_t port() const = 0;
  // Runs the handlers of these parked requests again. Threads: any, also a handler.
  virtual void wake(const std::vector<RequestId>& requests) = 0;
  // Requests parked right now; those whose handlers run again are not.
  [[nodiscard]] virtual std::size_t parked() const = 0;
  // How many may be parked: max_parked, cut to the limit of open descriptors less 512. A handler
  // that finds parked() at it answers at once.
  [[nodiscard]] virtual std::size_t parked_capacity() const = 0;
  // Running requests finish (grace), parked ones run once more with turn stopping, then every
  // thread ends. Idempotent. Not from a handler. A handler that runs longer than the grace is
  // waited for; its answer is lost. The destructor stops too.
  virtual void stop(base::Milliseconds grace) = 0;

 protected:
  HttpServer() = default;
};

}  // namespace robot_council::net
