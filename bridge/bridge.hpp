#pragma once

#include <optional>
#include <string>

#include "base/context.hpp"
#include "base/signals.hpp"
#include "bridge/limits.hpp"

namespace robot_council::bridge {

// What the command line of `robot-council mcp` said; "" = not given.
struct BridgeOptions {
  std::string service;
  std::string project;
  std::string repository;
  std::string work_location;
  std::string harness;
  bool auto_join = false;
  std::string role;                      // one of the three
  std::string capacity;                  // as given
  std::optional<std::string> keep_warm;  // "" = given without a value
  std::optional<std::string> keep_warm_for;
  Timings timings;
};

// Where the harness is. Descriptors are not owned.
struct BridgeIo {
  int in = 0;
  int out = 1;
  // Readable when the bridge is to end (SIGTERM, SIGINT, SIGHUP).
  int stop = -1;
};

// Runs the bridge in the working directory until its harness ends it. 0, or 1: no service,
// Content-Length framing, uncaught error. SIGPIPE must be ignored. Starts threads; all have ended
// on return.
[[nodiscard]] int run_bridge(const base::Context& context, const BridgeOptions& options,
                             const BridgeIo& io);

}  // namespace robot_council::bridge
