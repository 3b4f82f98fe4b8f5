#include "brake/git_hooks.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>

#include "base/atomic_file.hpp"
#include "base/child.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "brake/disk.hpp"
#include "brake/limits.hpp"

namespace robot_council::brake {
namespace {

constexpr std::array<std::string_view, 6> kEvents = {"pre-commit",       "prepare-commit-msg",
                                                     "pre-merge-commit", "pre-applypatch",
                                                     "pre-rebase",       "pre-push"};
constexpr std::string_view kRefsEvent = "reference-transaction";
constexpr std::string_view kMark = "# robot-council brake dispatcher";
constexpr std::string_view kPreexisting = "-preexisting";
constexpr int kMaxPreexisting = 100;  // names 00- to 99-

std::string hooks_folder(const Repository& repository) {
  return base::join_path(repository.common, "hooks");
}

HookState state_of(const std::string& path) {
  struct ::stat info {};
  if (look(path, &info) != 0) {
    return HookState::missing;
  }
  std::string text;
  if (read_regular(path, kMaxSettingsBytes, &text) == 0 && text.find(kMark) != std::string::npos) {
    return HookState::ours;
  }
  return HookState::foreign;
}

std::string preexisting_path(const std::string& folder, int number) {
  const std::string digits = std::to_string(number);
  return base::join_path(folder,
                         (digits.size() < 2 ? "0" + digits : digits) + std::string(kPreexisting));
}

std::string link_target(const std::string& path) {
  std::array<char, PATH_MAX> buffer{};
  const ssize_t length = ::readlink(path.c_str(), buffer.data(), buffer.size());
  return length <= 0 ? std::string() : std::string(buffer.data(), static_cast<std::size_t>(length));
}

// The foreign hook gets a second name; its first one is replaced by the dispatcher's rename, so
// that no moment is without a hook.
base::Status keep_foreign(const std::string& hook, const std::string& folder) {
  if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
    return base::errno_error("cannot make " + folder);
  }
  std::string kept;
  struct ::stat info {};
  for (int number = 0; number < kMaxPreexisting; ++number) {
    kept = preexisting_path(folder, number);
    if (look(kept, &info) == ENOENT) {
      break;
    }
  }
  if (look(hook, &info) == 0 && S_ISLNK(info.st_mode)) {
    const std::string target = link_target(hook);
    const std::string moved = target.empty() || target.front() == '/' ? target : "../" + target;
    if (::symlink(moved.c_str(), kept.c_str()) != 0) {
      return base::errno_error("cannot make " + kept);
    }
    return {};
  }
  if (::link(hook.c_str(), kept.c_str()) != 0 && ::rename(hook.c_str(), kept.c_str()) != 0) {
    return base::errno_error("cannot move " + hook + " to " + kept);
  }
  return {};
}

base::Status install_event(const Repository& repository, std::string_view event) {
  const std::string hook = base::join_path(hooks_folder(repository), event);
  if (state_of(hook) == HookState::foreign) {
    base::Status kept = keep_foreign(hook, hook + ".d");
    if (!kept.ok()) {
      return kept;
    }
  }
  return base::replace_file(hook, dispatcher_script(event, repository), base::Sync::yes, 0755);
}

base::Status uninstall_event(const Repository& repository, std::string_view event) {
  const std::string hook = base::join_path(hooks_folder(repository), event);
  if (state_of(hook) != HookState::ours) {
    return {};
  }
  const std::string folder = hook + ".d";
  const std::string kept = preexisting_path(folder, 0);
  struct ::stat info {};
  if (look(kept, &info) != 0) {
    base::Status removed = base::remove_file(hook);
    ::rmdir(folder.c_str());  // only if it is empty
    return removed;
  }
  std::string target = S_ISLNK(info.st_mode) ? link_target(kept) : std::string();
  if (target.rfind("../", 0) == 0) {
    target.erase(0, 3);
    const std::string temporary = kept + ".tmp";
    if (::symlink(target.c_str(), temporary.c_str()) != 0 ||
        ::rename(temporary.c_str(), hook.c_str()) != 0) {
      return base::errno_error("cannot put back " + hook);
    }
    ::unlink(kept.c_str());
  } else if (::rename(kept.c_str(), hook.c_str()) != 0) {
    return base::errno_error("cannot put back " + hook);
  }
  ::rmdir(folder.c_str());
  return {};
}

std::vector<std::string> events_of(const GitHooksRequest& request) {
  std::vector<std::string> events(kEvents.begin(), kEvents.end());
  if (request.refs) {
    events.emplace_back(kRefsEvent);
  }
  return events;
}

Outcome fail(const PersonPlace& place, Ended ended, const std::string& why) {
  place.context.log.error(why);
  return Outcome{ended, {}};
}

// Anything but `found` and a git repository is an outcome.
bool find_repository(const PersonPlace& place, const GitHooksRequest& request, RepositoryAt* at,
                     Outcome* outcome) {
  *at = repository_at(request.repo);
  if (!at->found) {
    *outcome = fail(place, Ended::usage, "--repo " + request.repo + ": " + at->problem);
    return false;
  }
  if (!at->repository.git) {
    *outcome =
        fail(place, Ended::failed, at->repository.main_checkout + " is in no git repository");
    return false;
  }
  return true;
}

// Real path of a folder that may not be there yet.
std::string real_or_future(const std::string& path) {
  const base::Result<std::string> real = base::real_path(path);
  if (real.ok()) {
    return real.value();
  }
  const base::Result<std::string> parent = base::real_path(base::parent_path(path));
  return parent.ok() ? base::join_path(parent.value(), base::base_name(path)) : path;
}

std::string lines_to_add(const std::string& folder, const std::vector<std::string>& events) {
  std::string text = "core.hooksPath is " + folder +
                     ", so nothing was written. Add this line at the top of each hook there:\n";
  for (const std::string& event : events) {
    text += "  " + base::join_path(folder, event) + ": robot-council brake-check --git " + event +
            " || exit 1\n";
  }
  return text;
}

constexpr std::string_view kScriptHead = R"sh(
rc_dir=${0%/*}
rc_stdin_file=
case $rc_event in
pre-push|reference-transaction)
  rc_umask_before=$(umask)
  umask 077
  rc_stdin_file=$(mktemp "${TMPDIR:-/tmp}/robot-council-hook.XXXXXX") || exit 1
  umask "$rc_umask_before"
  trap 'rm -f "$rc_stdin_file"' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  cat >"$rc_stdin_file" || exit 1
  ;;
esac

# One path of a stop file is there, or it cannot be told: prints it.
found() {
  for rc_folder in "${1%/*/*/*}" "${1%/*/*}" "${1%/*}"; do
    if [ -z "$rc_folder" ]; then
      :
    elif [ -d "$rc_folder" ]; then
      if [ ! -x "$rc_folder" ]; then printf '%s\n' "$rc_folder"; return 0; fi
    elif [ -e "$rc_folder" ] || [ -L "$rc_folder" ]; then
      printf '%s\n' "$rc_folder"; return 0
    fi
  done
  if [ -e "$1" ] || [ -L "$1" ]; then printf '%s\n' "$1"; return 0; fi
  return 1
}

if [ "$rc_event" != reference-transaction ] || [ "${1-}" = prepared ]; then
  (
    PATH="${HOME:-}/.local/bin:/usr/local/bin:/opt/homebrew/bin:/usr/bin:${PATH:-/bin}"
    command -v robot-council >/dev/null 2>&1 || exit 127
    exec robot-council brake-check --git "$rc_event" </dev/null
  )
  case $? in
  0) ;;
  1) exit 1 ;;
  *)
    if rc_file=$(found "$rc_main/.robot-council/stop.json") ||
      { [ -n "${HOME:-}" ] && { rc_file=$(found "$HOME/.robot-council/stops/_everywhere.json") ||
        rc_file=$(found "$HOME/.robot-council/stops/$rc_key.json"); }; }; then
      echo "robot-council: refused: $rc_file is there, but robot-council is missing or does not run; reinstall it with tools/quickstart, or a person lifts the stop" >&2
      exit 1
    fi
    echo "robot-council: the stop check of this repository is missing or does not run; no stop file was found, going on" >&2
    ;;
  esac
fi

if [ "$rc_event" = pre-commit ] &&
  [ -n "$(git diff --cached --name-only --diff-filter=d -- ':(top).robot-council/stop.json' 2>/dev/null)" ]; then
  echo "robot-council: .robot-council/stop.json is never committed; take it out with: git rm --cached .robot-council/stop.json" >&2
  exit 1
fi

[ -d "$rc_dir/$rc_event.d" ] || exit 0
rc_hooks=$(
  LC_ALL=C
  export LC_ALL
  for rc_hook in "$rc_dir/$rc_event.d"/*; do printf '%s\n' "$rc_hook"; done
)
IFS='
'
set -f
for rc_hook in $rc_hooks; do
  if [ -f "$rc_hook" ] && [ -x "$rc_hook" ]; then
    if [ -n "$rc_stdin_file" ]; then "$rc_hook" "$@" <"$rc_stdin_file"; else "$rc_hook" "$@"; fi || exit $?
  fi
done
exit 0
)sh";

}  // namespace

std::string dispatcher_script(std::string_view event, const Repository& repository) {
  std::string script = "#!/bin/sh\n";
  script.append(kMark)
      .append(": asks whether agents are stopped, then runs ")
      .append(event)
      .append(".d/*.\n");
  script +=
      "# Written by \"robot-council brake git install\"; \"robot-council brake git uninstall\" "
      "takes it away.\n";
  script += "rc_event=" + base::shell_quote(event) + "\n";
  script += "rc_key=" + repository.key + "\n";
  script += "rc_main=" + base::shell_quote(repository.main_checkout) + "\n";
  return script.append(kScriptHead.substr(1));
}

std::vector<GitHook> git_hook_states(const Repository& repository) {
  std::vector<GitHook> hooks;
  hooks.reserve(kEvents.size());
  for (const std::string_view event : kEvents) {
    hooks.push_back(
        {std::string(event), state_of(base::join_path(hooks_folder(repository), event))});
  }
  return hooks;
}

std::string foreign_hooks_path(const base::Context& context, const RepositoryAt& at) {
  base::ChildOptions options;
  options.argv = {"git", "config", "--type=path", "--get", "core.hooksPath"};
  options.environment = context.environment.all();
  options.directory = at.worktree;
  options.standard_out = base::Stdio::pipe;
  options.standard_err = base::Stdio::null;
  const base::Result<base::Finished> finished =
      base::run_child(std::move(options), {}, base::deadline_in(kGitWait));
  if (!finished.ok() || !finished.value().status.success()) {
    return {};
  }
  std::string path = base::without_trailing(finished.value().out, '\n');
  if (path.empty() || path.front() != '/') {
    path = base::join_path(at.worktree, path);
  }
  return real_or_future(path) == real_or_future(hooks_folder(at.repository)) ? std::string() : path;
}

Outcome install_git_hooks(const PersonPlace& place, const GitHooksRequest& request) {
  RepositoryAt at;
  Outcome outcome;
  if (!find_repository(place, request, &at, &outcome)) {
    return outcome;
  }
  const std::vector<std::string> events = events_of(request);
  const std::string elsewhere = foreign_hooks_path(place.context, at);
  if (!elsewhere.empty()) {
    return Outcome{Ended::failed, lines_to_add(elsewhere, events)};
  }
  const std::string folder = hooks_folder(at.repository);
  if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
    return fail(place, Ended::failed, base::errno_error("cannot make " + folder).what);
  }
  for (const std::string& event : events) {
    const base::Status installed = install_event(at.repository, event);
    if (installed.ok()) {
      outcome.out += "installed " + base::join_path(folder, event) + "\n";
    } else {
      place.context.log.error(installed.error().what);
      outcome.ended = Ended::failed;
    }
  }
  return outcome;
}

Outcome uninstall_git_hooks(const PersonPlace& place, const GitHooksRequest& request) {
  RepositoryAt at;
  Outcome outcome;
  if (!find_repository(place, request, &at, &outcome)) {
    return outcome;
  }
  if (const auto seen = agent_seen(place.context.environment, {at.repository.main_checkout})) {
    return fail(place, Ended::failed, person_only(*seen));
  }
  for (const std::string& event : events_of({request.repo, true})) {
    const base::Status removed = uninstall_event(at.repository, event);
    if (!removed.ok()) {
      place.context.log.error(removed.error().what);
      outcome.ended = Ended::failed;
    }
  }
  outcome.out = "the brake's git hooks are out of " + hooks_folder(at.repository) + "\n";
  return outcome;
}

}  // namespace robot_council::brake
