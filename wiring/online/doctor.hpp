#pragma once

#include <string>
#include <vector>

#include "account/command.hpp"
#include "base/context.hpp"
#include "wiring/online/doctor_part.hpp"
#include "wiring/status.hpp"

namespace robot_council::wiring::online {

struct DoctorOptions {
  DoctorQuery query;  // folder "": the working directory's checkout
  Shape shape = Shape::text;
  Wake wake = Wake::no;
  std::string program;  // the robot-council executable
};

// `robot-council doctor`: checks every harness that is wired for this checkout (or the one named)
// from its settings file to the fleet and back, the proof last. None hides another, not even one
// that hangs. Exit 1 if one failed, else 0. The brake leads, with its own checks. At most
// kDoctorTime (plus the end of what was begun); what there was no time for is said.
[[nodiscard]] int doctor(const base::Context& context, const DoctorOptions& options,
                         const account::Output& out);

}  // namespace robot_council::wiring::online
