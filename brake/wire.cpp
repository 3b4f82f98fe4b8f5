#include "brake/wire.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/child.hpp"
#include "base/files.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "base/text_diff.hpp"
#include "brake/limits.hpp"
#include "brake/repository.hpp"
#include "brake/texts.hpp"
#include "brake/wired.hpp"
#include "harness/brake_client.hpp"
#include "harness/brake_entry.hpp"

namespace robot_council::brake {
namespace {

using harness::BrakeClient;

enum class Way : std::uint8_t { wire, unwire };

struct Job {
  const BrakeClient* client = nullptr;
  std::string path;
  bool project = false;
  bool droid_hooks = false;  // factory_droid's hooks.json, edited only if it is there
};

bool is_folder_there(const std::string& home, const BrakeClient& client) {
  const std::string_view file = client.user_file;
  // The client's own folder: the first component, or the first two below a shared one.
  const std::size_t first = file.find('/');
  const bool shared = file.rfind(".gemini/config", 0) == 0 || file.rfind(".codeium/", 0) == 0;
  if (first == std::string_view::npos || file.rfind(".agents/", 0) == 0) {
    return false;
  }
  const std::size_t end = shared ? file.find('/', first + 1) : first;
  return base::exists(base::join_path(home, file.substr(0, end)));
}

bool is_on_machine(const base::Environment& environment, const BrakeClient& client) {
  return base::find_program(client.program, environment.get_or_empty("PATH")).has_value() ||
         is_folder_there(base::home_directory(environment), client);
}

// [major, minor] in "vibe 2.20.1", nothing if there is none.
std::optional<std::array<std::int64_t, 2>> version_in(const std::string& text) {
  const std::size_t begin = text.find_first_of("0123456789");
  if (begin == std::string::npos) {
    return std::nullopt;
  }
  const std::size_t end = text.find_first_not_of("0123456789.", begin);
  const std::vector<std::string> parts = base::split(text.substr(begin, end - begin), '.');
  if (parts.size() < 2) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> major = base::parse_digits(parts[0]);
  const std::optional<std::int64_t> minor = base::parse_digits(parts[1]);
  if (!major || !minor) {
    return std::nullopt;
  }
  return std::array<std::int64_t, 2>{*major, *minor};
}

std::optional<std::array<std::int64_t, 2>> vibe_version(const base::Environment& environment) {
  base::ChildOptions options;
  options.argv = {"vibe", "--version"};
  options.environment = environment.all();
  options.standard_out = base::Stdio::pipe;
  options.standard_err = base::Stdio::null;
  const base::Result<base::Finished> finished =
      base::run_child(std::move(options), {}, base::deadline_in(kGitWait));
  return finished.ok() ? version_in(finished.value().out) : std::nullopt;
}

class Wiring {
 public:
  Wiring(const PersonPlace& place, const WireRequest& request, Way way)
      : place_(place), request_(request), way_(way) {}

  Outcome run();

 private:
  bool choose_clients();
  void add_jobs(const BrakeClient& client);
  void do_job(const Job& job);
  base::Result<Edited> edit(const Job& job, const std::optional<std::string>& text) const;
  void say(const Job& job, const Edited& edited);
  void find_vibe();

