#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/context.hpp"
#include "base/result.hpp"

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
  std::optional<std::size_t> history;  // newest rows to show
};

// Exit codes of this command; never 2, which harnesses read as "go on".
inline constexpr int kExitOk = 0;
inline constexpr int kExitMisconfigured = 1;
inline constexpr int kExitSink = 3;

// Options that exclude each other, and the format. Touches nothing. Error: the one line of exit 1.
[[nodiscard]] base::Status check_options(const PendingOptions& options);

// Runs it: the answer on `stdout_fd`, at most one line on the context's log. Returns the exit code.
// `options.hook` belongs to the stop hook, which calls check_options() and then its own. SIGPIPE
// must be ignored.
int run(const PendingOptions& options, const base::Context& context, int stdout_fd);

}  // namespace robot_council::pending
