#include "cli/small/actions.hpp"

namespace robot_council::cli {

std::vector<Binding> small_bindings() { return {}; }

}  // namespace robot_council::cli
