// The checks that compare what harness, script, server entry and bridge were given: they must all
// mean one program, one fleet and one sink.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/child.hpp"
#include "base/files.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "base/version.hpp"
#include "sink/seat_lock.hpp"
#include "wiring/online/doctor_local.hpp"
#include "wiring/online/limits.hpp"
#include "wiring/seats.hpp"

namespace robot_council::wiring::online {

namespace {

constexpr unsigned kScriptMode = 0755;

std::string quoted(const std::string& value) {
  return value.empty() ? "none" : "\"" + base::for_display(value) + "\"";
}

std::string setup_again(const DoctorSeat& seat) {
  return "Run `robot-council setup " + seat.harness + "`, after `robot-council unsetup " +
         seat.harness + "` if it names another fleet.";
}

// A program's `--version` in an environment with nothing but HOME and PATH.
base::Result<base::Finished> ask_version(const LocalChecks& on, const std::string& program,
                                         const std::string& path) {
  base::ChildOptions options;
  options.argv = {program, "--version"};
  options.environment = {"HOME=" + base::home_directory(on.context.environment), "PATH=" + path};
  options.standard_err = base::Stdio::pipe;
  return base::run_child(std::move(options), {}, on.deadline);
}

std::string filled_program(const LocalChecks& on) {
  return on.seat.script && !on.seat.script->program.empty() ? on.seat.script->program : on.program;
}

// What script, server entry and key of the credential name differently, "" = nothing.
std::string difference(const DoctorSeat& seat) {
  const auto differ = [](const std::string& what, const std::string& one, const std::string& a,
                         const std::string& other, const std::string& b) {
    return a == b
               ? ""
               : what + " differs: " + quoted(a) + " in " + one + ", " + quoted(b) + " in " + other;
  };
  const std::string script = "the script";
  std::string text;
  if (seat.script && !seat.script->service.empty()) {
    text = differ("the service", script, seat.script->service, "the credential's key",
                  sink::reduce_service(seat.script->service));
  }
  if (text.empty() && seat.script && !seat.script->harness.empty()) {
    text = differ("the harness", script, seat.script->harness, "the entry", seat.harness);
  }
  if (seat.servers.empty() || !seat.script) {
    return text;
  }
  const ServerEntry& server = seat.servers.front();
  if (text.empty() && !seat.script->service.empty() && !server.service.empty()) {
    text = differ("the service", script, seat.script->service, server.file, server.service);
  }
  if (text.empty() && !server.harness.empty()) {
    text = differ("the harness", script, seat.harness, server.file, server.harness);
  }
  if (text.empty()) {
    text = differ("the project", script, seat.script->project, server.file, server.project);
  }
  return text;
}

}  // namespace

const BridgeRecord* record_of(const DoctorSeat& seat) {
  return seat.state && seat.state->record ? &*seat.state->record : nullptr;
}

Check no_seat(const char* id) {
  return check_unknown(id, "the fleet's service is not known, so the seat is not either",
                       "Pass --service, or wire this harness.");
}

Check check_binary(const LocalChecks& on) {
  const HookPath path = hook_path(on.seat);
  const std::string program = filled_program(on);
  const auto ran = ask_version(on, program, path.value);
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
  const std::string program = filled_program(on);
  const auto ran = ask_version(on, program, hook_path(on.seat).value);
  const std::string told = ran ? base::without_trailing(ran->out, '\n') : "";
  if (ran && ran->status.success() && told != "robot-council " + own) {
    return check_failed("version",
                        program + " is " + base::for_display(told) +
                            ", the network executable is robot-council " + own,
                        "Reinstall robot-council, so that both are of one version.");
  }
  if (on.seat.script && !on.seat.script->version.empty() && on.seat.script->version != own) {
    return check_warning("version",
                         "the script was filled by " + base::for_display(on.seat.script->version) +
                             ", this is " + own,
                         "Run `robot-council setup " + on.seat.harness + "` again.");
  }
  const BridgeRecord* record = record_of(on.seat);
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
  const DoctorSeat& seat = on.seat;
  if (!seat.entry) {
    return check_failed("script", "no entry of " + seat.harness + " hands events over",
                        "Run `robot-council setup " + seat.harness + "`.");
  }
  if (const std::string differs = difference(seat); !differs.empty()) {
    return check_failed("script", differs, setup_again(seat));
  }
  const std::string server =
      seat.servers.empty() ? "; no MCP server robot-council is in the files of " + seat.harness
                           : "";
  if (seat.script_path.empty()) {
    return check_ok("script", "the entry runs `" + base::for_display(seat.entry->command) +
                                  "` without the script" + server);
  }
  const auto info = base::file_info(seat.script_path, base::Links::follow);
  if (!info || !seat.script) {
    return check_failed(
        "script", seat.script_path + (info ? " is not the stop-hook script" : " is not there"),
        "Run `robot-council setup " + seat.harness + "` again.");
  }
  if ((info->mode & kScriptMode) != kScriptMode) {
    return check_failed("script", seat.script_path + " may not be executed by everyone who runs it",
                        "Run: chmod 755 " + base::shell_quote(seat.script_path));
  }
  if (!server.empty() && !(seat.state && seat.state->bridge_running)) {
    return check_warning("script", seat.script_path + server,
                         "Run `robot-council setup " + seat.harness + "`.");
  }
  return check_ok("script", seat.script_path + server);
}

namespace {

// One way in which bridge or hook come to a sink.
struct Way {
  std::string who;
  std::string sink;           // "<folder>/<key>", "" = it cannot be told
  bool only_warning = false;  // no harness is known to start its hook so
};

class SeatKeys {
 public:
  SeatKeys(const base::Context& context, const DoctorSeat& seat) : context_(context), seat_(seat) {}

