#pragma once

#include <optional>

#include "base/clock.hpp"
#include "base/context.hpp"
#include "pending/names.hpp"

namespace robot_council::stop_hook {

// `robot-council wait` for people and scripts. Source: wake contract, section 2.
struct WaitOptions {
  pending::NameOptions names;
  std::optional<base::Milliseconds> timeout;  // nothing: until something waits, or a signal
};

// Ends when at least one entry waits in this seat's sink. Prints nothing on stdout, changes no
// byte. Result  0 something waits, also at once; 1 the time is over, or no service or harness; 3
// the sink cannot be read;
//         130 SIGINT, SIGTERM or SIGHUP came.
int run_wait(const WaitOptions& options, const base::Context& context);

}  // namespace robot_council::stop_hook
