#include "net/http_guard.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "net/http_syntax.hpp"
#include "net/limits.hpp"
#include "net/url.hpp"

namespace robot_council::net {
namespace {

constexpr std::array<std::string_view, 7> kMethods = {"GET",   "HEAD",   "POST",   "PUT",
                                                      "PATCH", "DELETE", "OPTIONS"};
constexpr std::string_view kLineEnd = "\r\n";

// The line up to CR LF, which is removed from `rest` with it.
std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find(kLineEnd);
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + kLineEnd.size());
  return line;
}

std::string_view trim_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// All values of a field, in order.
std::vector<std::string_view> values_of(const Headers& headers, std::string_view name) {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : headers) {
    if (base::equals_ignoring_case(key, name)) {
      values.emplace_back(value);
    }
  }
  return values;
}

bool holds(const std::vector<std::string>& allowed, std::string_view value) {
  const std::string lower = base::to_lower_ascii(value);
  return std::find(allowed.begin(), allowed.end(), lower) != allowed.end();
}

std::optional<std::string> decode_form(std::string_view text) {
  base::Result<std::string> decoded =
      percent_decode(base::replace_all(std::string(text), "+", " "));
  if (!decoded.ok()) {
    return std::nullopt;
  }
  return std::move(decoded).value();
}

std::optional<Refusal> read_query(std::string_view text, RequestHead& head) {
  while (!text.empty()) {
    const std::size_t end = text.find('&');
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (pair.empty()) {
      continue;
    }
    const std::size_t equals = pair.find('=');
    std::optional<std::string> name = decode_form(pair.substr(0, equals));
    std::optional<std::string> value = decode_form(
        equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1));
    if (!name || !value) {
      return Refusal{400, "bad percent-encoding in the query"};
    }
    head.query.emplace_back(std::move(*name), std::move(*value));
  }
  return std::nullopt;
}

std::optional<Refusal> read_target(std::string_view target, RequestHead& head) {
  if (target.size() > kMaxRequestTarget) {
    return Refusal{414, "target too long"};
  }
  // Origin form only: nobody sends the forms for proxies to a service, and they would carry a
  // second host.
  if (target.empty() || target.front() != '/') {
    return Refusal{400, "target must be a path"};
  }
  const bool printable =
      std::all_of(target.begin(), target.end(), [](char c) { return c > 0x20 && c < 0x7f; });
  if (!printable || target.find('#') != std::string_view::npos) {
    return Refusal{400, "bad byte in the target"};
  }
  head.target = target;
  const std::size_t question = target.find('?');
  base::Result<std::string> path = percent_decode(target.substr(0, question));
  if (!path.ok()) {
    return Refusal{400, "bad percent-encoding in the path"};
  }
  if (std::any_of(path->begin(), path->end(), is_control)) {
    return Refusal{400, "control byte in the path"};
  }
  head.path = std::move(path).value();
  return question == std::string_view::npos ? std::nullopt
                                            : read_query(target.substr(question + 1), head);
}

std::optional<Refusal> read_request_line(std::string_view line, RequestHead& head) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    return Refusal{400, "malformed request line"};
  }
  const std::string_view method = line.substr(0, first);
  const std::string_view version = line.substr(last + 1);
  if (!is_token(method) || !base::starts_with_ignoring_case(version, "HTTP/")) {
    return Refusal{400, "malformed request line"};
  }
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return Refusal{505, "only HTTP/1.1"};
  }
  if (std::find(kMethods.begin(), kMethods.end(), method) == kMethods.end()) {
    return Refusal{501, "unknown method"};
  }
  head.method = method;
  return read_target(line.substr(first + 1, last - first - 1), head);
}

std::optional<Refusal> read_fields(std::string_view rest, RequestHead& head) {
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (line.empty()) {
      return rest.empty() ? std::nullopt
                          : std::optional<Refusal>(Refusal{400, "empty line inside the head"});
    }
    if (head.headers.size() == kMaxRequestHeaders) {
      return Refusal{431, "too many headers"};
    }
    const std::size_t colon = line.find(':');
    // Also catches a folded line and a blank before the colon: both are read differently by
    // different programs.
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
      return Refusal{400, "malformed header"};
    }
    head.headers.emplace_back(line.substr(0, colon), trim_blanks(line.substr(colon + 1)));
  }
  return Refusal{400, "head without its end"};
}

std::optional<Refusal> check_sender(const RequestHead& head, const GuardRules& rules) {
  const std::vector<std::string_view> hosts = values_of(head.headers, "Host");
  if (hosts.size() != 1 || hosts.front().empty()) {
    return Refusal{400, "exactly one Host header is needed"};
  }
  if (!holds(rules.hosts, hosts.front())) {
    return Refusal{421, "this service does not answer for that host"};
  }
  for (const std::string_view origin : values_of(head.headers, "Origin")) {
    if (!holds(rules.origins, origin)) {
      return Refusal{403, "foreign origin"};
    }
  }
  return std::nullopt;
}

