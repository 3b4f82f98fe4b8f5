#include "wiring/online/doctor.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "brake/repository.hpp"
#include "cli/dispatch.hpp"
#include "cli/net/account.hpp"

namespace robot_council::cli {

namespace {

wiring::online::DoctorQuery query_of(const Args& args) {
  wiring::online::DoctorQuery query;
  query.service = args.value("--service").value_or("");
  query.harness = args.value("--harness").value_or("");
  query.project = args.value("--project").value_or("");
  return query;
}

wiring::online::Wake wake_of(const Args& args) {
  return args.has("--wake") ? wiring::online::Wake::yes : wiring::online::Wake::no;
}

base::Milliseconds time_of(const Args& args, const char* name) {
  return base::Milliseconds(base::parse_digits(args.value(name).value_or("")).value_or(0));
}

}  // namespace

int run_doctor(const base::Context& context, const Args& args) {
  wiring::online::DoctorOptions options;
  options.query = query_of(args);
  options.shape = args.has("--json") ? wiring::Shape::json : wiring::Shape::text;
  options.wake = wake_of(args);
  options.program = small_executable();
  return wiring::online::doctor(context, options, account::write_stdout);
}

// Hidden: what `doctor` starts to look for it.
int run_doctor_part(const base::Context& context, const Args& args) {
  wiring::online::DoctorPart part;
  part.query = query_of(args);
  const std::string folder = base::working_directory().value_or("");
  const auto here = brake::repository_at(folder);
  // Agents are started in the root of a checkout; so is their hook.
  part.query.folder = here.found && !here.worktree.empty() ? here.worktree : folder;
  part.wake = wake_of(args);
  part.program = args.value("--program").value_or(small_executable());
  part.after = args.value("--after").value_or("");
  part.hung = args.values("--hung");
  part.one = time_of(args, "--one");
  part.proof = time_of(args, "--proof");
  part.left = time_of(args, "--left");
  return wiring::online::doctor_part(context, part, account::write_stdout);
}

}  // namespace robot_council::cli
