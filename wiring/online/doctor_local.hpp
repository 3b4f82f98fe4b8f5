#pragma once

#include <vector>

#include "base/context.hpp"
#include "wiring/online/doctor_check.hpp"
#include "wiring/online/doctor_seat.hpp"

namespace robot_council::wiring::online {

// The checks that need no network. `program`: the robot-council executable; each check ends by the
// deadline.
struct LocalChecks {
  const base::Context& context;
  const DoctorSeat& seat;
  std::string program;
  base::SteadyTime deadline;
};
// Shared by the checks: the running or last bridge's record, nullptr = none; what is said when the
// seat is not known.
[[nodiscard]] const BridgeRecord* record_of(const DoctorSeat& seat);
[[nodiscard]] Check no_seat(const char* id);

// doctor_wiring.cpp
[[nodiscard]] Check check_binary(const LocalChecks& on);
[[nodiscard]] Check check_version(const LocalChecks& on);
[[nodiscard]] Check check_script(const LocalChecks& on);
[[nodiscard]] Check check_seat_key(const LocalChecks& on);

// doctor_local.cpp
[[nodiscard]] Check check_state_dir(const LocalChecks& on);
[[nodiscard]] Check check_file_system(const LocalChecks& on);
[[nodiscard]] Check check_sqlite(const LocalChecks& on);
[[nodiscard]] Check check_bridge(const LocalChecks& on);
[[nodiscard]] Check check_second_bridge(const LocalChecks& on);
[[nodiscard]] Check check_feed(const LocalChecks& on);
[[nodiscard]] Check check_hook_scan(const LocalChecks& on);
[[nodiscard]] Check check_hook_ran(const LocalChecks& on);
[[nodiscard]] Check check_wake_path(const LocalChecks& on);

}  // namespace robot_council::wiring::online
