#include "sink/seat_lock.hpp"

#include "base/files.hpp"

namespace robot_council::sink {

SeatClaim claim_seat(const SeatFiles& files) {
  SeatClaim claim;
  static_cast<void>(base::make_private_directory(files.folder));
  auto lock = base::FileLock::try_acquire(files.seat());
  if (lock) {
    static_cast<void>(lock->write_owner());
    claim.lock = std::move(*lock);
  } else if (lock.error().code == base::Errc::busy) {
    claim.held_by = base::FileLock::owner(files.seat());
    return claim;
  }
  claim.obtained = true;
  return claim;
}

bool seat_held(const SeatFiles& files) {
  return base::FileLock::held(files.seat()).value_or(false);
}

}  // namespace robot_council::sink
