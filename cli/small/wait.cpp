#include "stop-hook/wait.hpp"

#include <unistd.h>

#include <cstdint>
#include <string>

#include "base/text.hpp"
#include "cli/exit.hpp"
#include "cli/small/delivery.hpp"
#include "stop-hook/wait_hook.hpp"

namespace robot_council::cli {

namespace {

constexpr std::int64_t kLongestSeconds =
    366L * 24 * 3600;  // a year; keeps the arithmetic of deadlines in range

}  // namespace

int run_wait(const base::Context& context, const Args& args) {
  pending::NameOptions names;
  names.service = args.value("--service").value_or("");
  names.harness = args.value("--harness").value_or("");
  names.project = args.value("--project").value_or("");
  const std::optional<std::string> timeout = args.value("--timeout");
  if (args.has("--hook")) {
    // Whatever is said here may reach a model: nothing is, but what waits.
    stop_hook::WaitHookOptions hook;
    hook.names = names;
    return stop_hook::run_wait_hook(hook, context, STDIN_FILENO, STDERR_FILENO);
  }
  stop_hook::WaitOptions options;
  options.names = names;
  if (timeout) {
    const std::optional<std::int64_t> seconds = base::parse_digits(*timeout);
    if (!seconds || *seconds > kLongestSeconds) {
      context.log.error("--timeout takes a number of seconds.");
      return static_cast<int>(Exit::failed);
    }
    options.timeout = std::chrono::seconds(*seconds);
  }
  return stop_hook::run_wait(options, context);
}

}  // namespace robot_council::cli
