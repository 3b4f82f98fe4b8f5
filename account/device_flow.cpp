#include "account/device_flow.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "account/limits.hpp"
#include "base/json_value.hpp"
#include "base/random.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "service-api/names.hpp"
#include "service-api/paths.hpp"
#include "service-api/patterns.hpp"

namespace robot_council::account {

namespace {

namespace field = service_api::field;
namespace grant_error = service_api::grant_error;

constexpr std::size_t kVerifierBytes = 32;
constexpr int kInvalid = 422;
constexpr int kTooMany = 429;
constexpr int kOkFirst = 200;
constexpr int kOkEnd = 300;

base::Error failure(const std::string& text) {
  return base::Error{base::Errc::refused, text};
}

bool is_success(int status) {
  return status >= kOkFirst && status < kOkEnd;
}

// A gateway's word that the service itself did not answer.
bool unanswered(const base::Result<net::ClientResponse>& answer) {
  constexpr int kBadGateway = 502;
  constexpr int kUnavailable = 503;
  constexpr int kGatewayTimeout = 504;
  return !answer || answer->status == kBadGateway || answer->status == kUnavailable ||
         answer->status == kGatewayTimeout;
}

std::string error_code(const base::Result<base::Json>& body) {
  return body ? base::get_string(*body, field::kError).value_or("") : "";
}

// Whole seconds, rounded down; floats are seen in the wild (59.87).
std::optional<std::chrono::seconds> seconds_of(const base::Json& body, const char* key) {
  constexpr double kMost = 1e12;
  const auto number = base::get_number(body, key);
  if (!number || !std::isfinite(*number) || *number < 0 || *number > kMost) {
    return std::nullopt;
  }
  return std::chrono::seconds(static_cast<std::int64_t>(std::floor(*number)));
}

std::chrono::seconds bounded(std::optional<std::chrono::seconds> value, long fallback, long least,
                             long most) {
  return std::clamp(value.value_or(std::chrono::seconds(fallback)), std::chrono::seconds(least),
                    std::chrono::seconds(most));
}

std::chrono::seconds retry_after(const net::ClientResponse& answer, const base::Clock& clock) {
  constexpr std::int64_t kMsInSecond = 1000;
  const auto header = answer.header("Retry-After");
  if (header) {
    const auto text = base::trim(*header);
    if (const auto digits = base::parse_digits(text)) {
      return std::chrono::seconds(std::min<std::int64_t>(*digits, kMaxCodeLife));
    }
    if (const auto date = base::parse_http_date(text); date && *date > clock.wall_ms()) {
      return std::chrono::seconds(
          std::min<std::int64_t>((*date - clock.wall_ms()) / kMsInSecond + 1, kMaxCodeLife));
    }
  }
  return std::chrono::seconds(kDefaultRetryAfter);
}

// The rows of the failure table that depend on the answer alone, from `access_denied` on.
base::Error refusal(int status, const std::string& code) {
  if (code == grant_error::kAccessDenied) {
    return failure("The enrollment was denied.");
  }
  if (code == grant_error::kExpiredToken) {
    return failure("The code expired before it was approved. Run enroll again.");
  }
  if (code == grant_error::kInvalidGrant) {
    return failure("The service rejected this code. Run enroll again.");
  }
  if (status == kInvalid) {
    return failure(
        "The service refused the request as invalid. Check the harness and machine label.");
  }
  if (status == kTooMany) {
    return failure("The service is rate limiting this machine. Wait a moment and try again.");
  }
  if (!code.empty()) {
    return failure("The service answered `" + base::for_display(code) + "`.");
  }
  return failure("The service answered HTTP " + std::to_string(status) + ".");
}

base::Error not_json() {
  return failure("The service answered with something that is not JSON. Check the --service URL.");
}

base::Error unreachable() {
  return failure("Could not reach the service.");
}

base::Result<Granted> granted(const base::Result<base::Json>& body) {
  if (!body) {
    return not_json();
  }
  Granted result;
  result.token = base::get_string(*body, field::kToken).value_or("");
  if (result.token.empty() || result.token.size() > kMaxToken ||
      !service_api::is_token(result.token)) {
    return failure("The service approved this machine but returned no credential.");
  }
  result.installation_id = base::get_integer(*body, field::kInstallationId);
  result.expires_in = seconds_of(*body, field::kExpiresIn);
  return result;
}

}  // namespace

base::Result<DeviceCode> request_device_code(const Post& post, const DeviceRequest& request) {
  DeviceCode code;
  code.verifier = base::random_hex(kVerifierBytes);
  base::OrderedJson sent = base::OrderedJson::object();
  sent[field::kHarness] = request.harness;
  sent[field::kMachineLabel] = request.machine_label;
  sent[field::kRequestedAbilities] = request.abilities;
  sent[field::kCodeChallenge] = base::sha256_hex(code.verifier);
  const auto answer = post(service_api::path::kDeviceCode, base::dump_safe(sent));
  if (!answer) {
    return answer.error().code == base::Errc::busy ? answer.error() : unreachable();
  }
  const auto body = base::parse_bounded(answer->body, kMaxAnswer);
  if (!is_success(answer->status)) {
    return refusal(answer->status, error_code(body));
  }
  if (!body) {
    return not_json();
  }
  code.device_code = base::get_string(*body, field::kDeviceCode).value_or("");
  code.user_code = base::get_string(*body, field::kUserCode).value_or("");
  code.verification_uri = base::get_string(*body, field::kVerificationUri).value_or("");
  if (code.device_code.empty() || code.user_code.empty() || code.verification_uri.empty()) {
    return failure("The service did not return a usable device code.");
  }
  code.interval =
      bounded(seconds_of(*body, field::kInterval), kDefaultInterval, kMinInterval, kMaxInterval);
  code.expires_in =
      bounded(seconds_of(*body, field::kExpiresIn), kDefaultCodeLife, kMinCodeLife, kMaxCodeLife);
  return code;
}

base::Result<Granted> exchange_device_code(const Post& post, const DeviceCode& code,
                                           const base::Clock& clock, const Pause& pause) {
  const base::SteadyTime deadline = clock.steady() + code.expires_in;
  base::OrderedJson sent = base::OrderedJson::object();
  sent[field::kDeviceCode] = code.device_code;
  sent[field::kCodeVerifier] = code.verifier;
  const std::string body = base::dump_safe(sent);
  std::chrono::seconds interval = code.interval;
  bool lost = false;  // some try had no answer: its 201 may have been the one
  while (true) {
    const auto answer = post(service_api::path::kDeviceToken, body);
    if (!answer && answer.error().code == base::Errc::busy) {
      return answer.error();
    }
    const bool silent = unanswered(answer);
    std::chrono::seconds wait = interval;
    const auto parsed = answer ? base::parse_bounded(answer->body, kMaxAnswer)
                               : base::Result<base::Json>(unreachable());
    const std::string error = error_code(parsed);
    if (error == grant_error::kAuthorizationPending) {
      wait = interval;
    } else if (error == grant_error::kSlowDown) {
      interval += std::chrono::seconds(kSlowDownStep);
      wait = interval;
    } else if (silent) {
      lost = true;
    } else if (is_success(answer->status)) {
      return granted(parsed);
    } else if (lost && error == grant_error::kExpiredToken) {
      return failure("An answer was lost on the way and the code is used up. Run enroll again.");
    } else if (answer->status == kTooMany) {
      wait = retry_after(*answer, clock);
    } else {
      return refusal(answer->status, error);
    }
    const base::SteadyTime now = clock.steady();
    if (now >= deadline) {
      return silent ? unreachable() : refusal(0, grant_error::kExpiredToken);
    }
    // The last try falls on the deadline itself: an approval of the last seconds is not lost.
    if (!pause(std::min(now + wait, deadline))) {
      return base::Error{base::Errc::busy, "interrupted"};
    }
  }
}

}  // namespace robot_council::account
