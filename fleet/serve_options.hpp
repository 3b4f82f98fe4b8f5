#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.hpp"
#include "base/result.hpp"
#include "fleet/settings.hpp"

namespace robot_council::fleet {

// Options of `serve` as they were typed (service contract, 8.1). Absent or empty = the default.
struct ServeWords {
  std::string listen;
  std::string data;
  std::string store;
  std::string login;
  std::string tasks_at_once;
  std::string public_url;
  std::string max_held;
  std::string keep_events;
  std::string keep_tasks;
  std::string keep_locks;
  std::string keep_sessions;
  std::vector<std::string> rate_limits;  // NAME=N
  bool auto_approve = false;
  bool no_rate_limit = false;
  bool behind_proxy = false;
};

struct ServeOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = kDefaultPort;  // 0 = any
  std::string data;                   // absolute
  bool behind_proxy = false;
  std::string public_host;  // host[:port] of the public URL, allowed as Host
  Settings settings;
};

// Checks the words one by one and against each other. invalid: a value that no option takes, or
// options that exclude each other (a usage error, exit 2); refused: what is not safe, as an address
// of the network without --behind-proxy (exit 1). `what` says what to do.
[[nodiscard]] base::Result<ServeOptions> read_serve_options(const ServeWords& words,
                                                            const base::Environment& environment);

// --data, else DATA/fleet: where `fleet` and `enroll --local` find the service's files.
[[nodiscard]] std::string fleet_directory(std::string_view data,
                                          const base::Environment& environment);

}  // namespace robot_council::fleet
