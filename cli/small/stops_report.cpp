#include "cli/small/stops_report.hpp"

#include "cli/dispatch.hpp"
#include "cli/exit.hpp"
#include "stops/report_command.hpp"

namespace robot_council::cli {

int run_stops(const base::Context& context, const Args& args) {
  using Flags = stops::ReportFlags;
  Flags flags;
  flags.shape = args.has("--json") ? Flags::Shape::json : Flags::Shape::text;
  flags.with_text = args.has("--with-text") ? Flags::Text::yes : Flags::Text::no;
  flags.show_pattern = args.has("--show-pattern") ? Flags::Pattern::yes : Flags::Pattern::no;
  flags.html = args.value("--html");
  flags.since = args.value("--since");
  flags.until = args.value("--until");
  flags.session = args.value("--session");
  flags.log = args.value("--log");
  flags.projects = args.value("--projects");
  flags.policy = args.value("--policy");
  flags.list = args.value("--list");
  flags.by = args.value("--by");
  flags.max_gap = args.value("--max-gap");
  const auto answer = stops::run_report(flags, context);
  if (!answer) {
    context.log.error(answer.error().what);
    return static_cast<int>(Exit::failed);
  }
  return static_cast<int>(print(context, *answer) ? Exit::ok : Exit::failed);
}

}  // namespace robot_council::cli
