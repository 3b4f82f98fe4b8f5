#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/environment.hpp"
#include "sink/delivery_store.hpp"

namespace robot_council::stops {

// Names of the seat as given on the command line; "" = not given.
struct SeatOptions {
  std::string service;
  std::string harness;
  std::string project;
};

struct SeatLook {
  std::optional<std::string> seat;      // its key
  std::optional<std::int64_t> waiting;  // nothing: no sink there, or it could not be read
};

// The seat of this turn end, resolved as `pending` does (without a harness's name: the payload's),
// and how many events wait in it for `session`: its waiting rows, and those that `pending` offered
// or wrote to the session since ts_ms - kSameTurnEnd, for both hooks run at once. The sink is
// opened read-only for at most kSinkBusyWait; nothing is written or made.
[[nodiscard]] SeatLook look_at_seat(const SeatOptions& options,
                                    const base::Environment& environment, const std::string& host,
                                    const std::string& folder, const std::string& session,
                                    std::int64_t ts_ms);

}  // namespace robot_council::stops
