#include "wiring/unsetup.hpp"

#include <unistd.h>

#include <thread>

#include "base/fd.hpp"
#include "base/files.hpp"
#include "cli/ask.hpp"
#include "cli/exit.hpp"
#include "cli/small/status.hpp"
#include "wiring/limits.hpp"

namespace robot_council::cli {
namespace {

base::Status print_steps(std::string_view text) {
  constexpr base::Milliseconds kPrintTime{30000};
  return base::write_all(STDOUT_FILENO, text, base::deadline_in(kPrintTime));
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
  bool interrupted = false;
  wiring::UnsetupIo io;
  io.out = print_steps;
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
