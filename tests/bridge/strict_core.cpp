#include "tests/bridge/strict_core.hpp"

#include <algorithm>
#include <set>

#include "base/json.hpp"
#include "base/json_value.hpp"
#include "base/text.hpp"

namespace robot_council::test {

namespace {

FleetReply html(int status) {
  return {status,
          "<!doctype html><html><body>" + std::string(3000, 'x') + "</body></html>",
          {{"Content-Type", "text/html; charset=UTF-8"}}};
}

FleetReply json(int status, const std::string& body) {
  return {status, body, {}};
}

bool digits(const std::string& text) {
  return !text.empty() && text.size() <= 18 &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

// The members that the object may have, and no other.
bool only(const base::Json& object, const std::set<std::string>& names) {
  return object.is_object() &&
         std::all_of(object.items().begin(), object.items().end(),
                     [&](const auto& item) { return names.count(item.key()) > 0; });
}

base::Json parsed(const std::string& body) {
  auto document = base::parse_bounded(body, std::size_t{1} << 20U);
  return document.ok() ? *std::move(document) : base::Json();
}

std::string tool(int number) {
  return R"({"name":"tool_)" + std::to_string(number) +
         R"(","title":"T","description":"d","inputSchema":{"type":"object","properties":{}},"annotations":{}})";
}

constexpr int kTools = 31;
constexpr int kToolsOfAPage = 15;

}  // namespace

StrictCore::StrictCore(FakeFleet& fleet) : fleet_(fleet) {
  fleet_.otherwise(
      [this](const FleetRequest& request) { return std::optional<FleetReply>(answer(request)); });
}

std::int64_t StrictCore::post(const std::string& rest) {
  const std::lock_guard<std::mutex> lock(mu_);
  const auto id = static_cast<std::int64_t>(events_.size()) + 1;
  events_.push_back(R"({"id":)" + std::to_string(id) + ".0," + rest + "}");
  return id;
}

void StrictCore::early_empty(const std::string& retry_after) {
  const std::lock_guard<std::mutex> lock(mu_);
  early_retry_after_ = retry_after;
  early_ = true;
}

std::vector<std::string> StrictCore::violations() {
  const std::lock_guard<std::mutex> lock(mu_);
  return violations_;
}

void StrictCore::violated(const FleetRequest& request, const std::string& rule) {
  const std::lock_guard<std::mutex> lock(mu_);
  violations_.push_back(request.key() + (request.query.empty() ? "" : "?" + request.query) + ": " +
                        rule);
}

void StrictCore::check(const FleetRequest& request) {
  const auto header = [&request](const char* name) {
    const auto found = request.headers.find(name);
    return found == request.headers.end() ? std::string() : found->second;
  };
  if (header("accept").find("application/json") == std::string::npos) {
    violated(request, "Accept is not JSON");
  }
  for (const auto& [name, value] : request.headers) {
    if (name.rfind("mcp", 0) == 0 || name == "cookie" || name == "transfer-encoding") {
      violated(request, "header " + name);
    }
  }
  if (!request.body.empty() &&
      (header("content-type") != "application/json" || !parsed(request.body).is_object())) {
    violated(request, "no JSON object as application/json");
  }
  if (request.key() == "GET events") {
    check_query(request);
  } else if (!request.query.empty()) {
    violated(request, "a query");
  }
}

void StrictCore::check_query(const FleetRequest& request) {
  std::set<std::string> seen;
  for (const std::string& part : base::split(request.query, '&')) {
    const std::string name = part.substr(0, part.find('='));
    const std::string value = part.substr(std::min(part.size(), name.size() + 1));
    if (!seen.insert(name).second) {
      violated(request, "twice: " + name);
    }
    const bool right = name == "acknowledge"                                  ? value == "false"
                       : name == "after" || name == "limit" || name == "wait" ? digits(value)
                                                                              : false;
    if (!right) {
      violated(request, "parameter " + part);
    }
  }
  if (seen.count("acknowledge") == 0) {
    violated(request, "acknowledges");
  }
}

FleetReply StrictCore::answer(const FleetRequest& request) {
  check(request);
  const bool by_installation = request.path.rfind("sessions", 0) == 0;
  std::string good = "I|secret";
  if (!by_installation) {
    const std::lock_guard<std::mutex> lock(mu_);
    good = "S|" + std::to_string(tokens_);
  }
  if (request.token != good || (!by_installation && expired_)) {
    return {401, R"({"message":"Unauthenticated."})", {{"WWW-Authenticate", "Bearer"}}};
  }
  if (request.key() == "POST sessions") {
    return start(request);
  }
  if (request.key() == "POST sessions/41/renew") {
    return renew();
  }
  if (request.key() == "DELETE sessions/41") {
    return json(200, R"({"session_id":41.0,"status":"gone"})");
  }
  if (request.key() == "GET events") {
    return events(request);
  }
  if (request.key() == "GET agent/session") {
    return json(200, R"({"session_id":41.0,"status":"active","project_id":null})");
  }
  if (request.key() == "POST agent/heartbeat") {
    return json(200, R"({"session_id":41.0,"status":"active","stale_in":300.0,"gone_in":1800.0})");
  }
  if (request.key() == "POST mcp") {
    return mcp(request);
  }
  if (request.key() != "POST agent/watcher") {
    violated(request, "no such call");
  }
  return html(404);
}

