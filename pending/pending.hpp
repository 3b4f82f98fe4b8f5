#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/context.hpp"
#include "base/result.hpp"
#include "pending/engine.hpp"

namespace robot_council::pending {

// `robot-council pending` without --hook. Source: delivery contract, section 4.

struct PendingOptions {
  std::string service;  // "" = not given, as for each option
  std::string project;
  std::string harness;
  std::string format;
  bool peek = false;
  bool json = false;
  bool hook = false;
  std::optional<std::size_t> history;  // newest rows
};

// Exit codes of this command; never 2, which harnesses read as "go on".
inline constexpr int kExitOk = 0;
inline constexpr int kExitMisconfigured = 1;
inline constexpr int kExitSink = 3;

// Reads the arguments after the command's name. Errors: the one line of exit 1.
[[nodiscard]] base::Result<PendingOptions> parse_options(const std::vector<std::string>& arguments);

// Runs it: answer on `stdout_fd`, one line at most on the context's log. `options.hook` must be false (the stop hook has
// its own function). Returns the exit code.
int run(const PendingOptions& options, const base::Context& context, int stdout_fd);

}  // namespace robot_council::pending
