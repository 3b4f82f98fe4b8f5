#pragma once

#include <string_view>

#include "account/credentials.hpp"
#include "base/environment.hpp"

namespace robot_council::wiring::online {

// The caller's harness as the reading of credentials wants it: --harness ("" = not given), the
// variable, else detected.
[[nodiscard]] account::HarnessChoice choose_harness(std::string_view flag,
                                                    const base::Environment& environment);

}  // namespace robot_council::wiring::online
