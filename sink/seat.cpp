#include "sink/seat.hpp"

#include "base/files.hpp"
#include "sink/checkout.hpp"
#include "sink/recorded_key.hpp"
#include "sink/seat_lock.hpp"

namespace robot_council::sink {
namespace {

Seat seat_with(const SeatNames& names, const std::string& folder, const std::string& checkout,
               const base::Environment& environment) {
  Seat seat{names, key_kind(names.harness, names.project), folder, checkout, {}};
  seat.files =
      seat_files(environment, seat_key({names.service, names.harness, names.project, checkout}));
  return seat;
}

}  // namespace

std::string hook_folder(const base::Environment& environment, std::string_view harness,
                        std::string_view payload_folder) {
  // Codex and goose never set the variable, an outer Claude Code does.
  if (harness != "codex" && harness != "goose") {
    if (auto folder = environment.get_or_empty("CLAUDE_PROJECT_DIR"); !folder.empty()) {
      return folder;
    }
  }
  return base::working_directory().value_or(std::string(payload_folder));
}

base::Result<Seat> resolve_seat(const SeatNames& names, const std::string& folder,
                                const base::Environment& environment) {
  if (key_kind(names.harness, names.project) != KeyKind::checkout) {
    return seat_with(names, folder, {}, environment);
  }
  const std::string sinks = seat_files(environment, {}).folder;
  const base::Result<std::string> real = base::real_path(folder);
  if (auto key = read_recorded_key(record_path(sinks, names, folder, real))) {
    return Seat{names, KeyKind::checkout, folder, {}, {sinks, *key}};
  }
  auto checkout = find_checkout(folder, real);
  if (!checkout) {
    return base::Error{checkout.error().code,
                       "Could not tell which checkout this is: " + checkout.error().what +
                           ", so its sink cannot be found."};
  }
  return seat_with(names, folder, checkout->path, environment);
}

BridgeSeat resolve_bridge_seat(const SeatNames& names, const std::string& folder,
                               const base::Environment& environment) {
  BridgeSeat result;
  std::string checkout;
  if (key_kind(names.harness, names.project) == KeyKind::checkout) {
    auto found = find_checkout(folder);
    if (found) {
      checkout = found->path;
    } else {
      checkout = base::real_path(folder).value_or(folder);
      result.checkout_error = found.error().what;
    }
  }
  result.seat = seat_with(names, folder, checkout, environment);
  if (result.seat.kind == KeyKind::checkout) {
    const std::string& sinks = result.seat.files.folder;
    auto key = read_recorded_key(record_path(sinks, names, folder));
    if (key && *key != result.seat.files.key && seat_held({sinks, *key})) {
      result.seat.files.key = *key;
    }
  }
  return result;
}

}  // namespace robot_council::sink
