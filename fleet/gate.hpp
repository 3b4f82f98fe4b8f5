#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "fleet/callers.hpp"
#include "fleet/core.hpp"
#include "fleet/input.hpp"
#include "fleet/reply.hpp"
#include "net/http_server.hpp"

namespace robot_council::fleet {

// What stands before every operation: rate, then token (service contract, 1.3). The names are those
// of --rate-limit.
class Gate {
 public:
  // operator_token: 64 hex digits, compared in constant time; never logged.
  Gate(Core& core, std::string operator_token)
      : core_(core), operator_token_(std::move(operator_token)) {}

  // The session of the bearer token; `rate` is "agent" or "role". Counted per session, per address
  // without a good token.
  [[nodiscard]] std::variant<Session, Reply> session(const net::ServerRequest& request,
                                                     std::string_view rate);
  // For sessions start, renew and end.
  [[nodiscard]] std::variant<Installation, Reply> installation(const net::ServerRequest& request);
  // Nothing when the bearer is the operator token. Its calls and wrong tokens are counted; the
  // right one always passes the latter. NOLINTNEXTLINE(readability-identifier-naming): keyword
  [[nodiscard]] std::optional<Reply> operator_(const net::ServerRequest& request);
  [[nodiscard]] bool is_operator_token(std::string_view token) const;

  // The refusal when `key` is over the rate `name`.
  [[nodiscard]] std::optional<Reply> over(const net::ServerRequest& request, std::string_view name,
                                          std::string_view key);

 private:
  [[nodiscard]] std::int64_t limit_of(std::string_view name) const;
  Core& core_;
  const std::string operator_token_;
};

// The names of --rate-limit with their defaults.
[[nodiscard]] const std::map<std::string, std::int64_t>& default_rates();

[[nodiscard]] net::ServerResponse to_response(const Reply& reply);
// The request's body, or 422.
[[nodiscard]] std::variant<Input, Reply> body_of(const net::ServerRequest& request);
[[nodiscard]] bool is_loopback(std::string_view address);

}  // namespace robot_council::fleet
