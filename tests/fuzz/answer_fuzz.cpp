// Answers of a service to a forwarded call: JSON, event streams, error bodies, pages of tools.
// Whatever comes in, one line of JSON goes out.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "base/json_scan.hpp"
#include "bridge/answer.hpp"
#include "bridge/limits.hpp"
#include "bridge/tools_list.hpp"
#include "bridge/upstream.hpp"

namespace rc = robot_council;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  rc::net::ClientResponse response;
  response.status = (data[0] & 1U) != 0 ? 200 : 404;
  response.headers.emplace_back("Content-Type",
                                (data[1] & 1U) != 0 ? "text/event-stream" : "application/json");
  response.body.assign(reinterpret_cast<const char*>(data) + 2,
                       size - 2);  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast): bytes
  const rc::bridge::Reply reply = rc::bridge::reply_to_request(response, "1");
  RC_CHECK(reply.line.find('\n') == std::string::npos);
  RC_CHECK(rc::base::validate_json(reply.line, rc::bridge::kMaxDepth).ok());
  static_cast<void>(rc::bridge::read_tool_page(reply.line));
  static_cast<void>(rc::bridge::reply_to_batch(response, {"1"}));
  static_cast<void>(rc::bridge::read_renewal(response.body));
  static_cast<void>(rc::bridge::read_instructions(response.body));
  static_cast<void>(rc::bridge::names_field(response.body, "platform"));
  return 0;
}
