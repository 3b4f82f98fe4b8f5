#pragma once

#include <optional>
#include <string>

namespace robot_council::base {

// A unified diff (one hunk, three lines around) that `patch` takes; "" when both are equal. Nothing
// = no file.
[[nodiscard]] std::string unified_diff(const std::string& path,
                                       const std::optional<std::string>& before,
                                       const std::optional<std::string>& after);

}  // namespace robot_council::base
