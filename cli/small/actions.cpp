#include "cli/small/actions.hpp"

#include "cli/small/brake.hpp"
#include "cli/small/delivery.hpp"

namespace robot_council::cli {

std::vector<Binding> small_bindings() {
  return {
      {"pending", run_pending},
      {"wait", run_wait},
      {"stop", run_stop},
      {"resume", run_resume},
      {"brake-check", run_brake_check},
  };
}

}  // namespace robot_council::cli
