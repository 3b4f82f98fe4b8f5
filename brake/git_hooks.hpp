#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "brake/person.hpp"
#include "brake/repository.hpp"

namespace robot_council::brake {

// The git hooks that refuse an agent's commit and push. They live in the common directory, so that
// all worktrees share them and none can swap them.

struct GitHooksRequest {
  std::string repo = ".";
  bool refs = false;  // also reference-transaction
};

// Writes a dispatcher for each event; a foreign hook becomes <event>.d/00-preexisting and is run by
// it. failed: no git repository, core.hooksPath leads elsewhere (nothing is written, the lines to
// add are printed), or a file not written.
[[nodiscard]] Outcome install_git_hooks(const PersonPlace& place, const GitHooksRequest& request);
// Puts 00-preexisting back, removes only our files. failed: the caller is an agent, or a file not
// removed.
[[nodiscard]] Outcome uninstall_git_hooks(const PersonPlace& place, const GitHooksRequest& request);

enum class HookState : std::uint8_t { missing, ours, foreign };
struct GitHook {
  std::string event;
  HookState state = HookState::missing;
};
// For doctor.
[[nodiscard]] std::vector<GitHook> git_hook_states(const Repository& repository);
// core.hooksPath when it leads elsewhere than <common>/hooks, else "".
[[nodiscard]] std::string foreign_hooks_path(const base::Context& context, const RepositoryAt& at);

// The text of the dispatcher: POSIX sh.
[[nodiscard]] std::string dispatcher_script(std::string_view event, const Repository& repository);

}  // namespace robot_council::brake
