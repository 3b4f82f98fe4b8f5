#pragma once

#include "base/clock.hpp"
#include "base/context.hpp"
#include "wiring/online/doctor_check.hpp"
#include "wiring/online/doctor_seat.hpp"

namespace robot_council::wiring::online {

// `doctor --wake`: posts a directive to the session of this seat's running bridge as the operator
// of this machine's own service, and waits kWakeTime for its row in the sink (a waiter may have
// handed it over by then) and, with Claude Code, for the bridge's notice. The agent will see the
// directive. unknown: no bridge that has joined, or a service whose operator token is not here. Id
// `wake`.
[[nodiscard]] Check check_wake(const base::Context& context, const DoctorSeat& seat,
                               base::SteadyTime deadline);

}  // namespace robot_council::wiring::online
