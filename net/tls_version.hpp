#pragma once

#include <string>

namespace robot_council::net {

// Of the TLS library that is loaded: "OpenSSL 3.0.17 1 Jul 2025".
[[nodiscard]] std::string tls_version();

}  // namespace robot_council::net
