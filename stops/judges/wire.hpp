#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "net/http_client.hpp"
#include "stops/judge.hpp"

namespace robot_council::stops {

// The wire formats of the judges, without the network. Source: wiki/Stops-report.md, "Judges that
// send". All questions go in one request.

struct WireRequest {
  std::string path;      // behind the URL's own: "/v1/messages"
  net::Headers headers;  // with the key
  std::string body;      // JSON
};

// The request of a judge for which is_net_judge() holds.
[[nodiscard]] WireRequest wire_request(const JudgeSettings& settings, const Request& request);

// The body of a 200. malformed_response: no JSON, cut off, a refusal, an answer out of 0..1 or of
// another type, none of the questions answered; for all judges but systemone also a question
// without an answer.
[[nodiscard]] JudgeResult wire_reply(const JudgeSettings& settings, const Request& request,
                                     std::string_view bytes);

}  // namespace robot_council::stops
