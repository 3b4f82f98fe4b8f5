#include "wiring/unsetup.hpp"

#include <algorithm>
#include <set>

#include "base/files.hpp"
#include "base/text.hpp"
#include "stop-hook/scan.hpp"
#include "stop-hook/script.hpp"
#include "wiring/limits.hpp"
#include "wiring/local_unit.hpp"

namespace robot_council::wiring {

namespace {

constexpr int kExitUsage = 2;

std::string service_of_script(const base::Context& context, const WireTarget& target) {
  const auto text = base::read_file(script_path(context.environment, target), kMaxFilledScript);
  const auto values =
      text ? stop_hook::read_script(*text) : base::Result<stop_hook::ScriptValues>(text.error());
  return values ? base::without_trailing(values->service, '/') : "";
}

// The services whose credential goes: those that the scripts which are taken out were filled for.
struct Forgotten {
  std::set<std::string> services;
  std::set<std::string> kept;  // a script that stays needs the credential of these
};

Forgotten services_to_forget(const base::Context& context, const UnsetupOptions& options,
                             harness::Client client) {
  Forgotten result;
  for (const Scope scope : {Scope::project, Scope::user}) {
    const std::string service =
        service_of_script(context, {client, scope, project_root(options.folder)});
    if (!service.empty()) {
      (options.scope && *options.scope != scope ? result.kept : result.services).insert(service);
    }
  }
  if (result.services.empty() && !options.service.empty()) {
    result.services.insert(options.service);
  }
  return result;
}

Step forget(const UnsetupIo& io, const UnsetupOptions& options, const Forgotten& which) {
  const std::string name = "credential";
  if (which.services.empty()) {
    return {StepResult::failed, name,
            "no script tells the fleet any more; set ROBOT_COUNCIL_SERVICE to its URL and run this "
            "again"};
  }
  Step step{StepResult::ok, name, ""};
  for (const std::string& service : which.services) {
    std::string text;
    if (which.kept.count(service) > 0) {
      step.result = StepResult::failed;
      text = "it is kept, the other scope is still wired for " + service;
    } else if (options.dry == DryRun::yes) {
      step.result = StepResult::changed;
      text = "would remove that of " + options.harness + " at " + service;
    } else if (const auto from = io.forget(service); !from) {
      step.result = StepResult::failed;
      text = from.error().what;
    } else if (from->empty()) {
      text = "none of " + options.harness + " at " + service + " is stored";
    } else {
      step.result = step.result == StepResult::ok ? StepResult::changed : step.result;
      text = "that of " + options.harness + " at " + service + " is removed from " + *from +
             "; the fleet takes it until it expires or is revoked there";
    }
    step.text += (step.text.empty() ? "" : "; ") + text;
  }
  return step;
}

}  // namespace

std::vector<std::string> left_entries(const base::Context& context, harness::Client client,
                                      const std::string& folder) {
  const stop_hook::DiskSettingsFiles files;
  const stop_hook::ScanResult result =
      stop_hook::scan({files, context.environment, folder}, harness::client_name(client));
  std::vector<std::string> left;
  for (const stop_hook::ScanEntry& entry : result.entries) {
    if (entry.kind == stop_hook::ScanEntryKind::deliver ||
        entry.kind == stop_hook::ScanEntryKind::wake) {
      left.push_back(entry.file + ":" + std::to_string(entry.line));
    }
  }
  return left;
}

int unsetup(const base::Context& context, const UnsetupOptions& options, const UnsetupIo& io) {
  const auto client = harness::parse_client(options.harness);
  if (!client) {
    context.log.error("unsetup takes one of claude, codex, cursor, gemini, copilot, goose.");
    return kExitUsage;
  }
  if (options.dry == DryRun::no && !io.confirmed()) {
    context.log.error("nothing was changed.");
    return kExitFailed;
  }
  bool failed = false;
  bool codex_changed = false;
  std::string steps;
  std::string diffs;
  std::vector<std::string> files;
  const Forgotten services = services_to_forget(context, options, *client);
  for (const Scope scope : {Scope::project, Scope::user}) {
    if (options.scope && *options.scope != scope) {
      continue;
    }
    Wirer wirer(context, {*client, scope, project_root(options.folder)}, options.dry);
    for (const Step& step :
         {wirer.take_hooks(io.pause), wirer.take_server(), wirer.take_script()}) {
      steps += step_line(step);
      failed = failed || step.result == StepResult::failed;
      codex_changed =
          codex_changed || (*client == harness::Client::codex && step.name == "stop hook" &&
                            step.result == StepResult::changed);
    }
    diffs += wirer.diffs();
    files.insert(files.end(), wirer.files().begin(), wirer.files().end());
  }
  std::vector<Step> more;
  if (options.forget) {
    more.push_back(forget(io, options, services));
  }
  if (options.local) {
    more.push_back(take_unit(context, options.dry));
  }
  for (const Step& step : more) {
    steps += step_line(step);
    failed = failed || step.result == StepResult::failed;
  }
  if (options.dry == DryRun::yes) {
    for (const std::string& line : base::split(base::without_trailing(steps, '\n'), '\n')) {
      context.log.info(line);
    }
    return io.out(diffs).ok() && !failed ? kExitOk : kExitFailed;
  }
  if (codex_changed) {
    steps +=
        "Codex trusts hooks by their place: those that stood after ours need review again, in "
        "/hooks.\n";
  }
  std::vector<std::string> left = left_entries(context, *client, options.folder);
  if (options.scope) {
    // What stands in the other scope's own file was not asked for.
    const Scope other = *options.scope == Scope::user ? Scope::project : Scope::user;
    const std::string kept =
        wire_places(context.environment, {*client, other, project_root(options.folder)}).hooks.path;
    if (std::find(files.begin(), files.end(), kept) == files.end()) {
      left.erase(
          std::remove_if(left.begin(), left.end(),
                         [&](const std::string& place) { return place.rfind(kept + ":", 0) == 0; }),
          left.end());
    }
  }
  if (left.empty() && !failed) {
    steps += "No entry of robot-council is left in " + base::join(files, ", ") + ".\n";
  } else if (!left.empty()) {
    steps += "An entry of robot-council is left in " + base::join(left, ", ") + ".\n";
  }
  return io.out(steps).ok() && left.empty() && !failed ? kExitOk : kExitFailed;
}

}  // namespace robot_council::wiring
