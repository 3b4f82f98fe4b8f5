#include "wiring/online/demo.hpp"

#include "cli/dispatch.hpp"
#include "cli/net/account.hpp"

namespace robot_council::cli {

int run_demo(const base::Context& context, const Args& args) {
  wiring::online::DemoOptions options;
  options.program = small_executable();
  options.script = args.value("--script").value_or("");
  return wiring::online::demo(context, options);
}

}  // namespace robot_council::cli