  Check check() {
    add_bridge();
    add_hooks(seat_.seat->names.project, "");
    const BridgeRecord* record = record_of(seat_);
    if (record != nullptr) {
      add_project(record->project_env, "ROBOT_COUNCIL_PROJECT of the bridge");
    }
    add_project(context_.environment.nonblank("ROBOT_COUNCIL_PROJECT"),
                "ROBOT_COUNCIL_PROJECT of this shell");
    add_other_bridges();
    return judge();
  }

 private:
  void add(std::string who, std::string sink, bool only_warning = false) {
    ways_.push_back({std::move(who), std::move(sink), only_warning});
  }

  static std::string shown(const sink::SeatFiles& files) { return files.folder + "/" + files.key; }

  // As the bridge finds its sink: from its launch folder, with its environment.
  void add_bridge() {
    const base::MapEnvironment environment = bridge_environment(context_.environment, seat_);
    const BridgeRecord* record = record_of(seat_);
    sink::SeatNames names = seat_.seat->names;
    if (!seat_.servers.empty()) {
      names.project = seat_.servers.front().project;
    }
    std::string folder = seat_.folder;
    if (record != nullptr) {
      names.project = record->project;
      folder = record->folder.empty() ? folder : record->folder;
    }
    sink::SeatFiles files = sink::resolve_bridge_seat(names, folder, environment).seat.files;
    if (record != nullptr && record->state) {
      files.folder = *record->state;
    }
    add("the bridge", shown(files));
  }

  // As a hook finds it: from the root and below, with CLAUDE_PROJECT_DIR and without.
  void add_hooks(const std::string& project, const std::string& with) {
    base::MapEnvironment plain = hook_environment(context_.environment, seat_);
    base::MapEnvironment told = hook_environment(context_.environment, seat_);
    told.set("CLAUDE_PROJECT_DIR", seat_.folder);
    const auto sink_of = [&](const base::MapEnvironment& environment, const std::string& folder) {
      sink::SeatNames names = seat_.seat->names;
      names.project = project;
      const std::string from = environment.has("CLAUDE_PROJECT_DIR")
                                   ? sink::hook_folder(environment, seat_.harness)
                                   : folder;
      const auto found = sink::resolve_seat(names, from, environment);
      return found ? shown(found->files) : "";
    };
    add("the hook in the root" + with, sink_of(plain, seat_.folder));
    if (seat_.harness != "codex" && seat_.harness != "goose") {  // these never read the variable
      add("the hook with CLAUDE_PROJECT_DIR" + with, sink_of(told, seat_.folder));
    }
    const std::string below = plain_sub_directory(seat_.folder);
    if (!below.empty()) {
      add("the hook in " + base::base_name(below) + with, sink_of(plain, below), true);
    }
  }

  // Only the script hands the variable on, and only if it was not filled for a project.
  void add_project(const std::optional<std::string>& value, const std::string& whose) {
    const bool filled = seat_.script && !seat_.script->project.empty();
    if (value && !value->empty() && !seat_.script_path.empty() && !filled &&
        *value != seat_.seat->names.project) {
      add_hooks(*value, " with " + whose + " (" + *value + ")");
    }
  }

  // A bridge of this seat that runs in another state folder, or for another project.
  void add_other_bridges() {
    base::MapEnvironment bare = hook_environment(context_.environment, seat_);
    bare.unset("XDG_STATE_HOME");
    std::vector<std::string> folders = {
        base::pending_directory(bare), base::pending_directory(context_.environment),
        base::pending_directory(bridge_environment(context_.environment, seat_))};
    std::sort(folders.begin(), folders.end());
    folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
    for (const std::string& folder : folders) {
      const sink::SeatFiles files{folder, seat_.seat->files.key};
      if (folder != seat_.seat->files.folder && sink::seat_held(files)) {
        add("a running bridge", shown(files));
      }
    }
    const base::MapEnvironment hook = hook_environment(context_.environment, seat_);
    const base::Context context{context_.clock, hook, context_.log};
    const auto known = find_seats(context, {seat_.service, seat_.harness, "", seat_.folder});
    if (!known) {
      return;
    }
    for (const KnownSeat& one : *known) {
      if (one.files.key != seat_.seat->files.key && sink::seat_held(one.files)) {
        add("a running bridge for the project " + quoted(one.names.project), shown(one.files));
      }
    }
  }

  [[nodiscard]] Check judge() const {
    const std::string& first = ways_.front().sink;
    std::string same;
    std::string others;
    bool failed = false;
    bool warned = false;
    for (const Way& way : ways_) {
      if (way.sink == first) {
        same += (same.empty() ? "" : ", ") + way.who;
        continue;
      }
      others += "; " + way.who + ": " + (way.sink.empty() ? "cannot be told" : way.sink);
      (way.only_warning ? warned : failed) = true;
    }
    const std::string text = same + ": " + first + others;
    if (failed) {
      return check_failed("seat-key", "events go to another sink: " + text,
                          "Give bridge and hook one XDG_STATE_HOME, one project and one root: run "
                          "`robot-council setup " +
                              seat_.harness +
                              "`, unset ROBOT_COUNCIL_PROJECT, and start the harness in the root.");
    }
    return warned ? check_warning("seat-key", text,
                                  "Start the harness in the root of this checkout, and let it set "
                                  "CLAUDE_PROJECT_DIR.")
                  : check_ok("seat-key", text);
  }

  const base::Context& context_;
  const DoctorSeat& seat_;
  std::vector<Way> ways_;
};

}  // namespace

Check check_seat_key(const LocalChecks& on) {
  return on.seat.seat ? SeatKeys(on.context, on.seat).check() : no_seat("seat-key");
}

}  // namespace robot_council::wiring::online
