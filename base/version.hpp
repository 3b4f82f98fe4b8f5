#pragma once

#include <string_view>

namespace robot_council::base {

// "v1.2.3" in a release build, else "unreleased" (account contract, section 1).
[[nodiscard]] std::string_view version();

}  // namespace robot_council::base
