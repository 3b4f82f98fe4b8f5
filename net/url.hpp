#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace robot_council::net {

// An absolute http or https URL of a service.
struct Url {
  bool tls = false;
  std::string host;  // lower case; an IPv6 address without its brackets
  std::uint16_t port = 0;
  std::string path;                          // "" or "/..." without trailing "/"
  [[nodiscard]] bool loopback() const;       // 127.0.0.0/8, localhost, ::1
  [[nodiscard]] std::string origin() const;  // "http://127.0.0.1:8787", default ports left out
};

// invalid: no absolute http(s) URL with a host, or one with user, query, fragment or control
// character; `what` is the "why" of "The service is not a usable URL: <why>." (account contract,
// section 2).
[[nodiscard]] base::Result<Url> parse_url(std::string_view text);
// refused: plain http to anything but 127.0.0.1, localhost, [::1].
[[nodiscard]] base::Status check_transport(const Url& url);
[[nodiscard]] std::string percent_encode(std::string_view text);  // all but RFC 3986 unreserved
[[nodiscard]] base::Result<std::string> percent_decode(std::string_view text);

}  // namespace robot_council::net
