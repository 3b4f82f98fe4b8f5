#include "cli/net/actions.hpp"

#include "cli/net/account.hpp"

namespace robot_council::cli {

std::vector<Binding> net_bindings() {
  return {
      {"enroll", run_enroll},
      {"demo", run_demo},
  };
}

}  // namespace robot_council::cli
