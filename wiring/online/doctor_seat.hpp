#pragma once

#include <optional>
#include <string>

#include "base/context.hpp"
#include "sink/seat.hpp"
#include "stop-hook/scan.hpp"
#include "stop-hook/script.hpp"
#include "wiring/seat_state.hpp"

namespace robot_council::wiring::online {

// A harness of this checkout as doctor sees it: what is wired, and what runs.
struct DoctorSeat {
  std::string harness;
  std::string folder;   // root of the checkout, or the folder itself
  std::string service;  // "" = not told by the script, an option or a variable
  std::string project;
  stop_hook::ScanResult scan;
  std::optional<stop_hook::ScanEntry>
      entry;                // the delivering entry: the first that runs, else the first
  std::string script_path;  // of that entry's script, "" = it runs something else
  std::optional<stop_hook::ScriptValues> script;  // its values
  std::optional<sink::Seat> seat;                 // as the hook finds it; nothing without a service
  std::optional<SeatState> state;
};

struct DoctorQuery {
  std::string service;  // "" = not given, as for each
  std::string harness;
  std::string project;
  std::string folder;
};

// Everything that files tell about one harness here.
[[nodiscard]] DoctorSeat look_at_seat(const base::Context& context, const DoctorQuery& query,
                                      const std::string& harness);

// PATH with which the harness starts its hook: the bridge's, else that of a bare system (then
// `told` is false).
struct HookPath {
  std::string value;
  bool told = false;
};
[[nodiscard]] HookPath hook_path(const DoctorSeat& seat);

}  // namespace robot_council::wiring::online
