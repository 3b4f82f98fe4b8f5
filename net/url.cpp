#include "net/url.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "net/limits.hpp"

namespace robot_council::net {
namespace {

constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;
constexpr std::int64_t kMaxPort = 65535;

base::Error unusable(std::string_view why) {
  return {base::Errc::invalid, std::string(why)};
}

bool is_alnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_unreserved(char c) {
  return is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

bool is_control_or_blank(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x20U || byte == 0x7fU;
}

bool is_ipv6(const std::string& host) {
  in6_addr address{};
  return inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') {
    return static_cast<unsigned>(c - '0');
  }
  if (c >= 'a' && c <= 'f') {
    return static_cast<unsigned>(c - 'a') + 10U;
  }
  if (c >= 'A' && c <= 'F') {
    return static_cast<unsigned>(c - 'A') + 10U;
  }
  return std::nullopt;
}

// A registered name or an IPv4 address; a name of another script must come in its ASCII form.
bool is_name(std::string_view host) {
  return !host.empty() && host.size() <= 253 && host.front() != '.' && host.front() != '-' &&
         host.find("..") == std::string_view::npos &&
         std::all_of(host.begin(), host.end(),
                     [](char c) { return is_alnum(c) || c == '-' || c == '.' || c == '_'; });
}

// "host", "host:port", "[v6]", "[v6]:port" into `url`.
base::Status read_authority(std::string_view authority, Url& url) {
  if (authority.find('@') != std::string_view::npos) {
    return unusable("it must not name a user");
  }
  std::string_view port;
  if (!authority.empty() && authority.front() == '[') {
    const std::size_t end = authority.find(']');
    if (end == std::string_view::npos) {
      return unusable("its host is not valid");
    }
    url.host = base::to_lower_ascii(authority.substr(1, end - 1));
    if (!is_ipv6(url.host)) {
      return unusable("its host is not valid");
    }
    port = authority.substr(end + 1);
  } else {
    const std::size_t colon = authority.find(':');
    url.host = base::to_lower_ascii(authority.substr(0, colon));
    if (url.host.empty()) {
      return unusable("it has no host");
    }
    if (!is_name(url.host)) {
      return unusable("its host is not valid");
    }
    port = colon == std::string_view::npos ? std::string_view{} : authority.substr(colon);
  }
  url.port = url.tls ? kHttpsPort : kHttpPort;
  if (port.empty() || port == ":") {
    return {};
  }
  const std::optional<std::int64_t> number =
      port.front() == ':' ? base::parse_digits(port.substr(1)) : std::nullopt;
  if (!number || *number < 1 || *number > kMaxPort) {
    return unusable("its port is not a number from 1 to 65535");
  }
  url.port = static_cast<std::uint16_t>(*number);
  return {};
}

}  // namespace

bool Url::loopback() const {
  if (host == "localhost") {
    return true;
  }
  in_addr v4{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) {
    return (ntohl(v4.s_addr) >> 24U) == 127U;
  }
  in6_addr v6{};
  return inet_pton(AF_INET6, host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

std::string Url::origin() const {
  std::string text = tls ? "https://" : "http://";
  text += host.find(':') == std::string::npos ? host : "[" + host + "]";
  if (port != (tls ? kHttpsPort : kHttpPort)) {
    text += ":" + std::to_string(port);
  }
  return text;
}

base::Result<Url> parse_url(std::string_view text) {
  if (text.empty()) {
    return unusable("it is empty");
  }
  if (text.size() > kMaxUrl) {
    return unusable("it is longer than " + std::to_string(kMaxUrl) + " bytes");
  }
  if (std::any_of(text.begin(), text.end(), is_control_or_blank)) {
    return unusable("it holds a control character or a blank");
  }
  Url url;
  constexpr std::string_view kHttp = "http://";
  constexpr std::string_view kHttps = "https://";
  if (base::starts_with_ignoring_case(text, kHttps)) {
    url.tls = true;
    text.remove_prefix(kHttps.size());
  } else if (base::starts_with_ignoring_case(text, kHttp)) {
    text.remove_prefix(kHttp.size());
  } else {
    return unusable("it does not begin with http:// or https://");
  }
  if (text.find('?') != std::string_view::npos) {
    return unusable("it must not have a query");
  }
  if (text.find('#') != std::string_view::npos) {
    return unusable("it must not have a fragment");
  }
  if (text.find('\\') != std::string_view::npos) {
    return unusable("it holds a backslash");  // some programs read it as "/"
  }
  const std::size_t slash = text.find('/');
  if (base::Status read = read_authority(text.substr(0, slash), url); !read.ok()) {
    return read.error();
  }
  if (slash != std::string_view::npos) {
    url.path = base::without_trailing(text.substr(slash), '/');
  }
  if (std::any_of(url.path.begin(), url.path.end(),
                  [](char c) { return static_cast<unsigned char>(c) >= 0x80U; })) {
    return unusable("its path holds bytes that must be percent-encoded");
  }
  if (!percent_decode(url.path)) {
    return unusable("its path has a % without two hex digits");
  }
  return url;
}

base::Status check_transport(const Url& url) {
  if (url.tls || url.host == "127.0.0.1" || url.host == "localhost" || url.host == "::1") {
    return {};
  }
  return base::Error{
      base::Errc::refused,
      "The service must be reached over https. Only a loopback address may use http"};
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4U];
    out += kHex[byte & 0x0fU];
  }
  return out;
}

base::Result<std::string> percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const std::optional<unsigned> high =
        i + 2 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
    const std::optional<unsigned> low = i + 2 < text.size() ? hex_digit(text[i + 2]) : std::nullopt;
    if (!high || !low) {
      return unusable("a % without two hex digits");
    }
    out += static_cast<char>((*high << 4U) | *low);
    i += 2;
  }
  return out;
}

}  // namespace robot_council::net
