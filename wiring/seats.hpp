#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/context.hpp"
#include "base/result.hpp"
#include "sink/seat.hpp"

namespace robot_council::wiring {

// Which seats are asked for. Values as typed; "" = not given.
struct SeatQuery {
  std::string service;
  std::string harness;
  std::string project;
  std::string folder;  // the checkout is that of this folder
};

// A seat of this checkout that something is known of.
struct KnownSeat {
  sink::SeatNames names;
  std::string checkout;  // git directory or folder
  sink::SeatFiles files;
};

// The seats of the folder's checkout that a bridge has ever told of, and the one that options and
// variables name, if a file of it is there or an option asked for it. Sorted by harness, service,
// project. Reads files only. Errors: the checkout cannot be told (whole sentence).
[[nodiscard]] base::Result<std::vector<KnownSeat>> find_seats(const base::Context& context,
                                                              const SeatQuery& query);

}  // namespace robot_council::wiring
