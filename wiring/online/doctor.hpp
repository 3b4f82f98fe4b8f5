#pragma once

#include <string>

#include "account/command.hpp"
#include "base/context.hpp"
#include "wiring/online/doctor_seat.hpp"
#include "wiring/status.hpp"

namespace robot_council::wiring::online {

struct DoctorOptions {
  DoctorQuery query;
  Shape shape = Shape::text;
  std::string program;  // the robot-council executable
};

// `robot-council doctor`: checks every harness that is wired for this checkout (or the one named)
// from its settings file to the fleet and back, the proof last. None hides another. Exit 1 if one
// failed, else 0. The brake leads.
[[nodiscard]] int doctor(const base::Context& context, const DoctorOptions& options,
                         const account::Output& out);

}  // namespace robot_council::wiring::online
