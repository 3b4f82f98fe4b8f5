#include "tests/fleet/fleet_fixture.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <utility>

#include <gtest/gtest.h>

#include "base/fd.hpp"
#include "base/random.hpp"
#include "base/sha256.hpp"
#include "fleet/callers.hpp"
#include "fleet/sqlite_store.hpp"

namespace robot_council::fleet::test {

std::string Answer::header(std::string_view name) const {
  net::ClientResponse response;
  response.headers = headers;
  return response.header(name).value_or("");
}

std::int64_t Answer::integer(const char* name) const {
  return base::get_integer(json, name).value_or(-1);
}

std::string Answer::text(const char* name) const {
  return base::get_string(json, name).value_or("");
}

Settings Fleet::default_settings() {
  Settings settings;
  settings.login = "ana";
  settings.rate_limits_for_loopback = false;
  return settings;
}

Fleet::Fleet(Settings chosen) : settings(std::move(chosen)) {
  open();
}

Fleet::~Fleet() {
  close();
}

void Fleet::open() {
  auto store = open_sqlite_store(store_path(), log);
  ASSERT_TRUE(store.ok()) << store.error().what;
  net::ServerOptions options;
  options.max_parked = settings.max_held;
  auto server = net::HttpServer::open(options, log);
  ASSERT_TRUE(server.ok()) << server.error().what;
  server_ = *std::move(server);
  auto service = Service::open(*std::move(store), settings, operator_token, context_);
  ASSERT_TRUE(service.ok()) << service.error().what;
  service_ = *std::move(service);
  service_->set_address("http://127.0.0.1:" + std::to_string(server_->port()));
  service_->install(*server_);
  ASSERT_TRUE(server_->start().ok());
  upkeep_ = std::make_unique<Upkeep>(service_->core());
}

void Fleet::close() {
  if (server_) {
    server_->stop(base::Milliseconds(2000));
  }
  upkeep_.reset();
  service_.reset();
  server_.reset();
}

void Fleet::restart() {
  close();
  open();
}

Answer Fleet::call(const std::string& method, const std::string& target, std::string_view token,
                   std::string_view body, const net::Headers& more) const {
  Answer answer;
  const auto url = net::parse_url("http://127.0.0.1:" + std::to_string(server_->port()));
  net::ClientLimits limits;
  limits.max_body = std::size_t{16} << 20U;
  auto client = net::HttpClient::open(*url, limits);
  if (!client) {
    ADD_FAILURE() << client.error().what;
    return answer;
  }
  net::ClientRequest request;
  request.method = method;
  request.target = target;
  request.headers = more;
  if (!token.empty()) {
    request.headers.emplace_back("Authorization", "Bearer " + std::string(token));
  }
  if (method != "GET") {
    request.body = std::string(body);
  }
  auto response = client->send(request, base::deadline_in(base::Milliseconds(40000)));
  if (!response) {
    answer.body = response.error().what;
    return answer;
  }
  answer.status = response->status;
  answer.body = response->body;
  answer.headers = response->headers;
  auto json = base::parse_bounded(answer.body, std::size_t{16} << 20U);
  answer.json = json ? *std::move(json) : base::Json();
  return answer;
}

std::string Fleet::raw(const std::string& request) const {
  const base::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(server_->port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
      0) {  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast): the socket interface
    ADD_FAILURE() << "connect";
    return {};
  }
  const auto deadline = robot_council::test::in_time();
  EXPECT_TRUE(base::write_all(socket.get(), request, deadline).ok());
  const auto answer = base::read_all(socket.get(), std::size_t{1} << 20U, deadline);
  return answer ? *answer : std::string();
}

Answer Fleet::act(const std::string& target, std::string_view body) const {
  return call("POST", api("operator/" + target), operator_token, body);
}

Answer Fleet::see(const std::string& target) const {
  return call("GET", api("operator/" + target), operator_token);
}

base::Json Fleet::tool(const Agent& agent, const std::string& name,
                       const std::string& arguments) const {
  const Answer answer = post(api("mcp"), agent.token,
                             R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" +
                                 name + R"(","arguments":)" + arguments + "}}");
  const base::Json* result = base::get_object(answer.json, "result");
  if (result == nullptr) {
    ADD_FAILURE() << name << ": " << answer.status << " " << answer.body;
    return {};
  }
  return *result;
}

