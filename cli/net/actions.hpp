#pragma once

#include <vector>

#include "cli/dispatch.hpp"

namespace robot_council::cli {

// The commands that the network executable runs. Each is in a file of its own name.
[[nodiscard]] std::vector<Binding> net_bindings();

}  // namespace robot_council::cli
