#include "pending/names.hpp"

#include "sink/seat_key.hpp"

namespace robot_council::pending {

base::Result<sink::SeatNames> seat_names(const NameOptions& options,
                                         const base::Environment& environment) {
  sink::SeatNames names;
  names.service = sink::service_from(options.service, environment);
  if (names.service.empty()) {
    return base::Error{base::Errc::invalid,
                       "Pass --service, or set ROBOT_COUNCIL_SERVICE, with the URL of your fleet."};
  }
  names.harness = harness::resolved_harness(options.harness, environment, options.devin_marker);
  if (names.harness.empty()) {
    return base::Error{base::Errc::invalid,
                       "Could not tell which harness this is. Pass --harness=<name>, or set "
                       "ROBOT_COUNCIL_HARNESS in "
                       "this harness's configuration."};
  }
  names.project = options.project;
  return names;
}

}  // namespace robot_council::pending
