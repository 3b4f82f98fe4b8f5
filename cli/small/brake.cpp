// `brake git`, `brake wire`, `brake unwire`.

#include "cli/small/brake.hpp"

#include "brake/git_hooks.hpp"
#include "brake/homes.hpp"
#include "brake/wire.hpp"

namespace robot_council::cli {
namespace {

using Wire = brake::Outcome (*)(const brake::PersonPlace& place, const brake::WireRequest& request);

int run_wiring(const base::Context& context, const Args& args, Wire wire) {
  brake::WireRequest request;
  request.clients = args.positionals();
  request.all = args.has("--all");
  request.dry_run = args.has("--dry-run") ? brake::DryRun::yes : brake::DryRun::no;
  request.repo = args.value("--repo").value_or(".");
  const std::string scope = args.value("--scope").value_or("user");
  if (scope != "user" && scope != "project") {
    context.log.error(R"(--scope is "project" or "user")");
    return finish(context, {brake::Ended::usage, {}});
  }
  request.scope = scope == "user" ? brake::WireScope::user : brake::WireScope::project;
  return finish(context,
                wire({context, brake::find_homes(context.environment), std::nullopt}, request));
}

}  // namespace

int run_brake_wire(const base::Context& context, const Args& args) {
  return run_wiring(context, args, brake::wire);
}

int run_brake_unwire(const base::Context& context, const Args& args) {
  return run_wiring(context, args, brake::unwire);
}

int run_brake_git(const base::Context& context, const Args& args) {
  const brake::PersonPlace place{context, brake::find_homes(context.environment), std::nullopt};
  const brake::GitHooksRequest request{args.value("--repo").value_or("."), args.has("--refs")};
  const std::string& what = args.positionals().front();
  if (what == "install") {
    return finish(context, brake::install_git_hooks(place, request));
  }
  if (what == "uninstall") {
    return finish(context, brake::uninstall_git_hooks(place, request));
  }
  context.log.error(R"(brake git takes "install" or "uninstall", not ")" + what + "\"");
  return finish(context, {brake::Ended::usage, {}});
}

}  // namespace robot_council::cli
