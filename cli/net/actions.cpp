#include "cli/net/actions.hpp"

#include "cli/net/account.hpp"
#include "cli/net/fleet.hpp"

namespace robot_council::cli {

std::vector<Binding> net_bindings() {
  return {
      {"enroll", run_enroll},
      {"demo", run_demo},
      {"serve", run_serve},
  };
}

}  // namespace robot_council::cli
