#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/context.hpp"
#include "wiring/online/doctor_part.hpp"
#include "wiring/online/doctor_report.hpp"
#include "wiring/online/limits.hpp"

namespace robot_council::wiring::online {

// How long doctor may take; tests are shorter.
struct DoctorTimes {
  base::Milliseconds all = kDoctorTime;
  base::Milliseconds one = kDoctorCheckTime;  // a check; some have their own
  base::Milliseconds look = kDoctorLookTime;  // what comes before them
  base::Milliseconds brake = kDoctorBrakeTime;
  base::Milliseconds proof = kProofTime;
  base::Milliseconds wake = kWakeTime;
  // What the process that looks has less, so that it ends by itself and says why.
  base::Milliseconds slack = kDoctorSlack;
};

// Lets a process look (doctor_part.hpp) and writes down what it tells. A step that does not end in
// its time, or with which the process ends, is told as such; another process goes on after it.
// Result  every check of every seat, in order, whatever happens.
// Time    `times.all`, and kDoctorKillWait with Child's own 2 s for a process that cannot be
// killed. `argv`: program and first words of the process; it gets the options of `doctor-part`.
[[nodiscard]] DoctorReport watch_doctor(const base::Context& context, const DoctorQuery& query,
                                        Wake wake, const std::string& program,
                                        const std::vector<std::string>& argv,
                                        const DoctorTimes& times);

}  // namespace robot_council::wiring::online
