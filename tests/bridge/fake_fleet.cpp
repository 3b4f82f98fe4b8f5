#include "tests/bridge/fake_fleet.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

#include <gtest/gtest.h>

#include "base/json_scan.hpp"
#include "base/text.hpp"

namespace robot_council::test {

namespace {

constexpr std::string_view kPrefix = "/robot-council/api/";

bool send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

// Whether the peer went away (or sent more, which none does) within this time.
bool peer_gone(int fd, int within_ms = 0) {
  pollfd watched{fd, POLLIN | POLLRDHUP, 0};
  return ::poll(&watched, 1, within_ms) > 0;
}

std::string member(const std::string& json, std::string_view key) {
  const std::string_view value = base::json_member(json, key);
  return value.empty() ? std::string() : std::string(value);
}

}  // namespace

std::optional<std::string> query_value(const std::string& query, const std::string& name) {
  for (const std::string& part : base::split(query, '&')) {
    if (part.rfind(name + "=", 0) == 0) {
      return part.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

FakeFleet::FakeFleet() {
  listener_ = base::Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(::listen(listener_.get(), 256), 0);
  socklen_t size = sizeof(address);
  EXPECT_EQ(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { accept_loop(); });
}

FakeFleet::~FakeFleet() {
  stop();
}

void FakeFleet::stop() {
  stop_ = true;
  changed_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
  for (Connection& connection : connections_) {
    connection.thread.join();
  }
  connections_.clear();
  listener_.reset();
}

void FakeFleet::on(const std::string& key, Handler handler) {
  const std::lock_guard<std::mutex> lock(mu_);
  handlers_[key] = std::move(handler);
}

void FakeFleet::on(const std::string& key, FleetReply reply) {
  on(key, [reply](const FleetRequest&) { return std::optional<FleetReply>(reply); });
}

void FakeFleet::otherwise(Handler handler) {
  const std::lock_guard<std::mutex> lock(mu_);
  otherwise_ = std::move(handler);
}

void FakeFleet::once(const std::string& key, FleetReply reply, int times) {
  const std::lock_guard<std::mutex> lock(mu_);
  for (int i = 0; i < times; ++i) {
    once_[key].push_back(reply);
  }
}

std::int64_t FakeFleet::post(const std::string& type, const std::string& rest) {
  std::int64_t id = 0;
  {
    const std::lock_guard<std::mutex> lock(mu_);
    id = next_id_++;
    std::string json = R"({"id":)" + std::to_string(id) + R"(,"type":")" + type + "\"";
    if (!rest.empty()) {
      json += "," + rest;
    }
    events_.emplace_back(id, json + "}");
  }
  changed_.notify_all();
  return id;
}

std::int64_t FakeFleet::directive(const std::string& body) {
  return post(
      "directive",
      R"("body":")" + body +
          R"(","meta":null,"created_at":"2026-09-24T12:00:00+00:00","actor":{"session_id":9,"github_login":"dev"})");
}

std::int64_t FakeFleet::head() {
  const std::lock_guard<std::mutex> lock(mu_);
  return next_id_ - 1;
}

void FakeFleet::set_head(std::int64_t id) {
  const std::lock_guard<std::mutex> lock(mu_);
  next_id_ = id + 1;
}

void FakeFleet::join_from(std::optional<std::int64_t> cursor) {
  const std::lock_guard<std::mutex> lock(mu_);
  join_cursor_ = cursor;
}

void FakeFleet::expire_token() {
  const std::lock_guard<std::mutex> lock(mu_);
  expired_ = true;
}

void FakeFleet::set_abilities(const std::string& json_list) {
  const std::lock_guard<std::mutex> lock(mu_);
  abilities_ = json_list;
}

std::string FakeFleet::token() {
  const std::lock_guard<std::mutex> lock(mu_);
  return "S|" + std::to_string(tokens_);
}

std::vector<FleetRequest> FakeFleet::requests(const std::string& key) {
  const std::lock_guard<std::mutex> lock(mu_);
  if (key.empty()) {
    return requests_;
  }
  std::vector<FleetRequest> found;
  std::copy_if(requests_.begin(), requests_.end(), std::back_inserter(found),
               [&key](const FleetRequest& request) { return request.key() == key; });
  return found;
}

bool FakeFleet::wait_for(const std::string& key, std::size_t times, base::Milliseconds limit) {
  const base::SteadyTime deadline = base::deadline_in(limit);
  while (count(key) < times) {
    if (base::time_left(deadline).count() == 0) {
      return false;
    }
    std::unique_lock<std::mutex> lock(mu_);
    changed_.wait_for(lock, std::chrono::milliseconds(20));
  }
  return true;
}

void FakeFleet::accept_loop() {
  while (!stop_) {
    pollfd watched{listener_.get(), POLLIN, 0};
    if (::poll(&watched, 1, 20) <= 0) {
      continue;
    }
    const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd >= 0) {
      ++open_;
      reap();
      auto over = std::make_shared<std::atomic<bool>>(false);
      std::thread thread([this, fd, connection = accepted_++, over] {
        serve(fd, connection);
        over->store(true);
      });
      connections_.push_back({std::move(thread), std::move(over)});
    }
  }
}

void FakeFleet::reap() {
  connections_.remove_if([](Connection& connection) {
    if (!connection.over->load()) {
      return false;
    }
    connection.thread.join();
    return true;
  });
}

void FakeFleet::keep_requests(std::size_t most) {
  const std::lock_guard<std::mutex> lock(mu_);
  kept_requests_ = most;
}

void FakeFleet::serve(int fd, std::uint64_t connection) {
  const base::Fd owned(fd);
  std::string bytes;
  std::size_t head_end = std::string::npos;
  std::size_t need = 0;
  while (!stop_) {
    pollfd watched{fd, POLLIN, 0};
    if (::poll(&watched, 1, 50) == 0) {
      continue;
    }
    std::array<char, 65536> buffer{};
    const ssize_t n = ::recv(fd, buffer.data(), buffer.size(), 0);
    if (n <= 0) {
      --open_;
      return;
    }
    bytes.append(buffer.data(), static_cast<std::size_t>(n));
    if (head_end == std::string::npos) {
      head_end = bytes.find("\r\n\r\n");
    }
    if (head_end != std::string::npos) {
      const std::string lower = base::to_lower_ascii(bytes.substr(0, head_end));
      const std::size_t at = lower.find("content-length: ");
      need =
          at == std::string::npos ? 0 : static_cast<std::size_t>(std::stoul(lower.substr(at + 16)));
      if (bytes.size() >= head_end + 4 + need) {
        break;
      }
    }
  }
  if (stop_) {
    --open_;
    return;
  }
  FleetRequest request;
  request.at = std::chrono::steady_clock::now();
  request.connection = connection;
  const std::vector<std::string> lines = base::split(bytes.substr(0, head_end), '\n');
  const std::vector<std::string> first = base::split(lines.at(0), ' ');
  request.method = first.at(0);
  std::string target = first.at(1);
  const std::size_t question = target.find('?');
  if (question != std::string::npos) {
    request.query = target.substr(question + 1);
    target.resize(question);
  }
  request.path = target.rfind(kPrefix, 0) == 0 ? target.substr(kPrefix.size()) : target;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t colon = lines[i].find(':');
    if (colon != std::string::npos) {
      request.headers[base::to_lower_ascii(lines[i].substr(0, colon))] =
          std::string(base::trim(lines[i].substr(colon + 1)));
    }
  }
  request.body = bytes.substr(head_end + 4);
  request.token = request.headers["authorization"].rfind("Bearer ", 0) == 0
                      ? request.headers["authorization"].substr(7)
                      : "";
  {
    const std::lock_guard<std::mutex> lock(mu_);
    requests_.push_back(request);
    if (requests_.size() > kept_requests_) {
      requests_.erase(requests_.begin());
    }
  }
  changed_.notify_all();
  const FleetReply reply = reply_to(request, fd);
  if (reply.hang || reply.drip) {
    if (reply.drip) {
      static_cast<void>(send_all(
          fd,
          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"));
    }
    constexpr int kBetweenDripsMs = 5;
    while (!stop_ && !peer_gone(fd, kBetweenDripsMs)) {
      if (reply.drip && !send_all(fd, " ")) {
        break;
      }
    }
  } else if (!reply.cut) {
    deliver(fd, reply);
  }
  --open_;
}

void FakeFleet::deliver(int fd, const FleetReply& reply) {
  const base::SteadyTime begin = base::deadline_in(reply.after);
  constexpr std::int64_t kLookMs = 20;  // at stop_
  while (!stop_ && base::time_left(begin).count() > 0) {
    if (peer_gone(fd, static_cast<int>(std::min(kLookMs, base::time_left(begin).count())))) {
      return;
    }
  }
  if (reply.reset) {
    const linger at_once{1, 0};
    static_cast<void>(::setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)));
    return;
  }
  std::string answer =
      "HTTP/1.1 " + std::to_string(reply.status) +
      " X\r\nConnection: close\r\nContent-Length: " + std::to_string(reply.body.size()) + "\r\n";
  bool typed = false;
  for (const auto& [name, value] : reply.headers) {
    answer += name + ": " + value + "\r\n";
    typed = typed || base::equals_ignoring_case(name, "content-type");
  }
  answer += typed ? "\r\n" : "Content-Type: application/json\r\n\r\n";
  answer += reply.body;
  if (reply.half) {
    answer.resize(answer.size() / 2);
  }
  constexpr std::size_t kPieces = 20;
  const std::size_t piece = reply.slowly.count() > 0 ? answer.size() / kPieces + 1
                                                     : std::max<std::size_t>(1, answer.size());
  for (std::size_t at = 0; at < answer.size() && !stop_; at += piece) {
    if (!send_all(fd, std::string_view(answer).substr(at, piece))) {
      return;
    }
    if (reply.slowly.count() > 0 &&
        peer_gone(fd, static_cast<int>(reply.slowly.count()) / static_cast<int>(kPieces))) {
      return;
    }
  }
}

