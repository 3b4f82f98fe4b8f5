#include "wiring/unsetup.hpp"

#include <thread>

#include "base/child.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "cli/ask.hpp"
#include "cli/dispatch.hpp"
#include "cli/exit.hpp"
#include "cli/small/status.hpp"
#include "sink/seat_key.hpp"
#include "wiring/limits.hpp"

namespace robot_council::cli {
namespace {

// The stores of credentials live in the network executable; this one links none of them.
base::Result<std::string> forget_credential(const base::Context& context,
                                            const std::string& service,
                                            const std::string& harness) {
  base::ChildOptions child;
  child.argv = {network_executable(), "forget", "--service=" + service, "--harness=" + harness};
  child.environment = context.environment.all();
  child.standard_err = base::Stdio::pipe;
  const auto ran = base::run_child(std::move(child), {}, base::deadline_in(wiring::kForgetTime));
  if (!ran) {
    return base::Error{ran.error().code, "cannot run " + network_executable() + ": " +
                                             ran.error().what + "; reinstall robot-council"};
  }
  if (!ran->status.success()) {
    return base::Error{base::Errc::io, base::for_display(ran->err)};
  }
  return base::without_trailing(ran->out, '\n');
}

}  // namespace

int run_unsetup(const base::Context& context, const Args& args) {
  if (!may_write(context, args)) {
    return static_cast<int>(Exit::usage);
  }
  wiring::UnsetupOptions options;
  options.harness = args.positionals().front();
  if (const auto scope = args.value("--scope")) {
    options.scope = *scope == "project" ? wiring::Scope::project : wiring::Scope::user;
  }
  options.folder = base::working_directory().value_or("");
  options.dry = args.has("--dry-run") ? wiring::DryRun::yes : wiring::DryRun::no;
  options.local = args.has("--local");
  options.forget = args.has("--forget");
  options.service = sink::service_from("", context.environment);
  bool interrupted = false;
  wiring::UnsetupIo io;
  io.out = print_answer;
  io.forget = [&](const std::string& service) {
    return forget_credential(context, service, options.harness);
  };
  io.pause = [](base::Milliseconds time) { std::this_thread::sleep_for(time); };
  io.confirmed = [&] {
    if (args.has("--yes")) {
      return true;
    }
    wiring::UnsetupOptions look = options;
    look.dry = wiring::DryRun::yes;
    const Said said =
        wiring::unsetup(context, look, io) == wiring::kExitOk ? ask_to_write() : Said::no;
    interrupted = said == Said::interrupted;
    return said == Said::yes;
  };
  const int code = wiring::unsetup(context, options, io);
  return interrupted ? static_cast<int>(Exit::interrupted) : code;
}

}  // namespace robot_council::cli
