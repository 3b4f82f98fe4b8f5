#include "wiring/online/doctor_local.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "base/atomic_file.hpp"
#include "base/child.hpp"
#include "base/file_lock.hpp"
#include "base/files.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "base/version.hpp"
#include "sink/store.hpp"
#include "wiring/limits.hpp"
#include "wiring/online/limits.hpp"

namespace robot_council::wiring::online {

namespace {

constexpr std::int64_t kMsInSecond = 1000;
constexpr std::int64_t kMsInMinute = 60 * kMsInSecond;
constexpr unsigned kScriptMode = 0755;

const BridgeRecord* record_of(const DoctorSeat& seat) {
  return seat.state && seat.state->record ? &*seat.state->record : nullptr;
}

std::optional<std::int64_t> age_of(const base::Context& context,
                                   const std::optional<std::string>& time) {
  const auto ms = time ? base::parse_iso(*time) : std::nullopt;
  return ms ? std::optional<std::int64_t>(context.clock.wall_ms() - *ms) : std::nullopt;
}

Check no_seat(const char* id) {
  return check_unknown(id, "the fleet's service is not known, so the seat is not either",
                       "Pass --service, or wire this harness.");
}

// The key that a hook finds in this folder with these variables; "" when it cannot be told.
std::string key_of_hook(const DoctorSeat& seat, const base::MapEnvironment& environment,
                        const std::string& folder) {
  const std::string from =
      environment.get("CLAUDE_PROJECT_DIR") ? sink::hook_folder(environment, seat.harness) : folder;
  const auto found =
      sink::resolve_seat({seat.service, seat.harness, seat.project}, from, environment);
  return found ? found->files.folder + "/" + found->files.key : "";
}

}  // namespace

Check check_binary(const LocalChecks& on) {
  const HookPath path = hook_path(on.seat);
  const std::string program =
      on.seat.script && !on.seat.script->program.empty() ? on.seat.script->program : on.program;
  base::ChildOptions options;
  options.argv = {program, "--version"};
  options.environment = {"HOME=" + base::home_directory(on.context.environment),
                         "PATH=" + path.value};
  options.standard_err = base::Stdio::pipe;
  const auto ran = base::run_child(std::move(options), {}, base::deadline_in(kDoctorCheckTime));
  if (ran && ran->status.success()) {
    return check_ok(
        "binary",
        program + " starts" +
            (path.told ? "" : " with " + path.value + ", since no bridge has told its PATH"));
  }
  return check_failed(
      "binary",
      program + " does not start: " + (ran ? base::for_display(ran->err) : ran.error().what),
      "Reinstall robot-council, or correct the path in the script.");
}

Check check_version(const LocalChecks& on) {
  const std::string own(base::version());
  const BridgeRecord* record = record_of(on.seat);
  if (on.seat.script && !on.seat.script->version.empty() && on.seat.script->version != own) {
    return check_warning("version",
                         "the script was filled by " + base::for_display(on.seat.script->version) +
                             ", this is " + own,
                         "Fill the script again.");
  }
  if (on.seat.state && on.seat.state->bridge_running && record != nullptr &&
      record->version.value_or(own) != own) {
    return check_warning(
        "version",
        "the running bridge is " + base::for_display(*record->version) + ", this is " + own,
        "Restart " + on.seat.harness + ".");
  }
  return check_ok("version", own);
}

Check check_script(const LocalChecks& on) {
  if (!on.seat.entry) {
    return check_failed("script", "no entry of " + on.seat.harness + " hands events over",
                        "Wire the stop hook; wiki/Wiring.md has the entry.");
  }
  if (on.seat.script_path.empty()) {
    return check_ok("script", "the entry runs `" + base::for_display(on.seat.entry->command) +
                                  "` without the script");
  }
  const auto info = base::file_info(on.seat.script_path, base::Links::follow);
  if (!info || !on.seat.script) {
    return check_failed(
        "script", on.seat.script_path + (info ? " is not the stop-hook script" : " is not there"),
        "Copy the script from share/robot-council/stop-hook again.");
  }
  if ((info->mode & kScriptMode) != kScriptMode) {
    return check_failed("script",
                        on.seat.script_path + " may not be executed by everyone who runs it",
                        "Run: chmod 755 " + base::shell_quote(on.seat.script_path));
  }
  if (!on.seat.script->harness.empty() && on.seat.script->harness != on.seat.harness) {
    return check_failed("script",
                        on.seat.script_path + " is filled for " +
                            base::for_display(on.seat.script->harness) + ", the entry is that of " +
                            on.seat.harness,
                        "Give each harness a script of its own.");
  }
  return check_ok("script", on.seat.script_path);
}

Check check_state_dir(const LocalChecks& on) {
  const std::string folder = base::pending_directory(on.context.environment);
  const auto made = base::make_private_directory(folder);
  const std::string file = folder + "/doctor-" + std::to_string(on.context.clock.wall_ms());
  base::Status worked = made;
  if (worked) {
    worked = base::replace_file(file, "x", base::Sync::yes);
  }
  if (worked) {
    const auto lock = base::FileLock::try_acquire(file);
    worked = lock ? base::Status() : base::Status(lock.error());
    const auto removed = base::remove_file(file);
    worked = worked ? removed : worked;
  }
  if (worked) {
    return check_ok("state-dir", folder);
  }
  return check_failed("state-dir", folder + ": " + worked.error().what,
                      "Make it writable for you alone, or set XDG_STATE_HOME.");
}

Check check_file_system(const LocalChecks& on) {
  const std::string folder = base::pending_directory(on.context.environment);
  const auto type = base::network_file_system(folder);
  if (!type) {
    return check_unknown("file-system", folder + ": " + type.error().what,
                         "Run again when the folder is there.");
  }
  if (!type->empty()) {
    return check_warning(
        "file-system",
        "the sink folder " + folder + " is on " + *type + ", where file locks are not reliable",
        "Set XDG_STATE_HOME to a local folder.");
  }
  return check_ok("file-system", "local");
}

Check check_sqlite(const LocalChecks& on) {
  if (!on.seat.state) {
    return no_seat("sqlite");
  }
  if (!on.seat.state->error.empty()) {
    return check_failed("sqlite", on.seat.state->error,
                        "Move the sink aside to let delivery resume.");
  }
  return check_ok("sqlite", base::exists(on.seat.state->seat.files.database())
                                ? "the sink can be read"
                                : "there is no sink yet");
}

Check check_seat_key(const LocalChecks& on) {
  if (!on.seat.seat) {
    return no_seat("seat-key");
  }
  const std::string state = base::state_home(on.context.environment);
  base::MapEnvironment hook(
      {{"HOME", base::home_directory(on.context.environment)}, {"XDG_STATE_HOME", state}});
  const BridgeRecord* record = record_of(on.seat);
  std::string text = "hook " + key_of_hook(on.seat, hook, on.seat.folder);
  const std::string expected = on.seat.seat->files.folder + "/" + on.seat.seat->files.key;
  if (record != nullptr) {
    const std::string bridge = record->state.value_or(on.seat.seat->files.folder);
    text += ", bridge " + bridge + "/" + on.seat.seat->files.key;
    if (bridge != on.seat.seat->files.folder) {
      return check_failed("seat-key", "events go to another sink: " + text,
                          "Give bridge and hook one XDG_STATE_HOME.");
    }
    if (record->project_env.value_or("") != on.seat.project && record->project_env) {
      return check_failed(
          "seat-key",
          "events go to another sink: the bridge was started with ROBOT_COUNCIL_PROJECT " +
              base::for_display(*record->project_env) + ", which its hook would read",
          "Unset ROBOT_COUNCIL_PROJECT, or pass --project to the bridge.");
    }
  }
  if (const auto own = on.context.environment.nonblank("ROBOT_COUNCIL_PROJECT");
      own && *own != on.seat.project) {
    return check_failed("seat-key",
                        "events go to another sink: ROBOT_COUNCIL_PROJECT is " +
                            base::for_display(*own) + " here, and the script hands it to the hook",
                        "Unset ROBOT_COUNCIL_PROJECT, or pass --project to the bridge.");
  }
  if (key_of_hook(on.seat, hook, on.seat.folder) != expected) {
    return check_failed("seat-key", "events go to another sink: " + text,
                        "Restart the harness in the root of this checkout.");
  }
  hook.set("CLAUDE_PROJECT_DIR", on.seat.folder);
  if (key_of_hook(on.seat, hook, on.seat.folder) != expected) {
    return check_failed("seat-key",
                        "events go to another sink when CLAUDE_PROJECT_DIR is set: " + text,
                        "Restart the harness in the root of this checkout.");
  }
  return check_ok("seat-key", text);
}

Check check_bridge(const LocalChecks& on) {
  if (!on.seat.state) {
    return no_seat("bridge");
  }
  if (!on.seat.state->bridge_running) {
    return check_warning("bridge", "no bridge runs for this seat, so nothing follows the feed",
                         "Start " + on.seat.harness + " in this checkout.");
  }
  const BridgeRecord* record = record_of(on.seat);
  return check_ok(
      "bridge", "pid " + std::to_string(on.seat.state->bridge_pid.value_or(0)) +
                    (record == nullptr
                         ? ""
                         : ", " + base::for_display(record->version.value_or("unknown version"))));
}

Check check_second_bridge(const LocalChecks& on) {
  if (!on.seat.state) {
    return no_seat("second-bridge");
  }
  const auto& files = on.seat.state->seat.files;
  const std::string head = files.key + ".bridge-";
  for (const auto& name : base::list_directory(files.folder, kMaxSinkNames).value_or({})) {
    const auto pid = name.compare(0, head.size(), head) == 0
                         ? base::parse_digits(name.substr(head.size()))
                         : std::nullopt;
    if (pid && !base::process_start_time(static_cast<pid_t>(*pid)).empty()) {
      return check_warning("second-bridge",
                           "a second bridge runs in this checkout, pid " + std::to_string(*pid) +
                               "; the two share one sink",
                           "Run one session per checkout.");
    }
  }
  return check_ok("second-bridge", "none");
}

Check check_feed(const LocalChecks& on) {
  constexpr std::int64_t kFresh = 90 * kMsInSecond;
  constexpr std::int64_t kDead = 10 * kMsInMinute;
  const BridgeRecord* record = record_of(on.seat);
  if (record == nullptr || !on.seat.state->bridge_running || !record->session) {
    return check_unknown("feed", "no joined bridge reads it",
                         "Start " + on.seat.harness + " and let it join.");
  }
  const auto age = age_of(on.context, record->read_at);
  if (!age) {
    return check_warning("feed", "it was not read yet", "Look at the bridge's stderr.");
  }
  const std::string text = "read " + base::age_text(*age) + " ago";
  if (*age > kDead) {
    return check_failed("feed", text, "Look at the bridge's stderr; is the service there?");
  }
  return *age > kFresh ? check_warning("feed", text, "Look at the bridge's stderr.")
                       : check_ok("feed", text);
}

Check check_hook_scan(const LocalChecks& on) {
  const auto& scan = on.seat.scan;
  const stop_hook::ScanFinding* worst = nullptr;
  for (const auto& finding : scan.findings) {
    if (finding.severity != stop_hook::ScanSeverity::information &&
        (worst == nullptr || finding.severity < worst->severity)) {
      worst = &finding;
    }
  }
  const std::string text = std::string(stop_hook::to_text(scan.outcome)) +
                           (worst == nullptr ? "" : "; " + worst->file + ": " + worst->text);
  const std::string remedy =
      worst == nullptr ? "Wire the stop hook; wiki/Wiring.md has the entry." : worst->remedy;
  const bool runs = scan.outcome == stop_hook::ScanOutcome::runs;
  if (!runs || (worst != nullptr && worst->severity == stop_hook::ScanSeverity::error)) {
    return scan.outcome == stop_hook::ScanOutcome::unknown
               ? check_unknown("hook-scan", text, remedy)
               : check_failed("hook-scan", text, remedy);
  }
  return worst == nullptr ? check_ok("hook-scan", text) : check_warning("hook-scan", text, remedy);
}

Check check_hook_ran(const LocalChecks& on) {
  constexpr std::int64_t kBehind = 10 * kMsInMinute;
  if (!on.seat.state || !on.seat.state->hook_ms) {
    return check_unknown("hook-ran", "the stop hook has not run here", "Finish a turn.");
  }
  const std::int64_t ran = *on.seat.state->hook_ms;
  const std::string text =
      on.seat.state->hook_answer + ", " + base::age_text(on.context.clock.wall_ms() - ran) + " ago";
  for (const std::string& path :
       {on.seat.entry ? on.seat.entry->file : std::string(), on.seat.script_path}) {
    const auto info = path.empty() ? base::Result<base::FileInfo>(base::Error{})
                                   : base::file_info(path, base::Links::follow);
    // Its times are whole seconds.
    if (info && info->modified_ms > ran + kMsInSecond) {
      return check_warning("hook-ran", text + ", before " + path + " was changed",
                           "Restart " + on.seat.harness + ", then finish a turn.");
    }
  }
  const BridgeRecord* record = record_of(on.seat);
  const auto tool = record == nullptr ? std::nullopt
                    : record->tool_at ? base::parse_iso(*record->tool_at)
                                      : std::nullopt;
  if (tool && *tool - ran > kBehind) {
    return check_warning("hook-ran", text + ", long before the agent's last tool call",
                         "Restart " + on.seat.harness + ".");
  }
  return check_ok("hook-ran", text);
}

Check check_wake_path(const LocalChecks& on) {
  if (on.seat.harness != "claude") {
    return check_ok("wake-path", "none for " + on.seat.harness +
                                     "; events are handed over at the next turn end");
  }
  for (const auto& finding : on.seat.scan.findings) {
    if (finding.rule == "shape" && finding.text.find("asyncRewake") != std::string::npos &&
        finding.severity == stop_hook::ScanSeverity::error) {
      return check_failed("wake-path", finding.text, finding.remedy);
    }
  }
  const BridgeRecord* record = record_of(on.seat);
  const std::string channel = record != nullptr && record->channel.value_or(false)
                                  ? "channel: declared, cannot be confirmed"
                                  : "channel: not declared";
  if (on.seat.scan.wake_wired) {
    return check_ok("wake-path", "background hook: wired; " + channel);
  }
  return check_warning("wake-path", "background hook: not wired; " + channel,
                       "Add the two entries with `asyncRewake` (wiki/Wake.md).");
}

}  // namespace robot_council::wiring::online
