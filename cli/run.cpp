#include "cli/run.hpp"

#include <exception>
#include <string>

#include "base/context.hpp"
#include "base/signals.hpp"
#include "cli/exit.hpp"

namespace robot_council::cli {

int run_program(int argc, char** argv, Where self, std::vector<Binding> (*bindings)()) noexcept {
  base::ignore_sigpipe();
  base::StderrLog log;
  try {
    const base::SystemClock clock;
    const base::ProcessEnvironment environment;
    const base::Context context{clock, environment, log};
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    return dispatch(context, self, bindings(), words);
  } catch (const std::exception& failure) {
    log.error(std::string("stopped by an unexpected failure: ") + failure.what());
  }
  return static_cast<int>(Exit::failed);
}

}  // namespace robot_council::cli
