#include "brake/stop.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <vector>

#include "base/child.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "brake/copies.hpp"
#include "brake/decision_log.hpp"
#include "brake/disk.hpp"
#include "brake/limits.hpp"
#include "brake/texts.hpp"
#include "brake/wired.hpp"
#include "harness/brake_client.hpp"

namespace robot_council::brake {
namespace {

constexpr int kWrites = 3;  // of one copy that a writer without the lock keeps making narrower
constexpr std::string_view kExcludeLine = "/.robot-council/stop.json";

struct Target {
  bool machine = false;
  RepositoryAt at;  // of --repo; for the machine only for the log, maybe not found
  CopyPaths paths;
};

Outcome usage(const PersonPlace& place, const std::string& why) {
  place.context.log.error(why);
  return Outcome{Ended::usage, {}};
}

std::string repo_for_log(const Target& target) {
  if (!target.machine) {
    return target.at.repository.main_checkout;
  }
  return target.at.found && target.at.repository.git ? target.at.repository.main_checkout
                                                     : std::string();
}

// What is already there, united with the request.
Stop united(const Target& target, Stop wanted, bool reason_given, bool* was_broader) {
  const Scope asked = wanted.scope;
  std::string newest;
  for (const std::string& path : target.paths.all()) {
    const StopRead read = read_stop(path);
    if (read.state == StopState::unreadable) {
      wanted.scope = Scope{};
    } else if (read.state == StopState::present) {
      wanted.scope = unite(wanted.scope, read.stop.scope);
      if (!reason_given && read.stop.when >= newest) {
        newest = read.stop.when;
        wanted.reason = read.stop.reason;
      }
    }
  }
  *was_broader = !asked.covers(wanted.scope);
  return wanted;
}

// Writes a copy, and again if another writer made it narrower meanwhile.
base::Status write_and_verify(const std::string& path, const Stop& stop) {
  for (int attempt = 0; attempt < kWrites; ++attempt) {
    base::Status written = write_copy(path, stop);
    if (!written.ok()) {
      // A resume may take the empty folder away between its making and the write.
      if (written.error().code == base::Errc::not_found && attempt + 1 < kWrites) {
        continue;
      }
      return written;
    }
    const StopRead read = read_stop(path);
    if (read.state == StopState::unreadable ||
        (read.state == StopState::present && read.stop.scope.covers(stop.scope))) {
      return {};
    }
  }
  return base::Error{base::Errc::busy, path + " is changed by another program"};
}

void exclude_from_git(const PersonPlace& place, const Repository& repository) {
  const std::string path = base::join_path(repository.common, "info/exclude");
  std::string text;
  const int error_number = read_followed(path, kMaxSettingsBytes, &text);
  if (error_number != 0 && !is_absent(error_number)) {
    place.context.log.warning("cannot read " + path + ": " + errno_words(error_number));
    return;
  }
  const std::vector<std::string> lines = base::split(text, '\n');
  const bool there = std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return base::trim(line) == kExcludeLine;
  });
  if (there) {
    return;
  }
  // Appended in one write: git or another stop may write this file too.
  const std::string line =
      std::string(text.empty() || text.back() == '\n' ? "" : "\n").append(kExcludeLine) + "\n";
  (void)::mkdir(base::parent_path(path).c_str(), 0755);
  const base::Result<base::Fd> file = base::open_file(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (!file.ok() || !base::write_all(file.value().get(), line, base::deadline_in(kGitWait)).ok()) {
    place.context.log.warning("cannot add " + std::string(kExcludeLine) + " to " + path);
  }
}

bool is_tracked(const PersonPlace& place, const Repository& repository, base::SteadyTime deadline) {
  base::ChildOptions options;
  options.argv = {"git", "ls-files", "--error-unmatch", "--", ".robot-council/stop.json"};
  options.environment = place.context.environment.all();
  options.directory = repository.main_checkout;
  options.standard_err = base::Stdio::null;
  const base::Result<base::Finished> finished = base::run_child(std::move(options), {}, deadline);
  return finished.ok() && finished.value().status.success();
}

std::vector<std::string> write_all_copies(const PersonPlace& place, const Target& target,
                                          const Stop& stop, std::vector<std::string>* failed) {
  std::vector<std::string> written;
  std::vector<std::string> order = target.paths.home;
  order.insert(order.end(), target.paths.repository.begin(), target.paths.repository.end());
  for (const std::string& path : order) {
    const base::Status status = write_and_verify(path, stop);
    if (status.ok()) {
      written.push_back(path);
    } else {
      place.context.log.error("the stop file " + path + " was not written: " + status.error().what +
                              (order.size() > 1 ? "; the stop is on through the others" : ""));
      failed->push_back(path);
    }
  }
  if (target.paths.home.empty()) {
    place.context.log.error("no home folder of this user was found to hold a copy of the stop");
    failed->emplace_back("a home copy");
  }
  return written;
}

std::string report(const PersonPlace& place, const Target& target, const Stop& stop,
                   const std::vector<std::string>& written, bool was_broader) {
  std::string text;
  if (target.machine) {
    text += "Stopped everywhere on this machine, for this user: every agent\n";
  } else {
    text += "Stopped " + target.at.repository.name() + ": " + scope_words(stop.scope) + "\n";
  }
  if (was_broader) {
    text +=
        "A broader stop was on already, or a stop file could not be read; it was not made "
        "narrower.\n";
  }
  text += "Reason: " + stop.reason + "\nStop files:\n";
  for (const std::string& path : written) {
    text += "  " + path + "\n";
  }
  text += "The next tool call of every wired client is refused. Clients:\n";
  text += wired_lines(place.context.environment,
                      target.at.found ? target.at.repository.main_checkout : std::string());
  text += "What this does not do:\n" + limits_text();
  text += "To lift it, a person runs in a terminal:\n  ";
  text += target.machine ? std::string("robot-council resume --everywhere")
                         : command_line("resume", target.at.repository.main_checkout);
  return text + "\n";
}

base::Result<Target> find_target(const PersonPlace& place, const StopRequest& request) {
  Target target;
  target.machine = request.everywhere;
  target.at = repository_at(request.repo);
  if (!target.machine && !target.at.found) {
    return base::Error{base::Errc::invalid, "--repo " + request.repo + ": " + target.at.problem};
  }
  target.paths = target.machine ? everywhere_paths(place.homes)
                                : copy_paths(place.homes, target.at.repository, target.at.worktree);
  return target;
}

Outcome stop_target(const PersonPlace& place, const StopRequest& request, const Target& target) {
  Stop wanted;
  if (request.agent) {
    wanted.scope = Scope{false, {*request.agent}};
  }
  wanted.reason = clean_reason(request.reason.value_or(""));
  // One deadline for both calls of git: a git that hangs delays the stop once.
  const base::SteadyTime git_deadline = base::deadline_in(kGitWait);
  wanted.who = person_email(place.context, target.at.found ? target.at.worktree : std::string("/"),
                            git_deadline);
  wanted.repo = target.machine ? std::string() : target.at.repository.main_checkout;
  bool was_broader = false;
  std::vector<std::string> failed;
  std::vector<std::string> written;
  {
    const WriterLocks locks = lock_writers(place.homes, base::deadline_in(kWriterLockWait));
    wanted.when = base::iso_zulu(place.context.clock.wall_ms());
    wanted = united(target, wanted, request.reason.has_value(), &was_broader);
    if (!target.machine && target.at.repository.git) {
      exclude_from_git(place, target.at.repository);
    }
    written = write_all_copies(place, target, wanted, &failed);
  }
  if (written.empty()) {
    place.context.log.error("nothing is stopped: no stop file could be written");
    return Outcome{Ended::failed, {}};
  }
  CommandRecord record{Command::stop, wanted, target.machine, {}};
  record.stop.repo = repo_for_log(target);
  log_command(place.context.environment, place.context.clock, record);
  if (!target.machine && target.at.repository.git &&
      is_tracked(place, target.at.repository, git_deadline)) {
    place.context.log.warning(".robot-council/stop.json is tracked by git in " +
                              target.at.repository.main_checkout +
                              "; take it out with: git rm --cached .robot-council/stop.json");
  }
  return Outcome{failed.empty() ? Ended::ok : Ended::failed,
                 report(place, target, wanted, written, was_broader)};
}

}  // namespace

