#pragma once

#include "base/context.hpp"
#include "cli/parse.hpp"

namespace robot_council::cli {

int run_stops(const base::Context& context, const Args& args);

}  // namespace robot_council::cli
