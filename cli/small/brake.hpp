#pragma once

#include "base/context.hpp"
#include "brake/person.hpp"
#include "cli/parse.hpp"

namespace robot_council::cli {

// The brake's commands; each in a file of its own name.
int run_stop(const base::Context& context, const Args& args);
int run_resume(const base::Context& context, const Args& args);
int run_brake_check(const base::Context& context, const Args& args);
int run_brake_wire(const base::Context& context, const Args& args);
int run_brake_unwire(const base::Context& context, const Args& args);
int run_brake_git(const base::Context& context, const Args& args);
int run_gateway(const base::Context& context, const Args& args);

// Prints an outcome; its exit code.
int finish(const base::Context& context, const brake::Outcome& outcome);

}  // namespace robot_council::cli
