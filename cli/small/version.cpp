#include "base/paths.hpp"
#include "cli/dispatch.hpp"
#include "cli/small/status.hpp"
#include "wiring/programs.hpp"

namespace robot_council::cli {

int run_version(const base::Context& context, const Args& args) {
  return wiring::version(context, {base::own_executable(), network_executable()},
                         args.has("--json") ? wiring::Shape::json : wiring::Shape::text,
                         print_answer);
}

}  // namespace robot_council::cli
