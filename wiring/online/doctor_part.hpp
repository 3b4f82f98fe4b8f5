#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "account/command.hpp"
#include "base/clock.hpp"
#include "base/context.hpp"
#include "wiring/online/doctor_check.hpp"
#include "wiring/online/doctor_seat.hpp"

namespace robot_council::wiring::online {

enum class Wake : std::uint8_t {
  no,
  yes,  // post a test directive to the running session: the agent sees it
};

// The looks of doctor happen in a process of their own, since a file system that does not answer
// stops whoever asks it. It tells each step on stdout when it begins, and what it found:
//   {"begin":"brake"} {"brake":{"lines","json","checks"}}
//   {"begin":"claude settings"} {"begin":"claude state"} {"seat":{"harness","service","key"}}
//   {"begin":"claude binary"} {"check":{"id","status","text","remedy"}} ... {"end":true}
// A step that hung is named to the next process, which goes on after it.
struct DoctorPart {
  DoctorQuery query;
  Wake wake = Wake::no;
  std::string program;            // the robot-council executable
  std::string after;              // the last step that is over, "" = none
  std::vector<std::string> hung;  // looks that are not tried again
  base::Milliseconds one{0};      // for one check
  base::Milliseconds proof{0};    // for the proof
  base::Milliseconds left{0};     // for all that is still to be done
};

// Ids of a seat's checks, in the order of wiki/Doctor.md.
[[nodiscard]] std::vector<std::string> doctor_ids(Wake wake);
// Those that ask the service or the stores; one that hangs takes the later ones with it.
[[nodiscard]] const std::vector<std::string>& online_ids();
// The harnesses to look at: the one named, else all that are known.
[[nodiscard]] std::vector<std::string> doctor_harnesses(const DoctorQuery& query);

// 0 unless stdout is gone.
[[nodiscard]] int doctor_part(const base::Context& context, const DoctorPart& part,
                              const account::Output& out);

}  // namespace robot_council::wiring::online
