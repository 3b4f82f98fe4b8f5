#include "pending/pending.hpp"

#include <unistd.h>

#include <string>

#include "base/text.hpp"
#include "cli/small/delivery.hpp"
#include "pending/limits.hpp"
#include "sink/one_shot.hpp"
#include "stop-hook/hook.hpp"

namespace robot_council::cli {

namespace {

// `--history`, `--history 5`. False: a line was said.
bool read_history(const base::Context& context, const Args& args,
                  pending::PendingOptions& options) {
  const bool asked = args.has("--history");
  if (asked) {
    options.history = pending::kDefaultHistory;
  }
  if (args.positionals().empty()) {
    return true;
  }
  const auto count = asked ? base::parse_digits(args.positionals().front()) : std::nullopt;
  if (!count) {
    context.log.error(asked ? "--history takes a number of rows."
                            : "A number goes with --history.");
    return false;
  }
  options.history = static_cast<std::size_t>(*count);
  return true;
}

}  // namespace

int run_pending(const base::Context& context, const Args& args) {
  sink::prepare_one_shot();
  pending::PendingOptions options;
  options.service = args.value("--service").value_or("");
  options.harness = args.value("--harness").value_or("");
  options.project = args.value("--project").value_or("");
  options.format = args.value("--format").value_or("");
  options.peek = args.has("--peek");
  options.json = args.has("--json");
  options.hook = args.has("--hook");
  if (!read_history(context, args, options)) {
    return pending::kExitMisconfigured;
  }
  if (!options.hook) {
    return pending::run(options, context, STDOUT_FILENO);
  }
  if (const base::Status good = pending::check_options(options); !good) {
    context.log.error(good.error().what);
    return pending::kExitMisconfigured;
  }
  stop_hook::HookOptions hook;
  hook.names.service = options.service;
  hook.names.harness = options.harness;
  hook.names.project = options.project;
  return stop_hook::run_hook(hook, context, STDIN_FILENO, STDOUT_FILENO);
}

}  // namespace robot_council::cli