Enrolled Fleet::enrol(const std::string& label, const std::string& harness) {
  const std::string verifier = base::random_hex(32);
  const Answer code = post(api("device/code"), "",
                           R"({"harness":")" + harness + R"(","machine_label":")" + label +
                               R"(","requested_abilities":["tasks:create"],"code_challenge":")" +
                               base::sha256_hex(verifier) + "\"}");
  EXPECT_EQ(code.status, 201) << code.body;
  if (!settings.auto_approve) {
    const Answer approved = act("enrolments/" + code.text("user_code") + "/approve");
    EXPECT_EQ(approved.status, 200) << approved.body;
  }
  const Answer token = post(api("device/token"), "",
                            R"({"device_code":")" + code.text("device_code") +
                                R"(","code_verifier":")" + verifier + "\"}");
  EXPECT_EQ(token.status, 201) << token.body;
  return {token.integer("installation_id"), token.text("token")};
}

Agent Fleet::start(const Enrolled& installation, const std::string& body) {
  const Answer started = post(api("sessions"), installation.token, body);
  EXPECT_EQ(started.status, 201) << started.body;
  return {started.integer("session_id"), started.text("token"), installation.id, installation.token,
          started.integer("feed_cursor")};
}

Agent Fleet::join(const std::string& label, const std::string& body) {
  return start(enrol(label), body);
}

Agent Fleet::coordinator(const std::string& label) {
  Agent agent = join(label);
  const Answer imposed = act("sessions/" + std::to_string(agent.id) + "/role",
                             R"({"role":"coordinator","how":"imposed"})");
  EXPECT_EQ(imposed.status, 200) << imposed.body;
  return agent;
}

Agent Fleet::foreign(const std::string& login) {
  const std::string token = new_token("rci");
  Enrolled installation{0, token};
  const Reply made = core().write([&](Unit& unit) {
    unit.tx.execute(
        "INSERT INTO developers(github_login, allowed, created_at) VALUES(?, 1, ?) ON CONFLICT DO "
        "NOTHING",
        {login, unit.now});
    const std::int64_t developer =
        unit.tx.insert("SELECT id FROM developers WHERE github_login = ?", {login});
    installation.id = unit.tx.insert(
        "INSERT INTO installations(developer_id, token_hash, harness, machine_label, requested_ip, "
        "created_at, expires_at)"
        " VALUES(?, ?, 'codex', ?, '', ?, ?) RETURNING id",
        {developer, stored_form(token), login, unit.now, unit.now + 30 * kDay});
    return ok({});
  });
  EXPECT_FALSE(made.refused());
  return start(installation);
}

Answer Fleet::read(const Agent& agent, std::int64_t after, const std::string& more) const {
  return get(api("events?acknowledge=false&after=" + std::to_string(after) + more), agent.token);
}

std::vector<base::Json> Fleet::all_events(const Agent& agent, std::int64_t after) const {
  std::vector<base::Json> all;
  for (;;) {
    const Answer page = read(agent, after);
    EXPECT_EQ(page.status, 200) << page.body;
    if (page.status != 200 || page.integer("cursor") == after) {
      return all;
    }
    for (const auto& event : page.json["events"]) {
      all.push_back(event);
    }
    after = page.integer("cursor");
  }
}

std::vector<base::Json> Fleet::feed(std::int64_t after) const {
  std::vector<base::Json> all;
  for (;;) {
    const Answer page = see("events?after=" + std::to_string(after));
    EXPECT_EQ(page.status, 200) << page.body;
    if (page.status != 200 || page.integer("cursor") == after) {
      return all;
    }
    for (const auto& event : page.json["events"]) {
      all.push_back(event);
    }
    after = page.integer("cursor");
  }
}

base::Json Fleet::last_event() const {
  const Answer page = see("events?limit=1");
  const base::Json* events = base::get_array(page.json, "events");
  return events != nullptr && !events->empty() ? events->back() : base::Json();
}

std::int64_t Fleet::head() const {
  return see("events?limit=1").integer("cursor");
}

void Fleet::pass(std::int64_t seconds) {
  while (seconds > 0) {
    const std::int64_t step = std::min<std::int64_t>(seconds, 60);
    clock.advance(std::chrono::seconds(step));
    upkeep_->sweep();
    seconds -= step;
  }
}

std::string with_id(const char* name, std::int64_t id) {
  return "{\"" + std::string(name) + "\":" + std::to_string(id) + "}";
}

std::string type_of(const base::Json& event) {
  return base::get_string(event, "type").value_or("");
}

std::vector<std::string> types_of(const std::vector<base::Json>& events) {
  std::vector<std::string> types;
  for (const auto& event : events) {
    types.push_back(type_of(event));
  }
  return types;
}

std::vector<std::int64_t> ids_of(const std::vector<base::Json>& events) {
  std::vector<std::int64_t> ids;
  for (const auto& event : events) {
    ids.push_back(base::get_integer(event, "id").value_or(-1));
  }
  return ids;
}

std::vector<std::string> keys_of(const base::Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) {
    keys.push_back(key);
  }
  return keys;
}

}  // namespace robot_council::fleet::test
