#include "net/http_server.hpp"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>

#include "base/check.hpp"
#include "base/mutex.hpp"
#include "base/signals.hpp"
#include "base/text.hpp"
#include "net/http_syntax.hpp"
#include "net/library_call.hpp"
#include "net/limits.hpp"
#include "net/listener.hpp"
#include "net/poller.hpp"
#include "net/routes.hpp"
#include "net/work_queue.hpp"

namespace robot_council::net {
namespace {

GuardRules rules_for(const ServerOptions& options, std::uint16_t port) {
  constexpr std::uint16_t kHttpPort = 80;
  GuardRules rules;
  rules.max_body = options.max_body;
  std::vector<std::string> names = {"127.0.0.1", "localhost", "[::1]"};
  if (is_loopback_host(options.host)) {
    names.push_back(options.host.find(':') != std::string::npos && options.host.front() != '['
                        ? "[" + options.host + "]"
                        : base::to_lower_ascii(options.host));
  }
  for (const std::string& name : names) {
    rules.hosts.push_back(name + ":" + std::to_string(port));
    if (port == kHttpPort) {
      rules.hosts.push_back(name);
    }
  }
  for (const std::string& host : rules.hosts) {
    rules.origins.push_back("http://" + host);
  }
  for (const std::string& host : options.more_hosts) {
    rules.hosts.push_back(base::to_lower_ascii(host));
  }
  for (const std::string& origin : options.more_origins) {
    rules.origins.push_back(base::to_lower_ascii(origin));
  }
  return rules;
}

class Server final : public HttpServer {
 public:
  Server(ServerOptions options, std::uint16_t port, std::size_t max_parked, base::Log& log)
      : options_(std::move(options)), port_(port), max_parked_(max_parked), log_(log) {}
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  Server(Server&&) = delete;
  Server& operator=(Server&&) = delete;
  ~Server() override { end(base::Milliseconds(0)); }

  base::Status listen(PollerSetup setup) {
    base::Result<std::unique_ptr<Poller>> poller = Poller::open(std::move(setup), queue_, log_);
    if (!poller.ok()) {
      return poller.error();
    }
    poller_ = std::move(poller).value();
    return {};
  }

  void route(const std::string& method, const std::string& pattern, Handler handler) override {
    RC_CHECK(threads_.empty());
    routes_.add(method, pattern, std::move(handler));
  }
  void not_found(Handler handler) override {
    RC_CHECK(threads_.empty());
    routes_.set_not_found(std::move(handler));
  }
  void on_gone(std::function<void(RequestId)> callback) override {
    RC_CHECK(threads_.empty());
    poller_->on_gone(std::move(callback));
  }

  base::Status start() override;
  [[nodiscard]] std::uint16_t port() const override { return port_; }
  void wake(const std::vector<RequestId>& requests) override { poller_->wake(requests); }
  [[nodiscard]] std::size_t parked() const override { return poller_->parked(); }
  [[nodiscard]] std::size_t parked_capacity() const override { return max_parked_; }
  void stop(base::Milliseconds grace) override { end(grace); }

 private:
  void poll_loop();
  void work();
  void end(base::Milliseconds grace) RC_EXCLUDES(stopping_);

  ServerOptions options_;
  std::uint16_t port_;
  std::size_t max_parked_;
  base::Log& log_;
  RouteTable routes_;
  WorkQueue queue_;
  std::unique_ptr<Poller> poller_;
  base::Mutex stopping_;              // one stop at a time; the others wait for it
  std::vector<std::thread> threads_;  // the poller's first
};

base::Status Server::start() {
  RC_CHECK(threads_.empty());
  try {
    threads_.emplace_back([this] { poll_loop(); });
    for (std::size_t i = 0; i < std::max<std::size_t>(options_.workers, 1); ++i) {
      threads_.emplace_back([this] { work(); });
    }
  } catch (const std::system_error& failure) {
    end(base::Milliseconds(0));
    return base::errno_error("cannot start the threads of the service", failure.code().value());
  }
  return {};
}

void Server::poll_loop() {
  try {
    poller_->run();
  } catch (const std::exception&) {
    log_.error("the service stops serving: out of memory or a failed callback");
  }
}

void Server::work() {
  LibraryCall call([this](ServerRequest& request) { return routes_.run(request); },
                   [this](const ServerRequest& request) {
                     log_.error("a request failed inside the service: " + request.method);
                   });
  while (std::optional<Job> job = queue_.pop()) {
    try {
      Outcome outcome = call.run(*job->request);
      poller_->complete(std::move(*job), std::move(outcome));
    } catch (const std::exception&) {
      log_.error("an answer is lost: out of memory");
    }
  }
}

void Server::end(base::Milliseconds grace) {
  const base::MutexLock lock(stopping_);
  if (threads_.empty()) {
    return;
  }
  poller_->begin_stop(base::deadline_in(grace));
  threads_.front().join();
  queue_.close();
  for (std::size_t i = 1; i < threads_.size(); ++i) {
    threads_[i].join();
  }
  threads_.clear();
}

}  // namespace

std::optional<std::string> ServerRequest::header(std::string_view name) const {
  return first_value(headers, name);
}

std::optional<std::string> ServerRequest::query_value(std::string_view name) const {
  const auto found = std::find_if(query.rbegin(), query.rend(),
                                  [name](const auto& pair) { return pair.first == name; });
  return found == query.rend() ? std::nullopt : std::optional<std::string>(found->second);
}

base::Result<std::unique_ptr<HttpServer>> HttpServer::open(const ServerOptions& options,
                                                           base::Log& log) {
  if (!options.behind_proxy && !is_loopback_host(options.host)) {
    return base::Error{base::Errc::refused,
                       "only a loopback address may be listened on without a proxy in front"};
  }
  base::ignore_sigpipe();
  const std::size_t limit = raise_descriptor_limit();
  const std::size_t max_parked =
      std::min(options.max_parked, limit > kReservedDescriptors ? limit - kReservedDescriptors : 0);
  if (max_parked < options.max_parked) {
    log.warning("at most " + std::to_string(max_parked) + " requests are held instead of " +
                std::to_string(options.max_parked) + ": the limit of open files is " +
                std::to_string(limit));
  }
  base::Result<base::Fd> listener = listen_on(options.host, options.port);
  if (!listener.ok()) {
    return listener.error();
  }
  base::Result<std::uint16_t> port = port_of(*listener);
  if (!port.ok()) {
    return port.error();
  }
  PollerSetup setup;
  setup.listener = std::move(listener).value();
  setup.rules = rules_for(options, *port);
  setup.options = options;
  setup.max_parked = max_parked;
  setup.max_open =
      std::min(max_parked + kSpareConnections,
               limit > 2 * kForeignDescriptors ? limit - kForeignDescriptors : kForeignDescriptors);
  auto server = std::make_unique<Server>(options, *port, max_parked, log);
  if (base::Status opened = server->listen(std::move(setup)); !opened.ok()) {
    return opened.error();
  }
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace robot_council::net
