#pragma once

#include "base/context.hpp"
#include "cli/parse.hpp"

namespace robot_council::cli {

// The commands about a person's account and the proof of a machine; each in a file of its own name.
int run_enroll(const base::Context& context, const Args& args);
int run_setup(const base::Context& context, const Args& args);
int run_api(const base::Context& context, const Args& args);
int run_linked(const base::Context& context, const Args& args);
int run_forget(const base::Context& context, const Args& args);
int run_doctor(const base::Context& context, const Args& args);
int run_doctor_part(const base::Context& context, const Args& args);
int run_demo(const base::Context& context, const Args& args);

}  // namespace robot_council::cli
