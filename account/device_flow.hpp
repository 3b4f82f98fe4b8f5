#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "net/http_client.hpp"

namespace robot_council::account {

// The device authorization grant (RFC 8628) as the service speaks it (service contract, section 2;
// account contract, section 4).

struct DeviceRequest {
  std::string harness;
  std::string machine_label;
  std::vector<std::string> abilities;
};

// What was asked for and got: a code for a person, and the secrets that exchange it.
struct DeviceCode {
  std::string device_code;
  std::string user_code;
  std::string verification_uri;
  std::string verifier;  // 64 hex digits; only its SHA-256 was sent yet
  std::chrono::seconds interval{0};
  std::chrono::seconds expires_in{0};
};

struct Granted {
  std::string token;
  std::optional<std::int64_t> installation_id;
  std::optional<std::chrono::seconds> expires_in;
};

// One POST of a JSON body; any status is an answer.
using Post = std::function<base::Result<net::ClientResponse>(std::string_view path,
                                                             const std::string& body)>;
// Waits until then on the flow's clock; false: interrupted.
using Pause = std::function<bool(base::SteadyTime until)>;

// Errors of both: `what` is the sentence of the failure table; busy: interrupted.
[[nodiscard]] base::Result<DeviceCode> request_device_code(const Post& post,
                                                           const DeviceRequest& request);
// Exchanges at once, then every interval until the code's life is over.
[[nodiscard]] base::Result<Granted> exchange_device_code(const Post& post, const DeviceCode& code,
                                                         const base::Clock& clock,
                                                         const Pause& pause);

}  // namespace robot_council::account