std::optional<Refusal> check_body(RequestHead& head, const GuardRules& rules) {
  if (!values_of(head.headers, "Transfer-Encoding").empty()) {
    return Refusal{501, "no transfer encodings"};
  }
  if (!values_of(head.headers, "Content-Encoding").empty()) {
    return Refusal{501, "no content encodings"};
  }
  const std::vector<std::string_view> lengths = values_of(head.headers, "Content-Length");
  if (lengths.size() > 1) {
    return Refusal{400, "more than one Content-Length"};
  }
  if (lengths.empty()) {
    const bool needs_length =
        head.method == "POST" || head.method == "PUT" || head.method == "PATCH";
    return needs_length ? std::optional<Refusal>(Refusal{411, "Content-Length is needed"})
                        : std::nullopt;
  }
  const std::string_view text = lengths.front();
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) {
    return Refusal{400, "Content-Length is no number"};
  }
  const std::optional<std::int64_t> length = base::parse_digits(text);
  if ((head.method == "GET" || head.method == "HEAD") && (!length || *length != 0)) {
    return Refusal{400, "no body with this method"};
  }
  if (!length || static_cast<std::uint64_t>(*length) > rules.max_body) {
    return Refusal{413, "body too large"};
  }
  head.content_length = static_cast<std::size_t>(*length);
  return std::nullopt;
}

std::optional<Refusal> check_expect(RequestHead& head) {
  const std::vector<std::string_view> expects = values_of(head.headers, "Expect");
  if (expects.empty()) {
    return std::nullopt;
  }
  if (expects.size() > 1 || !base::equals_ignoring_case(expects.front(), "100-continue")) {
    return Refusal{417, "unknown expectation"};
  }
  head.expects_continue = head.content_length > 0;
  return std::nullopt;
}

std::optional<std::string> as_address(std::string text) {
  in_addr v4{};
  in6_addr v6{};
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1 || inet_pton(AF_INET6, text.c_str(), &v6) == 1) {
    return text;
  }
  return std::nullopt;
}

}  // namespace

std::variant<std::optional<std::size_t>, Refusal> find_head_end(std::string_view bytes,
                                                                std::size_t from) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  const std::size_t limit = std::min(bytes.size(), kMaxRequestHead);
  for (std::size_t at = bytes.find('\n', from); at < limit; at = bytes.find('\n', at + 1)) {
    if (at == 0 || bytes[at - 1] != '\r') {
      return Refusal{400, "line feed without carriage return"};
    }
    if (at + 1 >= kEnd.size() && bytes.substr(at + 1 - kEnd.size(), kEnd.size()) == kEnd) {
      return at + 1;
    }
  }
  if (bytes.size() >= kMaxRequestHead) {
    return Refusal{431, "head too large"};
  }
  return std::nullopt;
}

std::variant<RequestHead, Refusal> guard_head(std::string_view head_bytes,
                                              const GuardRules& rules) {
  if (head_bytes.size() > kMaxRequestHead) {
    return Refusal{431, "head too large"};
  }
  std::string_view rest = head_bytes;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (std::any_of(line.begin(), line.end(), is_control)) {
      return Refusal{400, "control byte in the head"};
    }
  }
  rest = head_bytes;
  RequestHead head;
  std::optional<Refusal> refusal = read_request_line(take_line(rest), head);
  if (!refusal) {
    refusal = read_fields(rest, head);
  }
  if (!refusal) {
    refusal = check_sender(head, rules);
  }
  if (!refusal) {
    refusal = check_body(head, rules);
  }
  if (!refusal) {
    refusal = check_expect(head);
  }
  if (refusal) {
    return *refusal;
  }
  return head;
}

std::optional<std::string> forwarded_peer(const Headers& headers) {
  const std::vector<std::string_view> values = values_of(headers, "X-Forwarded-For");
  if (values.empty()) {
    return std::nullopt;
  }
  const std::string_view last = values.back();
  const std::size_t comma = last.rfind(',');
  std::string_view hop =
      trim_blanks(comma == std::string_view::npos ? last : last.substr(comma + 1));
  if (!hop.empty() && hop.front() == '[') {
    const std::size_t end = hop.find(']');
    return end == std::string_view::npos ? std::nullopt
                                         : as_address(std::string(hop.substr(1, end - 1)));
  }
  if (std::count(hop.begin(), hop.end(), ':') == 1) {
    hop = hop.substr(0, hop.find(':'));
  }
  return as_address(std::string(hop));
}

}  // namespace robot_council::net
