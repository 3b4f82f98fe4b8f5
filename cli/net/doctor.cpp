#include "wiring/online/doctor.hpp"

#include "base/files.hpp"
#include "brake/repository.hpp"
#include "cli/dispatch.hpp"
#include "cli/net/account.hpp"

namespace robot_council::cli {

int run_doctor(const base::Context& context, const Args& args) {
  wiring::online::DoctorOptions options;
  options.query.service = args.value("--service").value_or("");
  options.query.harness = args.value("--harness").value_or("");
  options.query.project = args.value("--project").value_or("");
  const std::string folder = base::working_directory().value_or("");
  const auto here = brake::repository_at(folder);
  // Agents are started in the root of a checkout; so is their hook.
  options.query.folder = here.found && !here.worktree.empty() ? here.worktree : folder;
  options.shape = args.has("--json") ? wiring::Shape::json : wiring::Shape::text;
  options.wake = args.has("--wake") ? wiring::online::Wake::yes : wiring::online::Wake::no;
  options.program = small_executable();
  return wiring::online::doctor(context, options, account::write_stdout);
}

}  // namespace robot_council::cli
