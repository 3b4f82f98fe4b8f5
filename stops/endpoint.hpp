#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace robot_council::stops {

// The parts of a judge's URL that decide whether it may be asked.
struct Endpoint {
  bool tls = false;
  std::string host;       // without port and brackets, lower case
  bool loopback = false;  // localhost, 127.0.0.0/8, ::1
};

// Reads http:// and https:// URLs without user, query and fragment.
// Errors  invalid: `what` says what is wrong and does not repeat the URL.
[[nodiscard]] base::Result<Endpoint> read_endpoint(std::string_view url);

}  // namespace robot_council::stops
