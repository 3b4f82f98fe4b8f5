#pragma once

#include <string>

#include "base/environment.hpp"
#include "base/result.hpp"
#include "harness/names.hpp"
#include "sink/seat.hpp"

namespace robot_council::pending {

// What a command line said; "" = not given, also where an option had an empty value.
struct NameOptions {
  std::string service;
  std::string harness;
  std::string project;
  std::string devin_marker{harness::kDevinMarker};  // see harness::detect_harness
};

// The names of the seat: options, then variables, then (harness) detection.
// Errors  invalid: no service, or no harness; `what` is the line to say.
[[nodiscard]] base::Result<sink::SeatNames> seat_names(const NameOptions& options,
                                                       const base::Environment& environment);

}  // namespace robot_council::pending
