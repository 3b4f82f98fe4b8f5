// `brake git`: the git hooks.

#include "brake/git_hooks.hpp"
#include "brake/homes.hpp"
#include "cli/small/brake.hpp"

namespace robot_council::cli {

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
  context.log.error("brake git takes \"install\" or \"uninstall\", not \"" + what + "\"");
  return finish(context, {brake::Ended::usage, {}});
}

}  // namespace robot_council::cli
