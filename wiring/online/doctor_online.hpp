#pragma once

#include <functional>

#include "base/context.hpp"
#include "wiring/online/doctor_check.hpp"
#include "wiring/online/doctor_seat.hpp"

namespace robot_council::wiring::online {

// How the checks are told, each as soon as it is known.
struct CheckTeller {
  std::function<void(const char* id)> begin;  // the check with this id is looked at now
  std::function<void(Check)> told;
};

// The checks that ask the service or the credential stores: service, clock, credential, expiry,
// coordinator, in this order. A service that is down leaves the others unknown, never a local
// check. The session is ephemeral: it leaves no event in the feed. Each check, with all its calls
// and readings, ends within `one` and by the deadline.
void check_online(const base::Context& context, const DoctorSeat& seat, base::Milliseconds one,
                  base::SteadyTime deadline, const CheckTeller& teller);

}  // namespace robot_council::wiring::online
