#pragma once

#include <string>
#include <vector>

#include "base/context.hpp"
#include "wiring/online/doctor_check.hpp"

namespace robot_council::wiring::online {

// What the brake's own doctor says about the checkout of `folder`, as checks. Clients that are not
// wired to the brake and need nothing are one line together; without any that is, its hook command
// and git hooks are nothing that could fail.
[[nodiscard]] std::vector<Check> check_brake(const base::Context& context,
                                             const std::string& folder);

}  // namespace robot_council::wiring::online
