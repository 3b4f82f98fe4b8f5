#include "wiring/online/doctor_seat.hpp"

#include <map>
#include <utility>

#include "base/files.hpp"
#include "harness/settings_command.hpp"
#include "sink/seat_key.hpp"
#include "wiring/online/limits.hpp"

namespace robot_council::wiring::online {

namespace {

// The entry that hands events over: one that runs, else any.
std::optional<stop_hook::ScanEntry> delivering_entry(const stop_hook::ScanResult& scan) {
  std::optional<stop_hook::ScanEntry> found;
  for (const auto& entry : scan.entries) {
    if (entry.kind == stop_hook::ScanEntryKind::deliver &&
        (!found || (entry.runs && !found->runs))) {
      found = entry;
    }
  }
  return found;
}

std::map<std::string, std::string> as_map(const base::Environment& environment) {
  std::map<std::string, std::string> values;
  for (const std::string& one : environment.all()) {
    const auto equals = one.find('=');
    if (equals != std::string::npos) {
      values[one.substr(0, equals)] = one.substr(equals + 1);
    }
  }
  return values;
}

// XDG_STATE_HOME of a hook: its script's (Codex), else that before the entry's command, else ours.
std::string state_of_hook(const DoctorSeat& seat, const harness::HookCommand& command,
                          const base::Environment& environment) {
  if (seat.script && seat.script->state_home) {
    return *seat.script->state_home;
  }
  constexpr std::string_view kName = "XDG_STATE_HOME=";
  for (const std::string& one : command.assignments) {
    if (one.compare(0, kName.size(), kName) == 0) {
      return one.substr(kName.size());
    }
  }
  return environment.get_or_empty("XDG_STATE_HOME");
}

}  // namespace

base::MapEnvironment hook_environment(const base::Environment& environment,
                                      const DoctorSeat& seat) {
  auto values = as_map(environment);
  values.erase("CLAUDE_PROJECT_DIR");
  values.erase("XDG_STATE_HOME");
  if (!seat.hook_state.empty()) {
    values["XDG_STATE_HOME"] = seat.hook_state;
  }
  return base::MapEnvironment(std::move(values));
}

base::MapEnvironment bridge_environment(const base::Environment& environment,
                                        const DoctorSeat& seat) {
  auto values = as_map(environment);
  if (seat.harness == "codex") {
    std::map<std::string, std::string> few;
    for (const char* name : {"HOME", "LANG", "PATH", "SHELL", "TERM", "USER"}) {
      if (values.count(name) > 0) {
        few[name] = values[name];
      }
    }
    values = std::move(few);
  }
  if (const HookPath path = hook_path(seat); path.told) {
    values["PATH"] = path.value;
  }
  if (!seat.servers.empty()) {
    for (const auto& [name, value] : seat.servers.front().variables) {
      values[name] = value;
    }
  }
  return base::MapEnvironment(std::move(values));
}

std::string plain_sub_directory(const std::string& root) {
  for (const auto& name : base::list_directory(root, kMaxProofNames).value_or({})) {
    std::string path = base::join_path(root, name);
    const auto info = base::file_info(path, base::Links::dont);
    if (name.front() != '.' && info && info->kind == base::FileKind::directory &&
        !base::exists(path + "/.git")) {
      return path;
    }
  }
  return "";
}

DoctorSeat look_at_settings(const base::Context& context, const DoctorQuery& query,
                            const std::string& harness) {
  DoctorSeat seat;
  seat.harness = harness;
  seat.folder = query.folder;
  const stop_hook::DiskSettingsFiles files;
  seat.scan = stop_hook::scan({files, context.environment, query.folder}, harness, {});
  seat.entry = delivering_entry(seat.scan);
  if (const auto client = harness::parse_client(harness)) {
    seat.servers = find_server_entries(context.environment, *client, query.folder);
  }
  harness::HookCommand command;
  if (seat.entry) {
    command = harness::read_command(seat.entry->command);
    if (command.form == harness::CommandForm::script) {
      seat.script_path = command.program;
      if (const auto text = base::read_file(command.program, kMaxHookScript)) {
        if (auto values = stop_hook::read_script(*text)) {
          seat.script = *values;
        }
      }
    }
    seat.service = command.option("service");
    seat.project = command.option("project");
  }
  if (seat.script && seat.service.empty()) {
    seat.service = seat.script->service;
    seat.project = seat.script->project;
  }
  seat.hook_state = state_of_hook(seat, command, context.environment);
  seat.service = sink::reduce_service(query.service.empty() ? seat.service : query.service);
  if (seat.service.empty()) {
    seat.service = sink::service_from("", context.environment);
  }
  if (!query.project.empty()) {
    seat.project = query.project;
  }
  return seat;
}

void look_at_state(const base::Context& context, DoctorSeat& seat) {
  if (seat.service.empty()) {
    return;
  }
  const sink::SeatNames names{seat.service, seat.harness, seat.project};
  if (auto found =
          sink::resolve_seat(names, seat.folder, hook_environment(context.environment, seat))) {
    seat.seat = *found;
    seat.state = read_seat_state(context, {names, found->checkout, found->files});
  }
}

HookPath hook_path(const DoctorSeat& seat) {
  if (seat.state && seat.state->record && seat.state->record->path &&
      !seat.state->record->path->empty()) {
    return {*seat.state->record->path, true};
  }
  return {"/usr/bin:/bin:/usr/sbin:/sbin", false};
}

}  // namespace robot_council::wiring::online
