#pragma once

#include <cstdint>
#include <vector>

#include "base/environment.hpp"
#include "stops/log_reader.hpp"

namespace robot_council::stops {

// Fills in Stop::delivered from the sinks of the seats that the log names: true where `pending`
// (not a wake) printed a row to the session around the turn end, false where the sink reaches back
// that far and it did not, nothing where there is no seat, no sink or no history of that time. A
// print belongs to the nearest stop, of two as near to the earlier. The sinks are opened
// read-only; one that cannot be read counts as none.
void find_deliveries(std::vector<Stop>& stops, const base::Environment& environment,
                     std::int64_t now_ms);

// The part that needs no sink: which of the stops (of one session, by time) have a print.
[[nodiscard]] std::vector<bool> stops_with_prints(const std::vector<std::int64_t>& stop_ms,
                                                  const std::vector<std::int64_t>& printed_ms);

}  // namespace robot_council::stops
