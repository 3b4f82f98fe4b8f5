#include "cli/small/actions.hpp"

#include "cli/small/brake.hpp"
#include "cli/small/delivery.hpp"
#include "cli/small/generate.hpp"
#include "cli/small/status.hpp"
#include "cli/small/stops.hpp"
#include "cli/small/stops_report.hpp"

namespace robot_council::cli {

std::vector<Binding> small_bindings() {
  return {
      {"pending", run_pending},
      {"wait", run_wait},
      {"hooks scan", run_hooks_scan},
      {"status", run_status},
      {"stop", run_stop},
      {"resume", run_resume},
      {"brake-check", run_brake_check},
      {"brake wire", run_brake_wire},
      {"brake unwire", run_brake_unwire},
      {"brake git", run_brake_git},
      {"gateway", run_gateway},
      {"stops record", run_stops_record},
      {"unsetup", run_unsetup},
      {"stops", run_stops},
      {"version", run_version},
      {"completion", run_completion},
      {"generate", run_generate},
  };
}

}  // namespace robot_council::cli
