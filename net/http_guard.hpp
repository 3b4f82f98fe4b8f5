#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "net/http_client.hpp"

namespace robot_council::net {

// What the guard holds a head against. All lower case.
struct GuardRules {
  std::vector<std::string> hosts;    // whole Host values, port included: "127.0.0.1:8787"
  std::vector<std::string> origins;  // whole Origin values: "http://127.0.0.1:8787"
  std::size_t max_body = 0;          // bytes
};

// A head that passed: every byte of it is printable, its length is known, nothing in it is
// ambiguous.
struct RequestHead {
  std::string method;
  std::string target;                                      // as sent
  std::string path;                                        // decoded, without query
  std::vector<std::pair<std::string, std::string>> query;  // decoded ("+" is a blank), in order
  Headers headers;  // as sent, blanks around the values removed, never percent-decoded
  std::size_t content_length = 0;
  bool expects_continue = false;
};

// Why a request is not served. `why` is a fixed text.
struct Refusal {
  int status = 400;
  std::string_view why;
};

// Where the head at the beginning of `bytes` ends (behind its empty line); nothing: more must come.
// A refusal as soon as it is certain: 431 over kMaxRequestHead, 400 for a line feed without
// carriage return. `from`: bytes looked at before.
[[nodiscard]] std::variant<std::optional<std::size_t>, Refusal> find_head_end(
    std::string_view bytes, std::size_t from);

// The head of one HTTP/1.x request, its empty line included. Pure; service contract 8.2:
// 431 over kMaxRequestHeaders fields or kMaxRequestHead bytes; 400 a control byte, a malformed
// line, name or target, no Host or two; 421 a foreign Host; 403 a foreign Origin, also "null"; 501
// Transfer-Encoding, Content-Encoding, unknown methods; 400 two Content-Length, one that is no
// number, a body on GET or HEAD; 411 none on POST, PUT, PATCH; 413 over max_body; 414 a target over
// kMaxRequestTarget; 417 an unknown Expect; 505 another version.
[[nodiscard]] std::variant<RequestHead, Refusal> guard_head(std::string_view head,
                                                            const GuardRules& rules);

// The address of the peer behind a proxy: the last hop of the last X-Forwarded-For, without port
// and brackets. Nothing: no such header, or no IP address there.
[[nodiscard]] std::optional<std::string> forwarded_peer(const Headers& headers);

}  // namespace robot_council::net
