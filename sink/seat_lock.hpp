#pragma once

#include <cstdint>
#include <optional>

#include "base/file_lock.hpp"
#include "sink/seat_files.hpp"

namespace robot_council::sink {

// One try for a seat. Source: bridge contract, 8.2.
struct SeatClaim {
  bool obtained = false;
  std::optional<base::FileLock>
      lock;  // keep it for life; absent when the lock failed for another reason than "held"
  std::optional<std::int64_t> held_by;  // pid in the file when another holds it, if it can be read
};

// Exclusive flock on <key>.seat, close-on-exec, our pid inside. Makes the sink folder. Any failure
// but "held by another" counts as obtained: the seat only warns.
[[nodiscard]] SeatClaim claim_seat(const SeatFiles& files);

// Whether a running bridge holds the seat. Creates nothing; false when it cannot be told.
[[nodiscard]] bool seat_held(const SeatFiles& files);

}  // namespace robot_council::sink
