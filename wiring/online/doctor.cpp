#include "wiring/online/doctor.hpp"

#include <string>

#include "base/paths.hpp"
#include "wiring/online/doctor_report.hpp"
#include "wiring/online/doctor_watch.hpp"

namespace robot_council::wiring::online {

int doctor(const base::Context& context, const DoctorOptions& options, const account::Output& out) {
  const DoctorReport report = watch_doctor(context, options.query, options.wake, options.program,
                                           {base::own_executable(), "doctor-part"}, DoctorTimes());
  if (auto written = out(options.shape == Shape::json ? report_json(report) : report_text(report));
      !written) {
    context.log.error("cannot write the answer to stdout: " + written.error().what);
    return account::kExitFailed;
  }
  return none_failed(report) ? account::kExitOk : account::kExitFailed;
}

}  // namespace robot_council::wiring::online