  const PersonPlace& place_;
  const WireRequest& request_;
  Way way_;
  std::vector<const BrakeClient*> clients_;
  std::vector<Job> jobs_;
  harness::BrakeEntryOptions options_;
  std::string checkout_;
  Outcome outcome_;
};

bool Wiring::choose_clients() {
  if (request_.all != request_.clients.empty()) {
    place_.context.log.error("name one or more clients, or give --all");
    return false;
  }
  for (const std::string& id : request_.clients) {
    const BrakeClient* const client = harness::brake_client(id);
    if (client == nullptr) {
      place_.context.log.error("unknown client \"" + clean_line(id) + "\"");
      return false;
    }
    if (std::find(clients_.begin(), clients_.end(), client) == clients_.end()) {
      clients_.push_back(client);
    }
  }
  if (request_.all) {
    for (const BrakeClient& client : harness::brake_clients()) {
      if (is_on_machine(place_.context.environment, client)) {
        clients_.push_back(&client);
      } else {
        outcome_.out += std::string(client.id) + ": not found on this machine\n";
      }
    }
  }
  return true;
}

void Wiring::add_jobs(const BrakeClient& client) {
  const bool no_user_file = client.user_file.empty();
  const bool project = request_.scope == WireScope::project || no_user_file;
  if (no_user_file && request_.scope == WireScope::user) {
    outcome_.out += std::string(client.id) + ": no user file is known, so the project's is used\n";
  }
  const std::string path =
      project ? project_file(client, checkout_) : user_file(client, place_.context.environment);
  jobs_.push_back({&client, path, project, false});
  if (client.id == "factory_droid") {
    const std::string hooks = base::join_path(base::parent_path(path), "hooks.json");
    if (base::exists(hooks)) {
      jobs_.push_back({&client, hooks, project, true});
    }
  }
}

base::Result<Edited> Wiring::edit(const Job& job, const std::optional<std::string>& text) const {
  if (!text) {
    if (way_ == Way::unwire) {
      return Edited{};
    }
    return Edited{Edited::Kind::write, harness::fresh_brake_file(*job.client, options_), false, {}};
  }
  const BrakeClient client =
      job.droid_hooks ? harness::droid_hooks_file(*job.client, *text) : *job.client;
  base::Result<harness::BrakeEdit> made =
      way_ == Way::wire ? harness::wire_brake_entry(client, *text, options_)
                        : harness::unwire_brake_entry(client, *text, options_);
  if (!made.ok()) {
    return made.error();
  }
  if (!made.value().changed) {
    return Edited{};
  }
  return Edited{made.value().only_ours ? Edited::Kind::remove : Edited::Kind::write,
                made.value().text,
                way_ == Way::wire,
                {}};
}

void Wiring::say(const Job& job, const Edited& edited) {
  const bool dry = request_.dry_run == DryRun::yes;
  std::string words;
  if (edited.kind == Edited::Kind::keep) {
    words = way_ == Way::wire ? "already wired" : "nothing of ours in it";
  } else if (edited.kind == Edited::Kind::remove) {
    words = dry ? "would be removed" : "removed, it held nothing else";
  } else if (way_ == Way::wire) {
    words = dry ? "would be wired" : "wired";
  } else {
    words = dry ? "would be unwired" : "unwired";
  }
  outcome_.out += std::string(job.client->id) + ": " + words + " (" + job.path + ")\n";
  if (dry && edited.kind != Edited::Kind::keep) {
    const std::optional<std::string> after =
        edited.kind == Edited::Kind::write ? std::optional<std::string>(edited.text) : std::nullopt;
    outcome_.out += base::unified_diff(job.path, edited.before, after);
  }
  if (way_ == Way::wire && job.project && edited.kind != Edited::Kind::keep) {
    outcome_.out +=
        "  commit this file only if everyone has robot-council: without it the entry refuses every "
        "call\n";
  }
  if (way_ == Way::wire && job.client->id == "codex_cli" && edited.kind != Edited::Kind::keep) {
    outcome_.out += "  Codex runs the hook only after you trust it there: /hooks\n";
  }
}

void Wiring::do_job(const Job& job) {
  const base::Result<Edited> edited =
      edit_file(place_.context.environment, job.path,
                job.project ? NewFile::shared : NewFile::personal, request_.dry_run,
                [this, &job](const std::optional<std::string>& text) { return edit(job, text); });
  if (edited.ok()) {
    say(job, edited.value());
    return;
  }
  outcome_.ended = Ended::failed;
  place_.context.log.error(job.path + " was not edited: " + edited.error().what);
  outcome_.out += std::string(job.client->id) + ": not edited (" + job.path + ")\n";
  if (way_ == Way::wire) {
    outcome_.out +=
        "  put this into it by hand:\n" + harness::fresh_brake_file(*job.client, options_);
  }
}

void Wiring::find_vibe() {
  const bool vibe = std::any_of(clients_.begin(), clients_.end(), [](const BrakeClient* client) {
    return client->id == "mistral_vibe";
  });
  if (!vibe || way_ == Way::unwire) {
    return;
  }
  const auto version = vibe_version(place_.context.environment);
  constexpr std::array<std::int64_t, 2> kNewName = {2, 21};
  constexpr std::array<std::int64_t, 2> kSwitchFrom = {2, 15};
  constexpr std::array<std::int64_t, 2> kSwitchBefore = {2, 25};
  options_.old_vibe = version && *version < kNewName;
  if (version && *version >= kSwitchFrom && *version < kSwitchBefore) {
    outcome_.out +=
        "mistral_vibe: this version also needs enable_experimental_hooks = true in its "
        "config.toml\n";
  }
}

Outcome Wiring::run() {
  if (!choose_clients()) {
    return Outcome{Ended::usage, {}};
  }
  const RepositoryAt at = repository_at(request_.repo);
  if (!at.found) {
    place_.context.log.error("--repo " + request_.repo + ": " + at.problem);
    return Outcome{Ended::usage, {}};
  }
  checkout_ = at.worktree;
  if (way_ == Way::unwire) {
    if (const auto seen = agent_seen(place_.context.environment, {at.repository.main_checkout})) {
      place_.context.log.error(person_only(*seen));
      return Outcome{Ended::failed, {}};
    }
  }
  find_vibe();
  for (const BrakeClient* client : clients_) {
    add_jobs(*client);
  }
  for (const Job& job : jobs_) {
    do_job(job);
  }
  return outcome_;
}

}  // namespace

Outcome wire(const PersonPlace& place, const WireRequest& request) {
  return Wiring(place, request, Way::wire).run();
}

Outcome unwire(const PersonPlace& place, const WireRequest& request) {
  return Wiring(place, request, Way::unwire).run();
}

}  // namespace robot_council::brake
