#pragma once

#include <vector>

#include "base/context.hpp"
#include "wiring/online/doctor_check.hpp"
#include "wiring/online/doctor_seat.hpp"

namespace robot_council::wiring::online {

// The checks that ask the service or the credential stores: service, clock, credential, expiry,
// coordinator, in this order. A service that is down leaves the others unknown, never a local
// check. The session is ephemeral: it leaves no event in the feed. Each call ends within
// kDoctorCheckTime and by the deadline.
[[nodiscard]] std::vector<Check> check_online(const base::Context& context, const DoctorSeat& seat,
                                              base::SteadyTime deadline);

}  // namespace robot_council::wiring::online