FleetReply FakeFleet::reply_to(const FleetRequest& request, int fd) {
  Handler handler;
  {
    const std::lock_guard<std::mutex> lock(mu_);
    const auto once = once_.find(request.key());
    if (once != once_.end() && !once->second.empty()) {
      FleetReply reply = once->second.front();
      once->second.pop_front();
      return reply;
    }
    const auto found = handlers_.find(request.key());
    handler = found != handlers_.end() ? found->second : otherwise_;
  }
  if (handler) {
    if (std::optional<FleetReply> reply = handler(request)) {
      return *reply;
    }
  }
  return own_reply(request, fd);
}

FleetReply FakeFleet::own_reply(const FleetRequest& request, int fd) {
  const bool by_installation =
      request.path == "sessions" || request.path.rfind("sessions/", 0) == 0;
  {
    const std::lock_guard<std::mutex> lock(mu_);
    const std::string good = by_installation ? "I|secret" : "S|" + std::to_string(tokens_);
    if (request.token != good || (!by_installation && expired_)) {
      return {401, R"({"message":"Unauthenticated."})", {{"WWW-Authenticate", "Bearer"}}};
    }
  }
  if (request.key() == "POST sessions") {
    const std::lock_guard<std::mutex> lock(mu_);
    ++session_;
    ++tokens_;
    expired_ = false;
    const std::string capacity = member(request.body, "capacity");
    return {201,
            R"({"session_id":)" + std::to_string(session_) + R"(,"token":"S|)" +
                std::to_string(tokens_) + R"(","abilities":)" + abilities_ +
                R"(,"expires_in":3600,"feed_cursor":)" +
                std::to_string(join_cursor_.value_or(next_id_ - 1)) + R"(,"capacity":)" +
                (capacity.empty() ? "1" : capacity) + R"(,"declared_capacity":)" +
                (capacity.empty() ? "null" : capacity) + "}",
            {}};
  }
  if (request.method == "DELETE") {
    return {200, R"({"status":"gone"})", {}};
  }
  if (by_installation) {  // renew
    const std::lock_guard<std::mutex> lock(mu_);
    ++tokens_;
    expired_ = false;
    return {200,
            R"({"session_id":)" + std::to_string(session_) + R"(,"token":"S|)" +
                std::to_string(tokens_) + R"(","abilities":)" + abilities_ +
                R"(,"expires_in":3600,"feed_cursor":0})",
            {}};
  }
  if (request.key() == "GET events") {
    return feed(request, fd);
  }
  if (request.key() == "GET agent/session") {
    return {200, R"({"fleet_can_direct":true,"capacity":1})", {}};
  }
  if (request.key() == "POST agent/role") {
    return {202, R"({"pending":true,"requested_role":"coordinator","role":"build"})", {}};
  }
  if (request.key() == "POST mcp") {
    return mcp(request);
  }
  return {200, R"({"status":"active"})", {}};
}

