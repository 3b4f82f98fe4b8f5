#pragma once

#include <vector>

#include "cli/dispatch.hpp"

namespace robot_council::cli {

// The commands that the small executable runs. Each is in a file of its own name.
[[nodiscard]] std::vector<Binding> small_bindings();

}  // namespace robot_council::cli
