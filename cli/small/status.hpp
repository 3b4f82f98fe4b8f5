#pragma once

#include "base/context.hpp"
#include "cli/parse.hpp"

namespace robot_council::cli {

int run_status(const base::Context& context, const Args& args);
int run_unsetup(const base::Context& context, const Args& args);

}  // namespace robot_council::cli