FleetReply FakeFleet::feed(const FleetRequest& request, int fd) {
  const std::int64_t after = std::stoll(query_value(request.query, "after").value_or("0"));
  const int wait = std::stoi(query_value(request.query, "wait").value_or("0"));
  const base::SteadyTime until =
      base::deadline_in(std::chrono::milliseconds(waits_ ? wait * 100 : 0));
  std::unique_lock<std::mutex> lock(mu_);
  while (next_id_ - 1 <= after && !stop_ && base::time_left(until).count() > 0) {
    changed_.wait_for(lock, std::chrono::milliseconds(10));
    if (peer_gone(fd)) {
      return {200, "", {}, true, false, false};
    }
  }
  std::string list;
  std::int64_t cursor = std::max(after, next_id_ - 1);
  std::size_t count = 0;
  for (const auto& [id, json] : events_) {
    if (id > after && count < 200) {
      list += (list.empty() ? "" : ",") + json;
      ++count;
      if (count == 200) {
        cursor = id;
      }
    }
  }
  FleetReply reply{
      200, R"({"events":[)" + list + R"(],"cursor":)" + std::to_string(cursor) + "}", {}};
  if (waits_) {
    reply.headers.emplace_back("Robot-Council-Wait", "25");
  }
  return reply;
}

FleetReply FakeFleet::mcp(const FleetRequest& request) {
  const std::string id = member(request.body, "id");
  const std::string method = member(request.body, "method");
  if (id.empty()) {
    return {202, "", {}};
  }
  std::string result = R"({"content":[{"type":"text","text":"ok"}],"isError":false})";
  if (method == "\"initialize\"") {
    result = R"({"instructions":"Claim before work."})";
  } else if (method == "\"tools/list\"") {
    result = R"({"tools":[{"name":"task_list","inputSchema":{"type":"object","properties":{}}}]})";
  }
  return {200, R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + result + "}", {}};
}

}  // namespace robot_council::test
