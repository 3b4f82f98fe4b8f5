#pragma once

#include <optional>
#include <string>

#include "base/context.hpp"
#include "sink/seat.hpp"
#include "stop-hook/scan.hpp"
#include "stop-hook/script.hpp"
#include "wiring/seat_state.hpp"
#include "wiring/server_entry.hpp"

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
  std::string hook_state;            // XDG_STATE_HOME as the hook has it, "" = unset
  std::vector<ServerEntry> servers;  // the one that counts first
};

struct DoctorQuery {
  std::string service;  // "" = not given, as for each
  std::string harness;
  std::string project;
  std::string folder;
};

// What the settings files tell about one harness here: all but `seat` and `state`.
[[nodiscard]] DoctorSeat look_at_settings(const base::Context& context, const DoctorQuery& query,
                                          const std::string& harness);
// Its sink, if the service is known, and what the files beside it tell.
void look_at_state(const base::Context& context, DoctorSeat& seat);

// The variables that decide where a hook of this seat looks: ours, with the XDG_STATE_HOME of its
// script or entry.
[[nodiscard]] base::MapEnvironment hook_environment(const base::Environment& environment,
                                                    const DoctorSeat& seat);
// Those that the harness gives the bridge, as far as its entry and record tell: Codex passes only a
// few.
[[nodiscard]] base::MapEnvironment bridge_environment(const base::Environment& environment,
                                                      const DoctorSeat& seat);
// Any plain folder in the root, "" = there is none.
[[nodiscard]] std::string plain_sub_directory(const std::string& root);

// PATH with which the harness starts its hook: the bridge's, else that of a bare system (then
// `told` is false).
struct HookPath {
  std::string value;
  bool told = false;
};
[[nodiscard]] HookPath hook_path(const DoctorSeat& seat);

}  // namespace robot_council::wiring::online
