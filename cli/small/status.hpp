#pragma once

#include <string_view>

#include "base/context.hpp"
#include "base/result.hpp"
#include "cli/parse.hpp"

namespace robot_council::cli {

// The whole text on stdout, or an error.
[[nodiscard]] base::Status print_answer(std::string_view text);
int run_status(const base::Context& context, const Args& args);
int run_version(const base::Context& context, const Args& args);
int run_unsetup(const base::Context& context, const Args& args);

}  // namespace robot_council::cli
