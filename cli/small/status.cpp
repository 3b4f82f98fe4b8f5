#include "wiring/status.hpp"

#include <unistd.h>

#include "base/fd.hpp"
#include "base/files.hpp"
#include "cli/small/status.hpp"
#include "harness/names.hpp"
#include "sink/seat.hpp"

namespace robot_council::cli {

base::Status print_answer(std::string_view text) {
  constexpr base::Milliseconds kPrintTime{30000};
  return base::write_all(STDOUT_FILENO, text, base::deadline_in(kPrintTime));
}

int run_status(const base::Context& context, const Args& args) {
  wiring::SeatQuery query;
  query.service = args.value("--service").value_or("");
  query.harness = args.value("--harness").value_or("");
  query.project = args.value("--project").value_or("");
  // The folder in which an agent's own `pending` would look.
  query.folder = sink::hook_folder(context.environment,
                                   harness::resolved_harness(query.harness, context.environment));
  const auto shape = args.has("--json") ? wiring::Shape::json : wiring::Shape::text;
  return wiring::status(context, query, shape, print_answer);
}

}  // namespace robot_council::cli
