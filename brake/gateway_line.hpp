#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robot_council::brake {

// One JSON-RPC message of a line of the client.
struct GatewayCall {
  std::optional<std::string> id;  // its bytes; nothing when there is none
  bool has_method = false;
  bool is_call = false;     // some `method` of it is tools/call
  bool bad_params = false;  // a call whose `params` is missing or no object
  std::string tool;         // params.name of a call
};

// What a line of the client is. Views nothing, so that it may outlive the line.
struct GatewayLine {
  enum class Kind : std::uint8_t { blank, broken, single, batch };
  Kind kind = Kind::broken;  // broken: no JSON, no UTF-8, or nested too deep
  std::vector<GatewayCall> messages;
  std::optional<std::string> client_name;  // clientInfo.name of an initialize

  [[nodiscard]] bool has_call() const;
  [[nodiscard]] bool has_bad_params() const;
};
[[nodiscard]] GatewayLine read_gateway_line(std::string_view line);

// The answer to a refused line, with its newline: an error for each request with an id, "" when
// nobody waits for one.
[[nodiscard]] std::string gateway_refusal(const GatewayLine& line, std::string_view text);
// -32700 with id null.
[[nodiscard]] std::string gateway_parse_error();

// Brake id of an MCP client by its clientInfo.name; "" for any other, who is in every scope.
[[nodiscard]] std::string_view gateway_caller(std::string_view client_name);

}  // namespace robot_council::brake
