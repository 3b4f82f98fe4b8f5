#include "brake/stop.hpp"

#include "brake/homes.hpp"
#include "cli/dispatch.hpp"
#include "cli/exit.hpp"
#include "cli/small/brake.hpp"

namespace robot_council::cli {

int finish(const base::Context& context, const brake::Outcome& outcome) {
  const bool printed = outcome.out.empty() || print(context, outcome.out);
  switch (outcome.ended) {
    case brake::Ended::ok:
      return static_cast<int>(printed ? Exit::ok : Exit::failed);
    case brake::Ended::usage:
      return static_cast<int>(Exit::usage);
    case brake::Ended::interrupted:
      return static_cast<int>(Exit::interrupted);
    case brake::Ended::failed:
      break;
  }
  return static_cast<int>(Exit::failed);
}

int run_stop(const base::Context& context, const Args& args) {
  brake::StopRequest request;
  request.repo = args.value("--repo").value_or(".");
  request.agent = args.value("--agent");
  request.reason = args.value("--reason");
  request.everywhere = args.has("--everywhere");
  return finish(
      context,
      brake::stop({context, brake::find_homes(context.environment), std::nullopt}, request));
}

}  // namespace robot_council::cli
