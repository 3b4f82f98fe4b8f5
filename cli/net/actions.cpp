#include "cli/net/actions.hpp"

#include "cli/net/account.hpp"
#include "cli/net/fleet.hpp"
#include "cli/net/mcp.hpp"

namespace robot_council::cli {

std::vector<Binding> net_bindings() {
  return {
      {"mcp", run_mcp},
      {"enroll", run_enroll},
      {"api", run_api},
      {"demo", run_demo},
      {"serve", run_serve},
  };
}

}  // namespace robot_council::cli
