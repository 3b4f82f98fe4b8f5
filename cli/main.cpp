// The small executable: what people and hooks call.

#include <exception>
#include <string>
#include <vector>

#include "base/context.hpp"
#include "base/signals.hpp"
#include "cli/dispatch.hpp"
#include "cli/exit.hpp"
#include "cli/small/actions.hpp"

int main(int argc, char** argv) {
  namespace rc = robot_council;
  rc::base::ignore_sigpipe();
  rc::base::StderrLog log;
  try {
    const rc::base::SystemClock clock;
    const rc::base::ProcessEnvironment environment;
    const rc::base::Context context{clock, environment, log};
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    return rc::cli::dispatch(context, rc::cli::Where::here, rc::cli::small_bindings(), words);
  } catch (const std::exception& failure) {
    log.error(std::string("stopped by an unexpected failure: ") + failure.what());
  }
  return static_cast<int>(rc::cli::Exit::failed);
}
