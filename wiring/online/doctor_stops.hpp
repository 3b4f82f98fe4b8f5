#pragma once

#include "wiring/online/doctor_check.hpp"
#include "wiring/online/doctor_local.hpp"

namespace robot_council::wiring::online {

// Which stop policy counts for this checkout, whether it can be read, and where its judge sends the
// text. Opens no connection.
[[nodiscard]] Check check_stops(const LocalChecks& on);

}  // namespace robot_council::wiring::online