FleetReply StrictCore::start(const FleetRequest& request) {
  const base::Json body = request.body.empty() ? base::Json::object() : parsed(request.body);
  if (!only(body,
            {"repository", "work_location", "project_id", "platform", "capacity", "ephemeral"}) ||
      (body.contains("platform") && !only(body["platform"], {"os_family", "arch"}))) {
    violated(request, "unknown member in " + request.body);
  }
  if (refuses_platform_ && body.contains("platform")) {
    return json(422,
                R"({"message":"The platform is wrong.","errors":{"platform":["no"]},"trace":[1]})");
  }
  const std::lock_guard<std::mutex> lock(mu_);
  expired_ = false;
  return json(201, R"({"session_id":41.0,"token":"S|)" + std::to_string(++tokens_) +
                       R"(","expires_in":3599.87,"granted_abilities":[],"project_id":null)" +
                       (feed_cursor_ ? R"(,"feed_cursor":)" + std::to_string(events_.size()) + ".0"
                                     : std::string()) +
                       "}");
}

FleetReply StrictCore::renew() {
  const std::lock_guard<std::mutex> lock(mu_);
  expired_ = false;
  return json(200, R"({"session_id":41.0,"token":"S|)" + std::to_string(++tokens_) +
                       R"(","expires_in":3600.0,"feed_cursor":0.0})");
}

FleetReply StrictCore::events(const FleetRequest& request) {
  if (flood_) {
    post(R"("type":"narration","body":"x","meta":null,"created_at":"2026-09-24T12:00:00+00:00")");
  }
  const std::lock_guard<std::mutex> lock(mu_);
  const std::optional<std::string> after = query_value(request.query, "after");
  const auto from = std::min<std::size_t>(
      events_.size(), after && digits(*after) ? std::stoull(*after) : events_.size());
  const std::size_t to = std::min<std::size_t>(events_.size(), from + 200);
  std::string list;
  for (std::size_t at = from; at < to; ++at) {
    list += (list.empty() ? "" : ",") + events_[at];
  }
  FleetReply reply =
      json(200, R"({"events":[)" + list + R"(],"cursor":)" + std::to_string(to) + ".0}");
  if (flood_ || early_) {
    reply.headers.emplace_back("Robot-Council-Wait", "25");
  }
  if (early_) {
    reply.headers.emplace_back("Retry-After", early_retry_after_);
  }
  return reply;
}

FleetReply StrictCore::mcp(const FleetRequest& request) {
  const base::Json body = parsed(request.body);
  const std::string method = base::get_string(body, "method").value_or("");
  const base::Json* params = base::get_object(body, "params");
  if (params != nullptr && params->contains("_meta")) {
    violated(request, "_meta");
  }
  if (!body.contains("id")) {
    return {202, "", {}};
  }
  const std::string head = R"({"jsonrpc":"2.0","id":)" + body["id"].dump() + ",";
  if (method == "tools/call") {
    return json(200, head + R"("result":{"resultType":"complete","content":[{"type":"text",)"
                            R"("text":"ok"}],"isError":false}})");
  }
  if (method == "tools/list") {
    int first = 0;
    if (params != nullptr && params->contains("cursor")) {
      const std::string cursor = base::get_string(*params, "cursor").value_or("");
      if (cursor != "p15" && cursor != "p30") {
        violated(request, "a cursor of its own");
        return html(500);
      }
      first = std::stoi(cursor.substr(1));
    }
    const int end = std::min(kTools, first + kToolsOfAPage);
    std::string list;
    for (int number = first; number < end; ++number) {
      list += (list.empty() ? "" : ",") + tool(number);
    }
    return json(200, head +
                         R"("result":{"resultType":"complete","_meta":{"a":1},"ttlMs":0,)"
                         R"("cacheScope":"private","tools":[)" +
                         list + "]" +
                         (end < kTools ? R"(,"nextCursor":"p)" + std::to_string(end) + "\""
                                       : std::string()) +
                         "}}");
  }
  if (method != "initialize") {
    violated(request, "method " + method);
  } else {
    const std::lock_guard<std::mutex> lock(mu_);
    if (++initializes_ > tokens_) {
      violations_.push_back("initialize more than once a join");
    }
  }
  return json(404, head + R"("error":{"code":-32601,"message":"Method not found"}})");
}

}  // namespace robot_council::test
