#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "account/identity.hpp"
#include "account/limits.hpp"
#include "base/context.hpp"
#include "base/result.hpp"

namespace robot_council::account {

enum class Named : std::uint8_t {
  yes,  // by option or variable
  no,   // detected, or none at all
};

// The harness of the caller as harness/names.hpp resolved it.
struct HarnessChoice {
  std::string name;  // reduced; "" = none could be told
  Named named = Named::no;
  std::vector<std::string>
      known;  // the known names in their order: only orders the names of a refusal
};

struct Credential {
  std::string
      token;  // of the installation; never printed, logged or put into argv or an environment
  std::string store;                       // "keychain", "secret-service", "file"
  std::optional<std::int64_t> expires_ms;  // wall ms; nothing: not recorded
};

// The installation credential of this harness at this service (account contract, sections 2 and 3).
// Read anew at each call: the recorded store first, then the others. A *named* harness without one
// claims an entry stored before harnesses were told apart. Result  the token and its expiry from
// enrolments.json. Errors  `what` is the whole text for a person, remedy included, with its final
// full stop; it holds no secret.
//         not_found: no harness, or not enrolled; io, refused, corrupt, timeout, unsupported: a
//         store failed (never said as "not enrolled"); busy: claimed, but the old entry is left or
//         could not be checked (the next read finds the new one).
// Time    the file store: milliseconds (a claim waits up to 5 s for the lock); each call of a
// system store's tool: up to `tool_time`, all of them together until `end`. Threads any; safe
// between processes.
[[nodiscard]] base::Result<Credential> read_credential(
    const base::Context& context, const Service& service, const HarnessChoice& harness,
    base::Milliseconds tool_time = kToolTime, base::SteadyTime end = base::SteadyTime::max());

// "<service>|<harness>".
[[nodiscard]] std::string credential_key(std::string_view service, std::string_view harness);

}  // namespace robot_council::account
