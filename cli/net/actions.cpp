#include "cli/net/actions.hpp"

namespace robot_council::cli {

std::vector<Binding> net_bindings() { return {}; }

}  // namespace robot_council::cli
