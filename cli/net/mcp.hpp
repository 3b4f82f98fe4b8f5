#pragma once

#include "base/context.hpp"
#include "cli/parse.hpp"

namespace robot_council::cli {

// The bridge, for as long as its harness wants it.
int run_mcp(const base::Context& context, const Args& args);

}  // namespace robot_council::cli