Outcome stop(const PersonPlace& place, const StopRequest& request) {
  if (request.everywhere && request.agent) {
    return usage(place, "--everywhere and --agent exclude each other");
  }
  if (request.agent && harness::brake_client(*request.agent) == nullptr) {
    std::vector<std::string> ids;
    for (const harness::BrakeClient& client : harness::brake_clients()) {
      ids.emplace_back(client.id);
    }
    return usage(place, "unknown client \"" + clean_line(*request.agent) + "\"; known are " +
                            base::join(ids, ", "));
  }
  const base::Result<Target> target = find_target(place, request);
  if (!target.ok()) {
    return usage(place, target.error().what);
  }
  std::vector<std::string> checkouts;
  if (target.value().at.found) {
    checkouts.push_back(target.value().at.repository.main_checkout);
  }
  if (const std::optional<std::string> seen = agent_seen(place.context.environment, checkouts)) {
    CommandRecord record{Command::stop, {}, request.everywhere, *seen};
    record.stop.repo = repo_for_log(target.value());
    log_command(place.context.environment, place.context.clock, record);
    place.context.log.error(person_only(*seen));
    return Outcome{Ended::failed, {}};
  }
  return stop_target(place, request, target.value());
}

const std::string& limits_text() {
  static const std::string text =
      R"(- It refuses the next tool call, commit or push of an agent whose hooks are wired and run. It ends no process and revokes no credential.
- Calls in flight or already sent, background shells and timers go on.
- A client can skip or distrust a hook. If it fails or times out only cursor, goose and mistral_vibe refuse; others, devin among them, may let the call through.
- Hooks switched off are no brake: disableAllHooks, --bare, --no-hooks, safe mode, untrusted folder.
- Holes: code mode and some built-in tools in codex_cli; subagent start in antigravity; @file in claude_code; all but four actions in windsurf; inline completion.
- An agent without a hook is stopped at commit and push only, and passes as a person if no marker shows. gemini_cli's agent runs no git hook.
- Git hooks miss push and am --no-verify, an empty core.hooksPath, fast-forwards, low-level commands, commits through a library or an API.
- Containers and cloud agents do not see this home directory.
- A person, or an agent outside these hooks, is not affected and can delete the stop files. Nothing is tamper-proof.
- The terminal check is best effort: an agent with a shell can make a terminal and type the name.
)";
  return text;
}

}  // namespace robot_council::brake
