#include "fleet/gate.hpp"

#include <utility>

#include "net/bearer.hpp"
#include "service-api/limits.hpp"

namespace robot_council::fleet {

namespace {

Reply too_many(const OverRate& over) {
  Reply reply =
      refuse(429, "Too many requests. Try again in " + std::to_string(over.retry_after) + " s.");
  reply.headers.emplace_back("Retry-After", std::to_string(over.retry_after));
  reply.headers.emplace_back("X-RateLimit-Limit", std::to_string(over.limit));
  reply.headers.emplace_back("X-RateLimit-Remaining", "0");
  return reply;
}

std::string token_of(const net::ServerRequest& request) {
  const auto header = request.header("Authorization");
  const auto token = header ? net::bearer_token(*header) : std::nullopt;
  return token ? std::string(*token) : std::string();
}

constexpr const char* kNoToken = "This call needs a token.";

}  // namespace

const std::map<std::string, std::int64_t>& default_rates() {
  static const std::map<std::string, std::int64_t> rates{
      {"device-code", service_api::kRateDeviceCode},
      {"device-token", service_api::kRateDeviceToken},
      {"device-token-ip", service_api::kRateDeviceTokenIp},
      {"sessions", service_api::kRateSessions},
      {"agent", service_api::kRateAgent},
      {"role", service_api::kRateRole},
      {"operator", service_api::kRateOperator}};
  return rates;
}

std::int64_t Gate::limit_of(std::string_view name) const {
  const std::string key(name);
  const auto chosen = core_.settings().rates.find(key);
  if (chosen != core_.settings().rates.end()) {
    return chosen->second;
  }
  if (name == "decisions") {
    return service_api::kRateDecisions;
  }
  if (name == "failed-sign-ins") {
    return service_api::kRateFailedSignIns;
  }
  const auto rate = default_rates().find(key);
  return rate == default_rates().end() ? service_api::kRateAgent : rate->second;
}

std::optional<Reply> Gate::over(const net::ServerRequest& request, std::string_view name,
                                std::string_view key) {
  if (!core_.settings().rate_limits_for_loopback && is_loopback(request.peer)) {
    return std::nullopt;
  }
  const auto over = core_.rates.take(name, key, limit_of(name));
  return over ? std::optional<Reply>(too_many(*over)) : std::nullopt;
}

std::variant<Session, Reply> Gate::session(const net::ServerRequest& request,
                                           std::string_view rate) {
  const std::string token = token_of(request);
  std::variant<Session, Reply> caller = unauthorized(kNoToken);
  if (!token.empty()) {
    const Reply looked = core_.read([&](Unit& unit) {
      caller = session_of_token(unit, token);
      return ok({});
    });
    if (looked.refused()) {
      return looked;
    }
  }
  const auto* session = std::get_if<Session>(&caller);
  const std::string key = session != nullptr ? "s" + std::to_string(session->id) : request.peer;
  if (auto refused = over(request, rate, key)) {
    return *refused;
  }
  return caller;
}

std::variant<Installation, Reply> Gate::installation(const net::ServerRequest& request) {
  const std::string token = token_of(request);
  std::variant<Installation, Reply> caller = unauthorized(kNoToken);
  if (!token.empty()) {
    const Reply looked = core_.read([&](Unit& unit) {
      caller = installation_of_token(unit, token);
      return ok({});
    });
    if (looked.refused()) {
      return looked;
    }
  }
  const auto* installation = std::get_if<Installation>(&caller);
  const std::string key =
      installation != nullptr ? "i" + std::to_string(installation->id) : request.peer;
  if (auto refused = over(request, "sessions", key)) {
    return *refused;
  }
  return caller;
}

bool Gate::is_operator_token(std::string_view token) const {
  return !operator_token_.empty() && net::equal_constant_time(token, operator_token_);
}

std::optional<Reply> Gate::operator_(const net::ServerRequest& request) {
  const std::string token = token_of(request);
  if (!is_operator_token(token)) {
    if (auto refused = over(request, "failed-sign-ins", request.peer)) {
      return refused;
    }
    return unauthorized("This call needs the operator's token.");
  }
  return over(request, "operator", "operator");
}

net::ServerResponse to_response(const Reply& reply) {
  net::ServerResponse response;
  response.status = reply.status;
  response.body = reply.body;
  for (const auto& [name, value] : reply.headers) {
    response.headers.emplace_back(name, value);
  }
  return response;
}

std::variant<Input, Reply> body_of(const net::ServerRequest& request) {
  auto input = Input::from_json(request.body);
  if (!input) {
    return invalid_field("body", input.error().what);
  }
  return *std::move(input);
}

bool is_loopback(std::string_view address) {
  return address.substr(0, 4) == "127." || address == "::1";
}

}  // namespace robot_council::fleet
