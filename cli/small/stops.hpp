#pragma once

#include "base/context.hpp"
#include "cli/parse.hpp"

namespace robot_council::cli {

// The record of turn ends; each in a file of its own name.
int run_stops_record(const base::Context& context, const Args& args);

}  // namespace robot_council::cli
