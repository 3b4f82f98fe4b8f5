#include "brake/doctor.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "base/child.hpp"
#include "base/files.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "brake/agent.hpp"
#include "brake/copies.hpp"
#include "brake/decision.hpp"
#include "brake/disk.hpp"
#include "brake/git_hooks.hpp"
#include "brake/homes.hpp"
#include "brake/limits.hpp"
#include "brake/person.hpp"
#include "brake/survey.hpp"
#include "brake/texts.hpp"
#include "harness/brake_client.hpp"

namespace robot_council::brake {
namespace {

using Facts = std::vector<DoctorFact>;

// The copies of this checkout's stop: all there, readable, alike, private.
void copies(Facts& facts, const std::vector<std::string>& homes, const RepositoryAt& at) {
  const CopyPaths paths = copy_paths(homes, at.repository, at.worktree);
  std::vector<std::string> wanted = paths.home;
  wanted.insert(wanted.end(), paths.repository.begin(), paths.repository.end());
  std::optional<Stop> first;
  std::vector<std::string> missing;
  std::string trouble;
  bool any = false;
  for (const std::string& path : wanted) {
    const StopRead read = read_stop(path);
    if (read.state == StopState::absent) {
      missing.push_back(path);
      continue;
    }
    any = true;
    if (read.state == StopState::unreadable) {
      facts.push_back({"brake-copies", Finding::failed, path + " cannot be read: " + read.problem,
                       command_line("resume", at.repository.main_checkout)});
      continue;
    }
    if (first && !(*first == read.stop)) {
      trouble = path + " differs from the other copies";
    }
    first = first ? first : read.stop;
    struct ::stat info {};
    if (look(path, &info) == 0 && ((info.st_mode & 077U) != 0 || info.st_uid != ::geteuid())) {
      facts.push_back({"brake-copies", Finding::warning, path + " is not private to this user",
                       "chmod 600 " + base::shell_quote(path)});
    }
  }
  if (!any) {
    facts.push_back({"brake-copies", Finding::ok, "no stop file of this checkout", {}});
    return;
  }
  if (!missing.empty()) {
    trouble = missing.front() + " is missing, the stop is held by the other copies";
  }
  if (trouble.empty()) {
    facts.push_back({"brake-copies", Finding::ok, "the copies of the stop are alike", {}});
  } else {
    facts.push_back({"brake-copies", Finding::warning, trouble,
                     command_line("stop", at.repository.main_checkout)});
  }
}

void git_files(Facts& facts, const base::Context& context, const RepositoryAt& at) {
  if (!at.repository.git || !base::exists(at.repository.stop_file())) {
    return;
  }
  std::string exclude;
  (void)read_followed(base::join_path(at.repository.common, "info/exclude"), kMaxSettingsBytes,
                      &exclude);
  const std::vector<std::string> lines = base::split(exclude, '\n');
  if (std::find(lines.begin(), lines.end(), "/.robot-council/stop.json") == lines.end()) {
    facts.push_back({"brake-exclude", Finding::warning,
                     "git does not ignore .robot-council/stop.json",
                     command_line("stop", at.repository.main_checkout)});
  }
  base::ChildOptions options;
  options.argv = {"git", "ls-files", "--error-unmatch", "--", ".robot-council/stop.json"};
  options.environment = context.environment.all();
  options.directory = at.repository.main_checkout;
  options.standard_err = base::Stdio::null;
  const base::Result<base::Finished> finished =
      base::run_child(std::move(options), {}, base::deadline_in(kGitWait));
  if (finished.ok() && finished.value().status.success()) {
    facts.push_back({"brake-exclude", Finding::warning,
                     ".robot-council/stop.json is tracked by git",
                     "git rm --cached .robot-council/stop.json"});
  }
}

void git_hooks(Facts& facts, const base::Context& context, const RepositoryAt& at) {
  if (!at.repository.git) {
    return;
  }
  std::vector<std::string> lost;
  std::size_t ours = 0;
  for (const GitHook& hook : git_hook_states(at.repository)) {
    if (hook.state == HookState::ours) {
      ++ours;
    } else {
      lost.push_back(hook.event);
    }
  }
  const std::string install =
      "robot-council brake git install --repo " + base::shell_quote(at.repository.main_checkout);
  const std::string elsewhere = foreign_hooks_path(context, at);
  if (!elsewhere.empty()) {
    facts.push_back({"brake-git", Finding::warning,
                     "git looks for hooks in " + elsewhere + " (core.hooksPath), not in ours",
                     "run the install command, it prints the lines to add: " + install});
  } else if (ours == 0) {
    facts.push_back({"brake-git", Finding::warning, "the git hooks are not installed", install});
  } else if (!lost.empty()) {
    facts.push_back({"brake-git", Finding::failed,
                     "the dispatcher is lost for " + base::join(lost, ", "), install});
  } else {
    facts.push_back({"brake-git", Finding::ok, "the git hooks are installed", {}});
  }
}

// The hook command as a client with an empty environment starts it.
void hook_command(Facts& facts, const base::Context& context, const std::string& directory,
                  bool stopped) {
  if (stopped) {
    facts.push_back({"brake-command", Finding::unknown,
                     "not tried: a stop is on, and a trial would be logged as refused",
                     "try again after resume"});
    return;
  }
  base::ChildOptions options;
  options.argv = {"/bin/sh", "-c", harness::brake_command("claude_code")};
  options.environment = {"HOME=" + base::home_directory(context.environment)};
  options.directory = directory;
  options.standard_out = base::Stdio::pipe;
  options.standard_err = base::Stdio::pipe;
  const base::Result<base::Finished> finished =
      base::run_child(std::move(options), "{}", base::deadline_in(kCheckWait));
  if (finished.ok() && finished.value().status.success()) {
    facts.push_back(
        {"brake-command", Finding::ok, "the hook command starts with nothing but HOME set", {}});
    return;
  }
  const std::string why = finished.ok() ? clean_line(finished.value().err) : finished.error().what;
  facts.push_back({"brake-command", Finding::failed,
                   "the hook command fails with nothing but HOME set: " + why,
                   "link robot-council into ~/.local/bin or /usr/local/bin"});
}

void orphans(Facts& facts, const std::vector<std::string>& homes) {
  for (const std::string& home : homes) {
    const std::string folder = stops_folder(home);
    const base::Result<std::vector<std::string>> names =
        base::list_directory(folder, kMaxStopFiles);
    if (!names.ok()) {
      continue;
    }
    for (const std::string& name : names.value()) {
      if (name.front() == '_' || name.front() == '.') {
        continue;
      }
      const StopRead read = read_stop(base::join_path(folder, name));
      if (read.state == StopState::present && !read.stop.repo.empty() &&
          !base::exists(read.stop.repo)) {
        facts.push_back({"brake-orphan", Finding::warning,
                         base::join_path(folder, name) +
                             " stops a checkout that is gone: " + clean_line(read.stop.repo),
                         command_line("resume", read.stop.repo)});
      }
    }
  }
}

void agent_env(Facts& facts, const RepositoryAt& at) {
  for (const std::string& name : read_agent_env(at.repository.main_checkout).bad) {
    facts.push_back(
        {"brake-agent-env", Finding::warning,
         ".robot-council/agent-env has a line that names no variable: " + clean_line(name),
         "correct the line"});
  }
}

}  // namespace

std::vector<DoctorFact> brake_doctor(const base::Context& context,
                                     const std::vector<std::string>& homes,
                                     const std::string& directory) {
  Facts facts;
  const Survey survey = survey_stops(homes, {directory}, ForeignStops::when_unknown);
  const Decision decision = judge(survey, {});
  for (const Copy& copy : survey.copies) {
    const bool elsewhere = copy.kind == CopyKind::everywhere || copy.kind == CopyKind::foreign;
    if (elsewhere && copy.read.state == StopState::unreadable) {
      facts.push_back({"brake-copies", Finding::failed,
                       copy.path + " cannot be read: " + copy.read.problem,
                       copy.kind == CopyKind::everywhere ? "robot-council resume --everywhere"
                                                         : "look at it by hand"});
    }
  }
  const RepositoryAt at = repository_at(directory);
  if (at.found) {
    copies(facts, homes, at);
    git_files(facts, context, at);
    git_hooks(facts, context, at);
    agent_env(facts, at);
  } else {
    facts.push_back(
        {"brake-copies", Finding::unknown, directory + ": " + at.problem, "run it in a checkout"});
  }
  const std::vector<DoctorFact> clients =
      doctor_clients(context, at.found ? at.worktree : std::string());
  facts.insert(facts.end(), clients.begin(), clients.end());
  hook_command(facts, context, directory, decision.refused());
  orphans(facts, homes);
  return facts;
}

}  // namespace robot_council::brake
