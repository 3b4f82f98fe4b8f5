#include "bridge/upstream.hpp"

#include <algorithm>
#include <cmath>

#include "base/json_scan.hpp"
#include "base/json_value.hpp"
#include "bridge/texts.hpp"
#include "service-api/names.hpp"
#include "service-api/paths.hpp"
#include "service-api/patterns.hpp"

namespace robot_council::bridge {

namespace field = service_api::field;

namespace {

constexpr int kUnauthorized = 401;
constexpr int kUnprocessable = 422;

base::Result<base::Json> parse_object(std::string_view body) {
  base::Result<base::Json> json = base::parse_bounded(body, kMaxAnswerBytes, kMaxDepth);
  if (json.ok() && !json->is_object()) {
    return base::Error{base::Errc::invalid, "no JSON object"};
  }
  return json;
}

// A duration in seconds, rounded down: services send 3600.0 and 59.87 too.
std::optional<std::int64_t> seconds_of(const base::Json& body, std::string_view key) {
  const std::optional<double> value = base::get_number(body, key);
  constexpr double kLargest = 1e12;
  if (!value || !std::isfinite(*value) || *value < 0 || *value > kLargest) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(std::floor(*value));
}

bool holds_direct(const base::Json& body) {
  const base::Json* list = base::get_array(body, field::kAbilities);
  if (list == nullptr) {
    return false;
  }
  return std::any_of(list->begin(), list->end(), [](const base::Json& item) {
    return item.is_string() &&
           item.get_ref<const std::string&>() == service_api::ability::kCoordinatorDirect;
  });
}

std::optional<std::string> usable_token(const base::Json& body) {
  std::optional<std::string> token = base::get_string(body, field::kToken);
  if (!token || token->empty() || !service_api::is_token(*token)) {
    return std::nullopt;
  }
  return token;
}

base::Result<Started> read_started(std::string_view body) {
  const base::Result<base::Json> json = parse_object(body);
  const base::Error unusable{base::Errc::corrupt, std::string(text::kStartUnusable)};
  if (!json.ok()) {
    return unusable;
  }
  const std::optional<std::int64_t> session = base::get_integer(*json, field::kSessionId);
  std::optional<std::string> token = usable_token(*json);
  if (!session || !token) {
    return unusable;
  }
  Started started;
  started.session = *session;
  started.token = *std::move(token);
  started.feed_cursor = base::get_integer(*json, field::kFeedCursor);
  started.expires_in_s = seconds_of(*json, field::kExpiresIn);
  started.capacity = base::get_integer(*json, field::kCapacity);
  started.declared_capacity = base::get_integer(*json, field::kDeclaredCapacity);
  started.coordinator = holds_direct(*json);
  return started;
}

}  // namespace

base::Status Upstream::open() {
  if (client_) {
    return {};
  }
  const base::Result<account::Service> service = account::check_service(text_);
  if (!service.ok()) {
    return service.error();
  }
  prefix_ = service->url.path;
  net::ClientLimits limits;
  limits.connect = timings_.connect;
  limits.max_body = kMaxAnswerBytes;
  base::Result<net::HttpClient> client = net::HttpClient::open(service->url, limits);
  if (!client.ok()) {
    return client.error();
  }
  client_ = std::make_unique<net::HttpClient>(*std::move(client));
  if (cancelled_) {
    client_->cancel();
  }
  return {};
}

Answer Upstream::call(const Call& call, base::SteadyTime deadline) {
  net::HttpClient* client = nullptr;
  net::ClientRequest request;
  {
    const base::MutexLock lock(mu_);
    const base::Status opened = open();
    if (!opened.ok()) {
      if (call.on_written) {
        call.on_written();
      }
      return opened.error();
    }
    client = client_.get();
    request.target = prefix_ + call.path;
  }
  request.method = call.method;
  request.headers.emplace_back("Authorization", "Bearer " + call.token);
  request.headers.emplace_back("Accept", call.accept);
  request.body = call.body;
  request.on_written = call.on_written;
  return client->send(request, deadline);
}

void Upstream::cancel() {
  const base::MutexLock lock(mu_);
  cancelled_ = true;
  if (client_) {
    client_->cancel();
  }
}

void Upstream::resume() {
  const base::MutexLock lock(mu_);
  cancelled_ = false;
  if (client_) {
    client_->reset_cancel();
  }
}

std::string start_body(const StartFields& fields, bool with_platform) {
  base::OrderedJson body = base::OrderedJson::object();
  const auto add = [&body](const char* name, const std::string& value) {
    if (!value.empty()) {
      body[name] = value;
    }
  };
  add("project_id", fields.project_id);
  add(field::kRepository, fields.repository);
  add(field::kWorkLocation, fields.work_location);
  if (fields.capacity) {
    body[field::kCapacity] = *fields.capacity;
  }
  if (with_platform) {
    base::OrderedJson platform = base::OrderedJson::object();
    platform["os_family"] = fields.platform.os_family;
    if (!fields.platform.arch.empty()) {
      platform["arch"] = fields.platform.arch;
    }
    body[field::kPlatform] = std::move(platform);
  }
  return base::dump_safe(body);
}

base::Result<Started> start_session(Upstream& upstream, const std::string& credential,
                                    const StartFields& fields, base::SteadyTime deadline) {
  Upstream::Call call;
  call.method = "POST";
  call.path = service_api::path::kSessions;
  call.token = credential;
  call.body = start_body(fields, true);
  Answer answer = upstream.call(call, deadline);
  if (answer.ok() && answer->status == kUnprocessable &&
      names_field(answer->body, field::kPlatform)) {
    call.body = start_body(fields, false);
    answer = upstream.call(call, deadline);
  }
  if (!answer.ok()) {
    return base::Error{answer.error().code, std::string(text::kUnreachable)};
  }
  if (answer->status == kUnauthorized) {
    return base::Error{base::Errc::refused, std::string(text::kRefusedCredential)};
  }
  if (!is_success(answer->status)) {
    return base::Error{base::Errc::refused, text::start_refused(answer->status)};
  }
  return read_started(answer->body);
}

std::optional<Renewed> read_renewal(std::string_view body) {
  const base::Result<base::Json> json = parse_object(body);
  if (!json.ok()) {
    return std::nullopt;
  }
  std::optional<std::string> token = usable_token(*json);
  if (!token) {
    return std::nullopt;
  }
  Renewed renewed;
  renewed.token = *std::move(token);
  renewed.expires_in_s = seconds_of(*json, field::kExpiresIn);
  renewed.coordinator = holds_direct(*json);
  return renewed;
}

AgentSession read_agent_session(std::string_view body) {
  AgentSession session;
  const base::Result<base::Json> json = parse_object(body);
  if (json.ok()) {
    session.fleet_can_direct = base::get_bool(*json, field::kFleetCanDirect);
    session.capacity = base::get_integer(*json, field::kCapacity);
  }
  return session;
}

RoleReply read_role_reply(std::string_view body) {
  RoleReply reply;
  const base::Result<base::Json> json = parse_object(body);
  if (json.ok()) {
    reply.pending = base::get_bool(*json, field::kPending).value_or(false);
    reply.role = base::get_string(*json, field::kRole).value_or("");
  }
  return reply;
}

std::string read_instructions(std::string_view body) {
  const base::Result<base::Json> json = parse_object(body);
  if (!json.ok()) {
    return {};
  }
  const base::Json* result = base::get_object(*json, "result");
  return result == nullptr ? std::string() : base::get_string(*result, "instructions").value_or("");
}

bool names_field(std::string_view body, std::string_view name) {
  const base::Result<base::Json> json = parse_object(body);
  const base::Json* errors = json.ok() ? base::get_object(*json, field::kErrors) : nullptr;
  if (errors == nullptr) {
    return false;
  }
  const std::string below = std::string(name) + ".";
  for (const auto& [key, value] : errors->items()) {
    if (key == name || key.compare(0, below.size(), below) == 0) {
      return true;
    }
  }
  return false;
}

bool is_json_object(std::string_view body) {
  return base::validate_json(body, kMaxDepth).ok() &&
         base::json_kind(body) == base::JsonKind::object;
}

}  // namespace robot_council::bridge
