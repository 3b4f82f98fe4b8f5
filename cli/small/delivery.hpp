#pragma once

#include "base/context.hpp"
#include "cli/dispatch.hpp"

namespace robot_council::cli {

// The commands that hand events over; each in a file of its own name.
int run_pending(const base::Context& context, const Args& args);
int run_wait(const base::Context& context, const Args& args);
// Which stop hooks will run, and what keeps the others from it.
int run_hooks_scan(const base::Context& context, const Args& args);

}  // namespace robot_council::cli
