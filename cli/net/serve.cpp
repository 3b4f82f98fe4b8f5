#include "fleet/serve.hpp"

#include "cli/dispatch.hpp"
#include "cli/exit.hpp"
#include "cli/net/fleet.hpp"

namespace robot_council::cli {

int run_serve(const base::Context& context, const Args& args) {
  fleet::ServeWords words;
  words.listen = args.value("--listen").value_or("");
  words.data = args.value("--data").value_or("");
  words.store = args.value("--store").value_or("");
  words.login = args.value("--login").value_or("");
  words.tasks_at_once = args.value("--tasks-at-once").value_or("");
  words.public_url = args.value("--public-url").value_or("");
  words.max_held = args.value("--max-held").value_or("");
  words.keep_events = args.value("--keep-events").value_or("");
  words.keep_tasks = args.value("--keep-tasks").value_or("");
  words.keep_locks = args.value("--keep-locks").value_or("");
  words.keep_sessions = args.value("--keep-sessions").value_or("");
  words.rate_limits = args.values("--rate-limit");
  words.auto_approve = args.has("--auto-approve");
  words.no_rate_limit = args.has("--no-rate-limit");
  words.behind_proxy = args.has("--behind-proxy");
  const auto options = fleet::read_serve_options(words, context.environment);
  if (!options) {
    context.log.error(options.error().what);
    return static_cast<int>(options.error().code == base::Errc::invalid ? Exit::usage
                                                                        : Exit::failed);
  }
  const base::Status served = fleet::serve(*options, context, [&context](const std::string& line) {
    return print(context, line + "\n");
  });
  if (!served) {
    context.log.error(served.error().what);
    return static_cast<int>(Exit::failed);
  }
  return static_cast<int>(Exit::ok);
}

}  // namespace robot_council::cli
