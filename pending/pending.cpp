#include "pending/pending.hpp"

#include "base/files.hpp"
#include "brake/decision.hpp"
#include "harness/answer.hpp"
#include "pending/engine.hpp"
#include "pending/limits.hpp"
#include "pending/names.hpp"
#include "pending/print.hpp"
#include "pending/render.hpp"
#include "pending/show.hpp"
#include "sink/seat.hpp"

namespace robot_council::pending {
namespace {

base::Error wrong(const char* line) {
  return {base::Errc::invalid, line};
}

int say(const base::Context& context, const base::Error& error, int code) {
  context.log.error(error.what);
  return code;
}

int show(const base::Result<std::string>& text, const base::Context& context, int stdout_fd) {
  if (!text) {
    return say(context, text.error(), kExitSink);
  }
  std::size_t written = 0;
  const base::Status shown = print_all(stdout_fd, *text, base::deadline_in(kWriteWait), &written);
  // A person who closed the pager after some lines has seen enough; a full disk or a closed stdout
  // shows nothing.
  if (!shown && written == 0) {
    context.log.error("cannot write the answer to stdout: " + shown.error().what);
    return kExitMisconfigured;
  }
  return kExitOk;
}

bool brake_is_on(const sink::Seat& seat, const base::Environment& environment) {
  return brake::decide_for_seat(environment, seat.names.harness,
                                {seat.folder, base::working_directory().value_or(std::string())})
      .refused();
}

int keep_everything(const Request& request, const base::Context& context) {
  auto kept = confirm_only(request, context);
  context.log.warning(kept ? "stopped; " + std::to_string(*kept) + " events kept"
                           : "stopped; events kept. " + kept.error().what);
  return kExitOk;
}

}  // namespace

base::Status check_options(const PendingOptions& options) {
  if (options.hook &&
      (options.peek || options.json || options.history || !options.format.empty())) {
    return wrong("--hook goes alone.");
  }
  if (options.json && !options.peek) {
    return wrong("--json goes with --peek.");
  }
  if (options.history && (options.peek || !options.format.empty())) {
    return wrong("--history goes alone.");
  }
  if (!options.format.empty() && !harness::parse_answer_shape(options.format)) {
    return wrong("--format takes block or cursor, or deny.");
  }
  return {};
}

int run(const PendingOptions& options, const base::Context& context, int stdout_fd) {
  // The format is looked at last of these, so that its line does not hide that the fleet is not
  // named.
  PendingOptions without_format = options;
  without_format.format.clear();
  if (auto good = check_options(without_format); !good) {
    return say(context, good.error(), kExitMisconfigured);
  }
  NameOptions given;
  given.service = options.service;
  given.harness = options.harness;
  given.project = options.project;
  auto names = seat_names(given, context.environment);
  if (!names) {
    return say(context, names.error(), kExitMisconfigured);
  }
  if (auto good = check_options(options); !good) {
    return say(context, good.error(), kExitMisconfigured);
  }
  auto seat = sink::resolve_seat(*names, sink::hook_folder(context.environment, names->harness),
                                 context.environment);
  if (!seat) {
    return say(context, seat.error(), kExitSink);
  }
  if (options.history) {
    return show(history_lines(seat->files, *options.history), context, stdout_fd);
  }
  if (options.peek) {
    return show(options.json ? peek_json(seat->files) : peek_lines(seat->files), context,
                stdout_fd);
  }
  Request request;
  request.files = seat->files;
  request.harness = names->harness;
  request.output = stdout_fd;
  request.budget = budget_of(names->harness);
  if (const auto shape = harness::parse_answer_shape(options.format)) {
    request.shape = shape_of(*shape);
  }
  if (brake_is_on(*seat, context.environment)) {
    return keep_everything(request, context);
  }
  auto outcome = deliver(request, context);
  return outcome ? kExitOk : say(context, outcome.error(), kExitSink);
}

}  // namespace robot_council::pending
