#pragma once

#include "cli/dispatch.hpp"

namespace robot_council::cli {

// `completion SHELL`: the completion script on stdout.
int run_completion(const base::Context& context, const Args& args);
// `generate FOLDER`: manual pages and completions into a share folder; the build calls it.
int run_generate(const base::Context& context, const Args& args);

}  // namespace robot_council::cli
