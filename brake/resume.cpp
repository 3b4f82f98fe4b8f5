#include "brake/resume.hpp"

#include <algorithm>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "brake/ceremony.hpp"
#include "brake/copies.hpp"
#include "brake/decision.hpp"
#include "brake/decision_log.hpp"
#include "brake/homes.hpp"
#include "brake/limits.hpp"
#include "brake/survey.hpp"
#include "brake/texts.hpp"

namespace robot_council::brake {
namespace {

struct Target {
  bool machine = false;
  bool found = false;  // the folder is there
  Repository repository;
  std::string word;  // what the person types
  CopyPaths paths;
};

struct Shown {
  std::string path;
  StopRead read;
};

bool same(const StopRead& a, const StopRead& b) {
  return a.state == b.state && a.stop == b.stop && a.problem == b.problem;
}

std::vector<Shown> read_copies(const Target& target) {
  std::vector<Shown> copies;
  for (const std::string& path : target.paths.all()) {
    StopRead read = read_stop(path);
    if (read.state != StopState::absent) {
      copies.push_back({path, std::move(read)});
    }
  }
  return copies;
}

std::string absolute(const std::string& path) {
  const std::string whole = path.front() == '/' ? path : base::join_path(process_directory(), path);
  return whole.size() > 1 ? base::without_trailing(whole, '/') : whole;
}

// The home copies of a checkout that is gone: those whose `repo` is this path.
std::vector<std::string> copies_of_gone(const std::vector<std::string>& homes,
                                        const std::string& path) {
  std::vector<std::string> found;
  for (const std::string& home : homes) {
    const std::string folder = stops_folder(home);
    const base::Result<std::vector<std::string>> names =
        base::list_directory(folder, kMaxStopFiles);
    if (!names.ok()) {
      continue;
    }
    for (const std::string& name : names.value()) {
      const std::string copy = base::join_path(folder, name);
      if (name.front() == '_' || name.size() < 5 || name.substr(name.size() - 5) != ".json") {
        continue;
      }
      const StopRead read = read_stop(copy);
      if (read.state == StopState::present && read.stop.repo == path) {
        found.push_back(copy);
      }
    }
  }
  return found;
}

base::Result<Target> find_target(const PersonPlace& place, const ResumeRequest& request) {
  Target target;
  target.machine = request.everywhere;
  const RepositoryAt at = repository_at(request.repo);
  target.found = at.found;
  target.repository = at.repository;
  if (target.machine) {
    target.word = "everywhere";
    target.paths = everywhere_paths(place.homes);
    return target;
  }
  if (at.found) {
    target.word = at.repository.name();
    target.paths = copy_paths(place.homes, at.repository, at.worktree);
    return target;
  }
  const std::string path = request.repo.empty() ? std::string() : absolute(request.repo);
  target.paths.home = copies_of_gone(place.homes, path);
  if (target.paths.home.empty()) {
    return base::Error{base::Errc::invalid, "--repo " + request.repo + ": " + at.problem};
  }
  target.repository = plain_folder(path);
  target.word = target.repository.name();
  return target;
}

std::string description(const std::vector<Shown>& copies, std::int64_t now_ms) {
  std::string text;
  for (const Shown& copy : copies) {
    text += clean_line(copy.path) + "\n";
    if (copy.read.state == StopState::unreadable) {
      text += "  cannot be read: " + clean_line(copy.read.problem) + "\n";
      continue;
    }
    const Stop& stop = copy.read.stop;
    text += "  stops " + scope_words(stop.scope) + "\n  reason: " + stop.reason + "\n  by " +
            (stop.who.empty() ? "somebody unnamed" : stop.who) + ", " + stop.when;
    if (const std::optional<std::int64_t> at = base::parse_iso(stop.when)) {
      text += " (" + base::age_text(now_ms - *at) + " ago)";
    }
    text += "\n";
  }
  return text;
}

// Empty: what was shown is still what there is, or less.
std::string changed_meanwhile(const std::vector<Shown>& shown, const std::vector<Shown>& now) {
  for (const Shown& copy : now) {
    const auto before = std::find_if(shown.begin(), shown.end(),
                                     [&copy](const Shown& old) { return old.path == copy.path; });
    if (before == shown.end() || !same(before->read, copy.read)) {
      return copy.path;
    }
  }
  return {};
}

Stop lifted_stop(const std::vector<Shown>& copies) {
  Stop lifted{Scope{false, {}}, {}, {}, {}, {}};
  for (const Shown& copy : copies) {
    lifted.scope = copy.read.state == StopState::unreadable
                       ? Scope{}
                       : unite(lifted.scope, copy.read.stop.scope);
  }
  return lifted;
}

std::string still_here(const PersonPlace& place, const Target& target) {
  const std::vector<std::string> where =
      target.found ? std::vector<std::string>{target.repository.main_checkout}
                   : std::vector<std::string>{};
  const Survey survey = survey_stops(place.homes, where, ForeignStops::when_unknown);
  std::string text;
  for (const Copy& copy : survey.copies) {
    const bool counts = copy.kind != CopyKind::foreign;
    if (counts) {
      text += "  " + copy.path + "\n";
    }
  }
  return text.empty() ? text : "Still stopped here by:\n" + text;
}

std::string repo_for_log(const Target& target) {
  if (!target.machine) {
    return target.repository.main_checkout;
  }
  return target.found && target.repository.git ? target.repository.main_checkout : std::string();
}

Outcome failed(const PersonPlace& place, const std::string& why) {
  place.context.log.error(why);
  return Outcome{Ended::failed, {}};
}

// Under the lock: only what was shown is lifted.
Outcome lift(const PersonPlace& place, const Target& target, const std::vector<Shown>& shown) {
  const WriterLocks locks = lock_writers(place.homes, base::deadline_in(kWriterLockWait));
  if (!locks.all) {
    return failed(place, "the stop is still on: no lock against another stop or resume (" +
                             locks.problem + "); try again");
  }
  const std::string changed = changed_meanwhile(shown, read_copies(target));
  if (!changed.empty()) {
    return failed(
        place,
        changed +
            " changed while this asked; the stop is still on, look again and run resume again");
  }
  for (const std::string& path : target.paths.all()) {
    const base::Status removed = remove_copy(path);
    if (!removed.ok()) {
      place.context.log.error(removed.error().what);
    }
  }
  const std::vector<Shown> left = read_copies(target);
  if (!left.empty()) {
    return failed(place, "the stop is still on: " + left.front().path + " is still there");
  }
  for (const std::vector<std::string>* copies :
       {&target.paths.repository, &target.paths.read_only}) {
    for (const std::string& path : *copies) {
      remove_empty_folder(path);
    }
  }
  CommandRecord record{Command::resume, lifted_stop(shown), target.machine, {}};
  record.stop.repo = repo_for_log(target);
  record.stop.who =
      person_email(place.context, target.found ? target.repository.main_checkout : std::string("/"),
                   base::deadline_in(kGitWait));
  record.stop.when = base::iso_zulu(place.context.clock.wall_ms());
  log_command(place.context.environment, place.context.clock, record);
  const std::string what = target.machine ? "the machine's stop" : "the stop of " + target.word;
  return Outcome{Ended::ok, "Lifted " + what + ".\n" + still_here(place, target)};
}

Outcome ask_and_lift(const PersonPlace& place, const Target& target) {
  base::Result<Terminal> terminal = Terminal::open();
  if (!terminal.ok()) {
    return failed(place, "resume needs a person at a terminal: " + terminal.error().what);
  }
  const std::vector<Shown> shown = read_copies(target);
  if (shown.empty()) {
    return Outcome{Ended::ok,
                   "Nothing to lift here: no stop is on" +
                       (target.machine ? std::string(" everywhere") : " in " + target.word) +
                       ".\n" + still_here(place, target)};
  }
  terminal.value().show(description(shown, place.context.clock.wall_ms()));
  const std::string question =
      target.machine ? "Type the word everywhere to lift it: "
                     : "Type the repository's name to lift it (" + target.word + "): ";
  const Terminal::Answer answer = terminal.value().ask(question);
  if (answer.typed == Terminal::Typed::interrupted) {
    place.context.log.error("interrupted; the stop stays");
    return Outcome{Ended::interrupted, {}};
  }
  if (answer.typed == Terminal::Typed::end) {
    return failed(place, "nothing was typed; the stop stays");
  }
  if (base::trim(answer.text) != target.word) {
    return failed(place, "that is not \"" + target.word + "\"; the stop stays");
  }
  return lift(place, target, shown);
}

}  // namespace

Outcome resume(const PersonPlace& place, const ResumeRequest& request) {
  const base::Result<Target> target = find_target(place, request);
  if (!target.ok()) {
    place.context.log.error(target.error().what);
    return Outcome{Ended::usage, {}};
  }
  std::vector<std::string> checkouts;
  if (target.value().found) {
    checkouts.push_back(target.value().repository.main_checkout);
  }
  std::optional<std::string> seen = agent_seen(place.context.environment, checkouts);
  if (!seen) {
    seen = place.ancestor;
  }
  if (seen) {
    CommandRecord record{Command::resume, {}, request.everywhere, *seen};
    record.stop.repo = repo_for_log(target.value());
    log_command(place.context.environment, place.context.clock, record);
    return failed(place, person_only(*seen));
  }
  if (place.homes.empty()) {
    return failed(place, "no home folder can be told, so that no stop can be found");
  }
  return ask_and_lift(place, target.value());
}

}  // namespace robot_council::brake
