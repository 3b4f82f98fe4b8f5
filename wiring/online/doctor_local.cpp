#include "wiring/online/doctor_local.hpp"

#include <sys/statvfs.h>

#include <algorithm>
#include <string>

#include "base/atomic_file.hpp"
#include "base/child.hpp"
#include "base/file_lock.hpp"
#include "base/files.hpp"
#include "base/paths.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "sink/check.hpp"
#include "sink/limits.hpp"
#include "wiring/limits.hpp"
#include "wiring/online/limits.hpp"

namespace robot_council::wiring::online {

namespace {

constexpr std::int64_t kMsInSecond = 1000;
constexpr std::size_t kProbeNameBytes = 8;
constexpr std::int64_t kMsInMinute = 60 * kMsInSecond;
constexpr unsigned kPrivateMode = 0700;

std::optional<std::int64_t> age_of(const base::Context& context,
                                   const std::optional<std::string>& time) {
  const auto ms = time ? base::parse_iso(*time) : std::nullopt;
  return ms ? std::optional<std::int64_t>(context.clock.wall_ms() - *ms) : std::nullopt;
}

bool is_read_only(const std::string& path) {
  struct ::statvfs system {};
  return ::statvfs(path.c_str(), &system) == 0 && (system.f_flag & ST_RDONLY) != 0;
}

}  // namespace

Check check_state_dir(const LocalChecks& on) {
  const std::string folder =
      base::pending_directory(hook_environment(on.context.environment, on.seat));
  const std::string remedy = "Make it writable for you alone, or set XDG_STATE_HOME.";
  // Making it private by the way would hide that it was not.
  const auto there = base::file_info(folder, base::Links::dont);
  if (there && there->kind == base::FileKind::directory && there->mode != kPrivateMode) {
    return check_failed("state-dir", folder + " is open to others, or not to you",
                        "Run: chmod 700 " + base::shell_quote(folder));
  }
  base::Status worked = base::make_private_directory(folder);
  const std::string file = folder + "/doctor-" + base::random_hex(kProbeNameBytes);
  if (worked) {
    worked = base::replace_file(file, "x", base::Sync::yes);
  }
  if (worked) {
    const auto lock = base::FileLock::try_acquire(file);
    worked = lock ? base::Status() : base::Status(lock.error());
    const auto removed = base::remove_file(file);
    worked = worked ? removed : worked;
  }
  return worked ? check_ok("state-dir", folder)
                : check_failed("state-dir", folder + ": " + worked.error().what, remedy);
}

Check check_file_system(const LocalChecks& on) {
  const std::string folder =
      base::pending_directory(hook_environment(on.context.environment, on.seat));
  // The folder itself may not be there yet.
  std::string place = folder;
  while (!base::exists(place) && place.size() > 1) {
    place = base::parent_path(place);
  }
  if (is_read_only(place)) {
    return check_failed("file-system", place + " is on a file system that nobody can write to",
                        "Set XDG_STATE_HOME to a writable folder.");
  }
  const auto type = base::network_file_system(place);
  if (!type) {
    return check_unknown("file-system", place + ": " + type.error().what,
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
  const std::string version = "SQLite " + sink::sqlite_version();
  if (!on.seat.state) {
    return no_seat("sqlite");
  }
  const std::string remedy =
      "Move the sink aside to let delivery resume; the bridge then makes a new one.";
  if (!on.seat.state->error.empty()) {
    return check_failed("sqlite", version + ": " + on.seat.state->error, remedy);
  }
  const auto& files = on.seat.state->seat.files;
  if (!base::exists(files.database())) {
    return check_ok("sqlite", version + "; there is no sink yet");
  }
  const sink::WaitBudget budget(std::min(sink::kBusyWait, base::time_left(on.deadline)));
  if (const auto checked = sink::check_file(files, budget); !checked) {
    return checked.error().code == base::Errc::busy
               ? check_unknown("sqlite", version + ": " + checked.error().what, "Run it again.")
               : check_failed("sqlite", version + ": " + checked.error().what, remedy);
  }
  return check_ok("sqlite", version + "; quick_check of the sink: ok");
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
  const auto up = age_of(on.context, record->since);
  if (!age && up && *up < kFresh) {
    return check_unknown("feed",
                         "the bridge is " + base::age_text(*up) + " old and has not read it",
                         "Run this again in half a minute.");
  }
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
      worst == nullptr ? "Run `robot-council setup " + scan.harness + "`." : worst->remedy;
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
      return check_warning(
          "hook-ran", std::string(text).append(", before ").append(path).append(" was changed"),
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
                       "Run `robot-council setup claude`, which adds the two entries.");
}

}  // namespace robot_council::wiring::online
