#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "net/http_client.hpp"

namespace robot_council::bridge {

// What the harness gets for one request it sent, and what the operator reads.
struct Reply {
  std::string line;      // a whole JSON-RPC message without a newline
  std::string said;      // for stderr, empty: nothing
  bool success = false;  // a result, not an error
};

// A person's sentence for a call that got no answer: "the connection was refused" and the like,
// without a final stop.
[[nodiscard]] std::string transport_text(const base::Error& error);

// Turns the service's answer to a forwarded request into the one line for the harness (bridge
// contract, 4.6). 401 and the waits of 429 and 503 are the caller's. `id`: the request's id bytes.
// Pure.
[[nodiscard]] Reply reply_to_request(const base::Result<net::ClientResponse>& answer,
                                     std::string_view id);

// The same for a batch: the array relayed, or one error line per request id. Nothing when no line
// is due.
struct BatchReply {
  std::vector<std::string> lines;
  std::string said;
};
[[nodiscard]] BatchReply reply_to_batch(const base::Result<net::ClientResponse>& answer,
                                        const std::vector<std::string>& ids);

// The whole body with CR and LF as blanks; everything else byte for byte.
[[nodiscard]] std::string on_one_line(std::string_view json);

// Seconds of a Retry-After header (a number or an HTTP date), negative as 0; nothing if there is
// none or it cannot be read.
[[nodiscard]] std::optional<std::int64_t> retry_after_s(const net::ClientResponse& response,
                                                        std::int64_t wall_ms);

// The body's `message` when it is a string of 1 to 200 characters, control characters replaced;
// else empty.
[[nodiscard]] std::string service_message(std::string_view body);

}  // namespace robot_council::bridge
