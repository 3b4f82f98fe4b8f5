#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/context.hpp"
#include "brake/decision.hpp"

namespace robot_council::brake {

struct GatewayRequest {
  std::string repo = ".";
  std::vector<std::string> command;  // the MCP server and its arguments
  int client_in = 0;                 // descriptors of the client; not closed
  int client_out = 1;
};

// Runs one stdio MCP server and passes JSON lines both ways byte for byte; refuses the client's
// tools/call while a stop is on for `repo` (as it was at the start; gone: refused) or everywhere,
// decided anew for each. Returns the server's exit code, 128 + n when a signal ended it; 1 when it
// cannot be started, 2 when repo is no directory. INT, TERM and HUP are passed on to the server's
// process group. Threads: two; call it once.
[[nodiscard]] int run_gateway(const base::Context& context, const GatewayRequest& request,
                              const std::function<std::vector<std::string>()>& homes);

}  // namespace robot_council::brake
