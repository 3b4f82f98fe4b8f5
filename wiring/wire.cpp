#include "wiring/wire.hpp"

#include <algorithm>
#include <utility>

#include "base/atomic_file.hpp"
#include "base/child.hpp"
#include "base/edit_file.hpp"
#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "base/text_diff.hpp"
#include "base/time_text.hpp"
#include "harness/settings_limits.hpp"
#include "wiring/limits.hpp"

namespace robot_council::wiring {

namespace {

using harness::Client;
using harness::Edited;

constexpr base::Milliseconds kLockWait{5000};  // an edit takes milliseconds
constexpr base::Milliseconds kCursorWait{
    2000};  // Cursor watches its file and reloads within a second
constexpr std::size_t kMaxScript = std::size_t{256} << 10U;
constexpr unsigned kScriptMode = 0755;
constexpr unsigned kSharedMode = 0644;

std::string shown_value(const std::string& value) {
  return value.empty() ? "none" : "\"" + harness::quoted_text(value) + "\"";
}

// What two filled scripts differ in that decides on the sink; "" = nothing.
std::string seat_difference(const stop_hook::ScriptValues& there,
                            const stop_hook::ScriptValues& wanted) {
  const auto differ = [](const char* what, const std::string& a, const std::string& b) {
    return a.empty() || a == b ? std::string()
                               : std::string("it is filled for the ") + what + " " +
                                     shown_value(a) + ", not " + shown_value(b);
  };
  std::string text = differ("service", there.service, wanted.service);
  if (text.empty()) {
    text = differ("harness", there.harness, wanted.harness);
  }
  if (text.empty() && !there.service.empty() && there.project != wanted.project) {
    text = "it is filled for the project " + shown_value(there.project) + ", not " +
           shown_value(wanted.project);
  }
  return text;
}

}  // namespace

std::string_view to_text(StepResult result) {
  switch (result) {
    case StepResult::changed:
      return "changed";
    case StepResult::by_hand:
      return "by hand";
    case StepResult::skipped:
      return "skipped";
    case StepResult::failed:
      return "failed";
    case StepResult::ok:
      break;
  }
  return "ok";
}

std::string step_line(const Step& step) {
  return std::string(to_text(step.result)) + "  " + step.name + ": " + step.text + "\n";
}

Wirer::Wirer(const base::Context& context, WireTarget target, DryRun dry)
    : context_(context),
      target_(std::move(target)),
      places_(wire_places(context.environment, target_)),
      dry_(dry) {}

std::string Wirer::record_path() const {
  return base::join_path(base::data_directory(context_.environment), "wiring.json");
}
std::string Wirer::lock_folder() const {
  return base::join_path(base::data_directory(context_.environment), "locks");
}

// {"version":1,"files":{"<path>":{"made":true,"containers":["hooks"],"backup":"<path>"}}}
Wirer::Recorded Wirer::recorded(const std::string& path) const {
  Recorded value;
  const auto bytes = base::read_file(record_path(), harness::kMaxSettingsBytes);
  const auto all = bytes.ok() ? base::parse_bounded(*bytes, harness::kMaxSettingsBytes)
                              : base::Result<base::Json>(base::Error{});
  const base::Json* files = all.ok() ? base::get_object(*all, "files") : nullptr;
  const base::Json* file = files == nullptr ? nullptr : base::get_object(*files, path);
  if (file == nullptr) {
    return value;
  }
  value.made = base::get_bool(*file, "made").value_or(false);
  value.backup = base::get_string(*file, "backup").value_or("");
  if (const base::Json* containers = base::get_array(*file, "containers")) {
    for (const base::Json& name : *containers) {
      if (name.is_string()) {
        value.containers.insert(name.get<std::string>());
      }
    }
  }
  return value;
}

base::Status Wirer::record(const std::string& path, const std::optional<Recorded>& value) const {
  base::FileEdit edit;
  edit.path = record_path();
  edit.lock_folder = lock_folder();
  edit.max_bytes = harness::kMaxSettingsBytes;
  edit.build =
      [&](const std::optional<std::string>& old) -> base::Result<std::optional<std::string>> {
    base::Json all = base::Json::object();
    if (old) {
      auto parsed = base::parse_bounded(*old, harness::kMaxSettingsBytes);
      if (parsed.ok() && parsed->is_object()) {
        all = std::move(*parsed);
      }
    }
    all["version"] = 1;
    if (base::get_object(all, "files") == nullptr) {
      all["files"] = base::Json::object();
    }
    if (value) {
      all["files"][path] = {
          {"made", value->made}, {"containers", value->containers}, {"backup", value->backup}};
    } else {
      all["files"].erase(path);
    }
    return std::optional<std::string>(base::dump_safe(all) + "\n");
  };
  const auto done = base::edit_file(edit, context_.clock.steady() + kLockWait);
  return done.ok() ? base::Status() : base::Status(done.error());
}

std::string Wirer::diffs() const {
  std::string text;
  for (const Planned& file : planned_) {
    text += base::unified_diff(file.path, file.before, file.after);
  }
  return text;
}

void Wirer::plan(const std::string& path, const std::optional<std::string>& before,
                 const std::optional<std::string>& after) {
  const auto known = std::find_if(planned_.begin(), planned_.end(),
                                  [&](const Planned& file) { return file.path == path; });
  if (known == planned_.end()) {
    planned_.push_back({path, before, after});
  } else {
    known->after = after;
  }
}

// What a file would hold by now: as planned, else as it is.
base::Result<std::optional<std::string>> Wirer::planned(const std::string& path) const {
  for (const Planned& file : planned_) {
    if (file.path == path) {
      return file.after;
    }
  }
  auto bytes = base::read_file(path, harness::kMaxSettingsBytes);
  if (!bytes.ok()) {
    if (bytes.error().code == base::Errc::not_found) {
      return std::optional<std::string>();
    }
    return bytes.error();
  }
  return std::optional<std::string>(std::move(bytes).value());
}

// A step of a dry run: what `build` makes of the file is kept, nothing is written.
Step Wirer::plan_step(const std::string& name, const std::string& path,
                      const std::function<base::Result<std::optional<std::string>>(
                          const std::optional<std::string>&)>& build) {
  const auto before = planned(path);
  if (!before.ok()) {
    return {StepResult::failed, name, before.error().what};
  }
  const auto after = build(*before);
  if (!after.ok()) {
    return {StepResult::failed, name, after.error().what};
  }
  plan(path, *before, *after);
  return {*before == *after ? StepResult::ok : StepResult::changed, name, path};
}

void Wirer::remember(const std::string& path) {
  if (std::find(files_.begin(), files_.end(), path) == files_.end()) {
    files_.push_back(path);
  }
}

// What a person must know of a file in a repository that others may get: it names a path of this
// machine. git counts a file that it tracks as one that it does not ignore. "" = nothing.
std::string Wirer::shared_note(const std::string& path) const {
  if (target_.scope == Scope::user) {
    return {};
  }
  constexpr int kNotIgnored = 1;
  base::ChildOptions options;
  options.argv = {"git", "check-ignore", "-q", "--", path};
  options.environment = context_.environment.all();
  options.directory = target_.root;
  options.standard_err = base::Stdio::null;  // no repository is no fault
  const auto asked = base::run_child(std::move(options), {}, context_.clock.steady() + kGitTime);
  return asked.ok() && asked->status.code == kNotIgnored
             ? "; git does not ignore this file, and it names a path of this machine"
             : "";
}

// Puts something into one file.
Step Wirer::edit(const std::string& name, const std::string& path, unsigned mode,
                 const Build& build, const Verify& verify) {
  remember(path);
  Edited last;
  bool wrote_record = false;
  base::FileEdit edit;
  edit.path = path;
  edit.lock_folder = lock_folder();
  edit.max_bytes = harness::kMaxSettingsBytes;
  edit.new_mode = mode;
  edit.private_folder = target_.scope == Scope::user;
  edit.verify = verify;
  const Recorded before = recorded(path);
  Recorded known = before;
  if (!known.backup.empty() && !base::exists(known.backup)) {
    known.backup.clear();  // a person took it away, or a setup was killed before it was made
  }
  if (known.backup.empty() && !known.made) {
    edit.backup = path + ".robot-council-backup-" + base::compact_utc(context_.clock.wall_ms());
  }
  edit.build =
      [&](const std::optional<std::string>& old) -> base::Result<std::optional<std::string>> {
    auto built = build(old);
    if (!built.ok()) {
      return base::Error{built.error().code,
                         path + ":" + built.error().what + "; nothing was written"};
    }
    last = std::move(built).value();
    if (!last.changed) {
      return old;
    }
    if (dry_ == DryRun::no) {
      // Before the file is written: a setup that is killed in between is still undone whole.
      Recorded coming = known;
      coming.made = known.made || !old;
      coming.containers.insert(last.made.begin(), last.made.end());
      if (coming.backup.empty() && !coming.made) {
        coming.backup = edit.backup;
      }
      if (auto status = record(path, coming); !status.ok()) {
        return base::Error{status.error().code,
                           "what is to be written could not be recorded: " + status.error().what};
      }
      wrote_record = true;
    }
    return std::optional<std::string>(last.bytes);
  };
  if (dry_ == DryRun::yes) {
    return plan_step(name, path, edit.build);
  }
  const auto done = base::edit_file(edit, context_.clock.steady() + kLockWait);
  if (!done.ok()) {
    if (wrote_record) {
      (void)record(path, before.made || !before.containers.empty() || !before.backup.empty()
                             ? std::optional<Recorded>(before)
                             : std::nullopt);
    }
    return {StepResult::failed, name, done.error().what};
  }
  if (!done->changed) {
    return {StepResult::ok, name, path + shared_note(path)};
  }
  return {StepResult::changed, name, path + shared_note(path)};
}

// Takes something out of one file; a file that we made and that holds nothing else goes.
Step Wirer::take(const std::string& name, const std::string& path, const Build& build) {
  remember(path);
  const Recorded known = recorded(path);
  std::optional<std::string> result;
  base::FileEdit edit;
  edit.path = path;
  edit.lock_folder = lock_folder();
  edit.max_bytes = harness::kMaxSettingsBytes;
  edit.build =
      [&](const std::optional<std::string>& old) -> base::Result<std::optional<std::string>> {
    if (!old) {
      return old;
    }
    auto built = build(old);
    if (!built.ok()) {
      return base::Error{built.error().code,
                         path + ":" + built.error().what + "; nothing was written"};
    }
    const bool empty = built->bytes.empty() || harness::is_empty_settings(built->bytes);
    result = known.made && empty ? std::optional<std::string>()
                                 : std::optional<std::string>(built->bytes);
    return result;
  };
  if (!base::exists(path)) {
    return {StepResult::ok, name, path + " is not there"};
  }
  if (dry_ == DryRun::yes) {
    return plan_step(name, path, edit.build);
  }
  const auto done = base::edit_file(edit, context_.clock.steady() + kLockWait);
  if (!done.ok()) {
    return {StepResult::failed, name, done.error().what};
  }
  // Gemini CLI keeps both entries in one file: what we made of it is asked for again by the second
  // step.
  const bool more_follows =
      name == "stop hook" && places_.server && places_.server->path == path && result;
  if (more_follows) {
    return {done->changed ? StepResult::changed : StepResult::ok, name, path};
  }
  // A backup that equals what is left has no more use.
  const auto backup = known.backup.empty()
                          ? base::Result<std::string>(base::Error{})
                          : base::read_file(known.backup, harness::kMaxSettingsBytes);
  if (backup.ok() && result && *backup == *result) {
    (void)base::remove_file(known.backup);
  }
  if (auto status = record(path, std::nullopt); !status.ok()) {
    context_.log.warning("what was taken out could not be recorded: " + status.error().what);
  }
  return {done->changed ? StepResult::changed : StepResult::ok, name, path};
}

harness::EditPlan Wirer::hook_plan(const std::set<std::string>& removable) const {
  harness::EditPlan plan;
  plan.client = target_.client;
  plan.file = target_.client == Client::claude || target_.client == Client::gemini
                  ? harness::EditFile::settings
                  : harness::EditFile::hooks_file;
  plan.script = places_.script;
  plan.hooks = harness::unwanted_hooks(target_.client);
  plan.removable = removable;
  return plan;
}

harness::EditPlan Wirer::server_plan(const std::string& entry,
                                     const std::set<std::string>& removable) const {
  harness::EditPlan plan;
  plan.client = target_.client;
  plan.file =
      target_.client == Client::gemini ? harness::EditFile::settings : harness::EditFile::servers;
  plan.touch_server = true;
  plan.server = entry;
  plan.removable = removable;
  return plan;
}

Step Wirer::put_script(const std::string& source, const stop_hook::ScriptValues& values) {
  const std::string name = "script";
  const auto text = base::read_file(source, kMaxScript);
  if (!text.ok()) {
    return {StepResult::failed, name,
            "the stop-hook script could not be read: " + text.error().what};
  }
  const auto filled = stop_hook::fill_script(*text, values);
  if (!filled.ok()) {
    return {StepResult::failed, name, filled.error().what};
  }
  const auto there = base::read_file(places_.script, kMaxScript);
  const auto old = there.ok() ? stop_hook::read_script(*there)
                              : base::Result<stop_hook::ScriptValues>(base::Error{});
  if (old.ok()) {
    const std::string difference = seat_difference(*old, values);
    if (!difference.empty()) {
      return {StepResult::failed, name,
              places_.script + ": " + difference + "; run robot-council unsetup " +
                  std::string(harness::client_name(target_.client)) + " first"};
    }
  }
  const auto info = base::file_info(places_.script, base::Links::dont);
  if (there.ok() && *there == *filled && info.ok() && info->mode == kScriptMode) {
    return {StepResult::ok, name, places_.script};
  }
  if (dry_ == DryRun::yes) {
    plan(places_.script, there.ok() ? std::optional<std::string>(*there) : std::nullopt, *filled);
    return {StepResult::changed, name, places_.script};
  }
  base::FileEdit edit;
  edit.path = places_.script;
  edit.lock_folder = lock_folder();
  edit.max_bytes = kMaxScript;
  edit.new_mode = kScriptMode;
  edit.build = [&](const std::optional<std::string>&) -> base::Result<std::optional<std::string>> {
    return std::optional<std::string>(*filled);
  };
  const auto done = base::edit_file(edit, context_.clock.steady() + kLockWait);
  if (!done.ok()) {
    return {StepResult::failed, name, done.error().what};
  }
  if (auto status = base::set_mode(places_.script, kScriptMode); !status.ok()) {
    return {StepResult::failed, name, status.error().what};
  }
  return {StepResult::changed, name, places_.script};
}

Step Wirer::put_manifest() {
  const unsigned mode = target_.scope == Scope::user ? 0600 : kSharedMode;
  return edit(
      "mcp server", places_.manifest, mode,
      [](const std::optional<std::string>& old) -> base::Result<Edited> {
        Edited edited;
        base::OrderedJson manifest = base::OrderedJson::object();
        manifest["name"] = "robot-council";
        manifest["version"] = "1.0.0";
        manifest["description"] = "Connects goose to its fleet.";
        edited.bytes = old ? *old : base::dump_pretty(manifest, 2) + "\n";
        edited.changed = !old;
        return edited;
      },
      nullptr);
}

Step Wirer::put_server(const harness::ServerValues& values) {
  const std::string name = "mcp server";
  if (target_.client == Client::claude) {
    const auto program = claude_program();
    if (program) {
      return claude_server(values, *program);
    }
    if (!places_.server) {
      return {StepResult::by_hand, name,
              "claude is not on PATH; in " + target_.root +
                  " run claude mcp add -s local robot-council -- " + values.program + " mcp"};
    }
  }
  if (!places_.manifest.empty()) {
    Step manifest = put_manifest();
    if (manifest.result == StepResult::failed) {
      return manifest;
    }
  }
  const unsigned mode = target_.scope == Scope::user ? 0600 : kSharedMode;
  if (places_.server->kind == WireKind::codex_servers) {
    const std::string block = harness::codex_block(values);
    return edit(
        name, places_.server->path, mode,
        [&](const std::optional<std::string>& old) {
          return harness::edit_codex_block(old, block);
        },
        nullptr);
  }
  const harness::EditPlan plan = server_plan(harness::server_entry(target_.client, values), {});
  return edit(
      name, places_.server->path, mode,
      [&](const std::optional<std::string>& old) { return harness::edit_settings(old, plan); },
      [&](const std::optional<std::string>& old, std::string_view now) {
        return harness::check_edit(old, now, plan);
      });
}

Step Wirer::put_hooks(harness::Wake wake, const std::string& record) {
  const unsigned mode = target_.scope == Scope::user ? 0600 : kSharedMode;
  harness::EditPlan plan = hook_plan({});
  plan.hooks = harness::wanted_hooks(target_.client, places_.script, wake);
  if (!record.empty()) {
    plan.hooks.push_back({std::string(harness::stop_event_name(target_.client)),
                          harness::CommandForm::record, record});
  }
  return edit(
      "stop hook", places_.hooks.path, mode,
      [&](const std::optional<std::string>& old) { return harness::edit_settings(old, plan); },
      [&](const std::optional<std::string>& old, std::string_view now) {
        return harness::check_edit(old, now, plan);
      });
}

Step Wirer::take_hooks(const std::function<void(base::Milliseconds)>& pause) {
  const std::string& path = places_.hooks.path;
  const Recorded known = recorded(path);
  // Cursor unloads a hook when its file is written, not when it goes.
  if (target_.client == Client::cursor && known.made && dry_ == DryRun::no && base::exists(path)) {
    base::FileEdit edit;
    edit.path = path;
    edit.lock_folder = lock_folder();
    edit.max_bytes = harness::kMaxSettingsBytes;
    std::set<std::string> removable = known.containers;
    removable.erase("hooks");
    edit.build =
        [&](const std::optional<std::string>& old) -> base::Result<std::optional<std::string>> {
      auto built = harness::edit_settings(old, hook_plan(removable));
      return built.ok() ? base::Result<std::optional<std::string>>(
                              std::optional<std::string>(built->bytes))
                        : base::Result<std::optional<std::string>>(built.error());
    };
    const auto written = base::edit_file(edit, context_.clock.steady() + kLockWait);
    if (written.ok() && written->changed) {
      pause(kCursorWait);
    }
  }
  return take("stop hook", path, [&](const std::optional<std::string>& old) {
    return harness::edit_settings(old, hook_plan(known.containers));
  });
}

Step Wirer::take_server() {
  const std::string name = "mcp server";
  if (target_.client == Client::claude) {
    const auto program = claude_program();
    const bool local = target_.scope == Scope::project;
    std::string bytes;
    if (!claude_holds("", bytes)) {
      return {StepResult::ok, name,
              "Claude Code has no server robot-council in its " +
                  std::string(local ? "local" : "user") + " scope"};
    }
    if (program && dry_ == DryRun::no) {
      base::ChildOptions options;
      options.argv = {*program, "mcp", "remove", "-s", local ? "local" : "user", "robot-council"};
      options.environment = context_.environment.all();
      options.standard_err = base::Stdio::pipe;
      options.directory = local ? std::optional<std::string>(target_.root) : std::nullopt;
      const auto done =
          base::run_child(std::move(options), {}, context_.clock.steady() + kClaudeProgramTime);
      if (done.ok() && done->status.success()) {
        return {StepResult::changed, name, "claude mcp remove"};
      }
    }
    if (!places_.server) {
      return {StepResult::by_hand, name,
              "in " + target_.root + " run claude mcp remove -s local robot-council"};
    }
  }
  const std::string& path = places_.server->path;
  if (places_.server->kind == WireKind::codex_servers) {
    return take(name, path, [](const std::optional<std::string>& old) {
      return harness::edit_codex_block(old, "");
    });
  }
  const Recorded known = recorded(path);
  Step step = take(name, path, [&](const std::optional<std::string>& old) {
    return harness::edit_settings(old, server_plan("", known.containers));
  });
  if (!places_.manifest.empty() && step.result != StepResult::failed) {
    (void)take(name, places_.manifest,
               [](const std::optional<std::string>& old) -> base::Result<Edited> {
                 Edited edited;
                 edited.bytes = old.value_or("");
                 return edited;
               });
  }
  return step;
}

Step Wirer::take_script() {
  if (!base::exists(places_.script)) {
    return {StepResult::ok, "script", places_.script + " is not there"};
  }
  if (dry_ == DryRun::yes) {
    return plan_step("script", places_.script, [](const std::optional<std::string>&) {
      return std::optional<std::string>();
    });
  }
  if (auto status = base::remove_file(places_.script); !status.ok()) {
    return {StepResult::failed, "script", status.error().what};
  }
  return {StepResult::changed, "script", places_.script};
}

}  // namespace robot_council::wiring
