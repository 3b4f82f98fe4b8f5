#include "wiring/online/short_session.hpp"

#include <utility>

#include "base/json_value.hpp"
#include "bridge/place.hpp"
#include "bridge/texts.hpp"
#include "bridge/upstream.hpp"
#include "service-api/names.hpp"
#include "service-api/paths.hpp"
#include "service-api/patterns.hpp"
#include "wiring/online/limits.hpp"

namespace robot_council::wiring::online {

namespace {

namespace field = service_api::field;

constexpr int kOk = 200;
constexpr int kUnauthorized = 401;
constexpr int kUnprocessable = 422;

enum class WithPlatform : std::uint8_t { yes, no };

std::string start_body(const SessionPlace& place, WithPlatform with_platform) {
  base::OrderedJson body = base::OrderedJson::object();
  const auto add = [&body](const char* name, const std::string& value) {
    if (!value.empty()) {
      body[name] = value;
    }
  };
  add("project_id", place.project_id);
  add(field::kRepository, place.repository);
  add(field::kWorkLocation, place.work_location);
  if (with_platform == WithPlatform::yes) {
    const bridge::Platform platform = bridge::this_platform();
    body[field::kPlatform] = base::OrderedJson{{"os_family", platform.os_family}};
    if (!platform.arch.empty()) {
      body[field::kPlatform]["arch"] = platform.arch;
    }
  }
  if (place.ephemeral == Ephemeral::yes) {
    body[field::kEphemeral] = true;
  }
  return base::dump_safe(body);
}

}  // namespace

base::Result<ShortSession> start_session(account::ServiceClient& client,
                                         const std::string& credential, const SessionPlace& place,
                                         int& status, base::Milliseconds limit) {
  status = 0;
  const base::SteadyTime end = base::deadline_in(limit);
  auto answer = client.call("POST", service_api::path::kSessions, credential,
                            start_body(place, WithPlatform::yes), limit);
  if (answer && answer->status == kUnprocessable &&
      bridge::names_field(answer->body, field::kPlatform)) {
    answer = client.call("POST", service_api::path::kSessions, credential,
                         start_body(place, WithPlatform::no), base::time_left(end));
  }
  if (!answer) {
    return base::Error{answer.error().code, "Could not start a session."};
  }
  status = answer->status;
  if (status == kUnauthorized) {
    return base::Error{base::Errc::refused, std::string(bridge::text::kRefusedCredential)};
  }
  if (!bridge::is_success(status)) {
    return base::Error{base::Errc::refused, bridge::text::start_refused(status)};
  }
  const auto body = base::parse_bounded(answer->body, account::kMaxAnswer);
  const auto id = body ? base::get_integer(*body, field::kSessionId) : std::nullopt;
  const std::string token = body ? base::get_string(*body, field::kToken).value_or("") : "";
  if (!id || token.empty() || !service_api::is_token(token)) {
    return base::Error{base::Errc::invalid,
                       "The service started a session but did not describe it usably."};
  }
  return ShortSession{*id, token};
}

bool end_session(account::ServiceClient& client, const std::string& credential,
                 const ShortSession& session, base::Milliseconds limit) {
  const auto answer = client.call("DELETE", service_api::path::session(session.id), credential,
                                  std::nullopt, limit);
  return answer && answer->status == kOk;
}

}  // namespace robot_council::wiring::online
