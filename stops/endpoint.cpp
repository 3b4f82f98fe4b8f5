#include "stops/endpoint.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace robot_council::stops {
namespace {

base::Error invalid(const char* what) {
  return {base::Errc::invalid, what};
}

// 127.0.0.0/8 in four decimal parts; a short form could mean another address elsewhere.
bool is_loopback_v4(const std::string& host) {
  const std::vector<std::string> parts = base::split(host, '.');
  constexpr std::int64_t kMost = 255;
  return parts.size() == 4 && parts[0] == "127" &&
         std::all_of(parts.begin(), parts.end(), [](const std::string& part) {
           const auto number = base::parse_digits(part);
           return number && *number <= kMost && part.size() <= 3;
         });
}

}  // namespace

base::Result<Endpoint> read_endpoint(std::string_view url) {
  constexpr std::string_view kHttp = "http://";
  constexpr std::string_view kHttps = "https://";
  Endpoint endpoint;
  endpoint.tls = base::starts_with_ignoring_case(url, kHttps);
  if (!endpoint.tls && !base::starts_with_ignoring_case(url, kHttp)) {
    return invalid("its URL begins with neither https:// nor http://");
  }
  const bool odd = std::any_of(url.begin(), url.end(), [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '\x7f' || c == '\\';
  });
  url.remove_prefix(endpoint.tls ? kHttps.size() : kHttp.size());
  const std::string_view authority = url.substr(0, url.find('/'));
  if (odd || url.find_first_of("?#@") != std::string_view::npos || authority.empty()) {
    return invalid("its URL has a user, a query, a fragment, a blank or no host");
  }
  std::string_view host = authority;
  std::string_view port;
  if (authority.front() == '[') {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos) {
      return invalid("its URL has no host");
    }
    host = authority.substr(1, close - 1);
    port = authority.substr(close + 1);
  } else if (const std::size_t colon = authority.find(':'); colon != std::string_view::npos) {
    host = authority.substr(0, colon);
    port = authority.substr(colon);
  }
  constexpr std::int64_t kMostPort = 65535;
  const auto number =
      port.empty() ? std::optional<std::int64_t>(0) : base::parse_digits(port.substr(1));
  if (host.empty() || !number || *number > kMostPort || (!port.empty() && port.front() != ':')) {
    return invalid("its URL has no host or a wrong port");
  }
  endpoint.host = base::to_lower_ascii(host);
  endpoint.loopback =
      endpoint.host == "localhost" || endpoint.host == "::1" || is_loopback_v4(endpoint.host);
  return endpoint;
}

}  // namespace robot_council::stops
