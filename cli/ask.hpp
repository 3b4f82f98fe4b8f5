#pragma once

#include "base/context.hpp"
#include "cli/parse.hpp"

namespace robot_council::cli {

// Whether setup or unsetup may go on: --yes, --dry-run, or a terminal on which a person can be
// asked. False after a line on stderr: a usage error.
[[nodiscard]] bool may_write(const base::Context& context, const Args& args);

enum class Said : unsigned char { yes, no, interrupted };
// Asks at the controlling terminal; only y or yes is yes.
[[nodiscard]] Said ask_to_write();

}  // namespace robot_council::cli
