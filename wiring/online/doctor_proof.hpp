#pragma once

#include "base/clock.hpp"
#include "base/context.hpp"
#include "wiring/online/doctor_check.hpp"
#include "wiring/online/doctor_seat.hpp"

namespace robot_council::wiring::online {

// The proof: an event with a random word is put into this seat's sink under a temporary state
// folder, and the delivering command that is really configured runs as the harness starts it. It
// must hand exactly that event over, once, and a later turn end must confirm it. The real sink,
// marks and records keep every byte. Ends by the deadline. Id `proof`.
[[nodiscard]] Check prove_delivery(const base::Context& context, const DoctorSeat& seat,
                                   base::SteadyTime deadline);

}  // namespace robot_council::wiring::online
