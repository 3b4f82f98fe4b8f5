#include "cli/net/mcp.hpp"

#include <unistd.h>

#include <csignal>

#include "base/os.hpp"
#include "base/signals.hpp"
#include "bridge/bridge.hpp"
#include "cli/exit.hpp"

namespace robot_council::cli {

int run_mcp(const base::Context& context, const Args& args) {
  base::os::give_memory_back_early();
  base::Result<base::SignalReader> signals = base::SignalReader::open({SIGTERM, SIGINT, SIGHUP});
  if (!signals) {
    context.log.error(signals.error().what);
    return static_cast<int>(Exit::failed);
  }
  bridge::BridgeOptions options;
  options.service = args.value("--service").value_or("");
  options.project = args.value("--project").value_or("");
  options.repository = args.value("--repository").value_or("");
  options.work_location = args.value("--work-location").value_or("");
  options.harness = args.value("--harness").value_or("");
  options.auto_join = args.has("--auto-join");
  options.role = args.value("--role").value_or("");
  options.capacity = args.value("--capacity").value_or("");
  if (args.has("--keep-warm")) {
    options.keep_warm = args.value("--keep-warm").value_or("");
  }
  options.keep_warm_for = args.value("--keep-warm-for");
  bridge::BridgeIo io;
  io.in = STDIN_FILENO;
  io.out = STDOUT_FILENO;
  io.stop = signals->fd();
  return bridge::run_bridge(context, options, io);
}

}  // namespace robot_council::cli
