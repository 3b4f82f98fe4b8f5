#include "wiring/online/setup.hpp"

#include <algorithm>

#include "account/enroll.hpp"
#include "base/files.hpp"
#include "brake/person.hpp"
#include "brake/repository.hpp"
#include "cli/ask.hpp"
#include "cli/dispatch.hpp"
#include "cli/exit.hpp"
#include "cli/net/account.hpp"
#include "wiring/online/demo.hpp"
#include "wiring/online/doctor.hpp"
#include "wiring/online/harness_choice.hpp"
#include "wiring/online/limits.hpp"

namespace robot_council::cli {
namespace {

using wiring::online::Choice;
using wiring::online::Confirmed;

// Shows what would be written, then asks.
Confirmed ask(const base::Context& context, wiring::online::SetupOptions options,
              const wiring::online::SetupIo& io) {
  options.dry = wiring::DryRun::yes;
  options.preview = Choice::yes;
  if (wiring::online::setup(context, options, io) != account::kExitOk) {
    return Confirmed::no;
  }
  switch (ask_to_write()) {
    case Said::yes:
      return Confirmed::yes;
    case Said::interrupted:
      return Confirmed::interrupted;
    case Said::no:
      break;
  }
  return Confirmed::no;
}

std::string agent_marker(const base::Context& context, const std::string& folder) {
  const auto here = brake::repository_at(folder);
  const std::vector<std::string> checkouts =
      here.found ? std::vector<std::string>{here.repository.main_checkout}
                 : std::vector<std::string>{};
  return brake::agent_seen(context.environment, checkouts).value_or("");
}

wiring::online::Waited wait_for(const std::function<bool()>& condition, base::Milliseconds limit) {
  using wiring::online::Waited;
  const auto interrupt = account::Interrupt::open();
  const auto deadline = base::deadline_in(limit);
  while (!condition()) {
    if (base::time_left(deadline).count() == 0) {
      return Waited::too_long;
    }
    const auto next = std::min(deadline, base::deadline_in(wiring::online::kLocalLookStep));
    if (!interrupt || !(*interrupt)->pause_until(next)) {
      return Waited::interrupted;
    }
  }
  return Waited::yes;
}

}  // namespace

int run_setup(const base::Context& context, const Args& args) {
  if (!may_write(context, args)) {
    return static_cast<int>(Exit::usage);
  }
  wiring::online::SetupOptions options;
  options.harness = args.positionals().front();
  options.service = args.value("--service").value_or("");
  options.project = args.value("--project").value_or("");
  options.scope = args.value("--scope") == "project" ? wiring::Scope::project : wiring::Scope::user;
  options.local = args.has("--local") ? Choice::yes : Choice::no;
  options.wake = args.has("--no-wake") ? harness::Wake::no : harness::Wake::yes;
  options.stops = args.has("--stops") ? Choice::yes : Choice::no;
  options.channels = args.has("--channels") ? Choice::yes : Choice::no;
  options.dry = args.has("--dry-run") ? wiring::DryRun::yes : wiring::DryRun::no;
  options.folder = base::working_directory().value_or("");
  options.program = wiring::program_for_entries(context.environment, small_executable());
  options.script = wiring::online::find_stop_hook_script(options.program);
  options.agent_marker = agent_marker(context, options.folder);

  wiring::online::SetupIo io;
  io.out = account::write_stdout;
  io.wait = wait_for;
  io.enroll = [&] {
    account::EnrollOptions enrol;
    enrol.service = options.service;
    enrol.harness = wiring::online::choose_harness(options.harness, context.environment);
    enrol.local = options.local == Choice::yes ? account::Local::yes : account::Local::no;
    enrol.agent_marker = options.agent_marker;
    return account::enroll(context, enrol);
  };
  io.doctor = [&](const account::Output& out) {
    wiring::online::DoctorOptions doctor;
    // Service and project are those that the entries name.
    doctor.query = {"", options.harness, "", wiring::project_root(options.folder)};
    doctor.program = options.program;
    return wiring::online::doctor(context, doctor, out);
  };
  io.confirmed = [&] { return args.has("--yes") ? Confirmed::yes : ask(context, options, io); };
  return wiring::online::setup(context, options, io);
}

}  // namespace robot_council::cli
