#include "cli/net/stops.hpp"

#include <unistd.h>

#include "base/fd.hpp"
#include "cli/dispatch.hpp"
#include "cli/exit.hpp"
#include "stops/judges/ask.hpp"
#include "stops/judges/limits.hpp"

namespace robot_council::cli {

int run_stops_judge(const base::Context& context, const Args& /*args*/) {
  const auto request = base::read_all(STDIN_FILENO, stops::kMaxJudgeRequestBytes,
                                      base::deadline_in(stops::kReadRequestTime));
  if (!request) {
    context.log.error("cannot read the request on stdin: " + request.error().what +
                      "; this command is started by stops record");
    return static_cast<int>(Exit::failed);
  }
  const bool printed = print(context, stops::answer_pipe(*request, context.clock));
  return static_cast<int>(printed ? Exit::ok : Exit::failed);
}

}  // namespace robot_council::cli
