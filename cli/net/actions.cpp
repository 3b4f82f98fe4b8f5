#include "cli/net/actions.hpp"

#include "cli/net/account.hpp"
#include "cli/net/fleet.hpp"
#include "cli/net/mcp.hpp"
#include "cli/net/stops.hpp"

namespace robot_council::cli {

std::vector<Binding> net_bindings() {
  return {
      {"mcp", run_mcp},
      {"enroll", run_enroll},
      {"setup", run_setup},
      {"api", run_api},
      {"doctor", run_doctor},
      {"doctor-part", run_doctor_part},
      {"forget", run_forget},
      {"linked", run_linked},
      {"demo", run_demo},
      {"serve", run_serve},
      {"stops judge", run_stops_judge},
      {"fleet overview", run_fleet_overview},
      {"fleet approve", run_fleet_approve},
      {"fleet deny", run_fleet_deny},
      {"fleet role", run_fleet_role},
      {"fleet deny-role", run_fleet_deny_role},
      {"fleet revoke", run_fleet_revoke},
      {"fleet direct", run_fleet_direct},
      {"fleet feed", run_fleet_feed},
  };
}

}  // namespace robot_council::cli
