#include "wiring/online/doctor_seat.hpp"

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

}  // namespace

DoctorSeat look_at_seat(const base::Context& context, const DoctorQuery& query,
                        const std::string& harness) {
  DoctorSeat seat;
  seat.harness = harness;
  seat.folder = query.folder;
  const stop_hook::DiskSettingsFiles files;
  seat.scan = stop_hook::scan({files, context.environment, query.folder}, harness, {});
  seat.entry = delivering_entry(seat.scan);
  if (seat.entry) {
    const auto command = harness::read_command(seat.entry->command);
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
  seat.service = sink::reduce_service(query.service.empty() ? seat.service : query.service);
  if (seat.service.empty()) {
    seat.service = sink::service_from("", context.environment);
  }
  if (!query.project.empty()) {
    seat.project = query.project;
  }
  if (seat.service.empty()) {
    return seat;
  }
  const sink::SeatNames names{seat.service, harness, seat.project};
  if (auto found = sink::resolve_seat(names, seat.folder, context.environment)) {
    seat.seat = *found;
    seat.state = read_seat_state(context, {names, found->checkout, found->files});
  }
  return seat;
}

HookPath hook_path(const DoctorSeat& seat) {
  if (seat.state && seat.state->record && seat.state->record->path &&
      !seat.state->record->path->empty()) {
    return {*seat.state->record->path, true};
  }
  return {"/usr/bin:/bin:/usr/sbin:/sbin", false};
}

}  // namespace robot_council::wiring::online
