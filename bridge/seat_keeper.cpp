#include "bridge/seat_keeper.hpp"

#include <thread>

#include "bridge/texts.hpp"

namespace robot_council::bridge {

bool SeatKeeper::claim(base::Milliseconds wait, base::Milliseconds step) {
  const base::SteadyTime deadline = base::deadline_in(wait);
  while (!try_again()) {
    if (base::time_left(deadline).count() == 0) {
      return false;
    }
    std::this_thread::sleep_for(std::min(step, base::time_left(deadline)));
  }
  return true;
}

bool SeatKeeper::try_again() {
  sink::SeatClaim claim = sink::claim_seat(files_);
  const base::MutexLock lock(mu_);
  const bool obtained = claim.obtained;
  claim_ = std::move(claim);
  held_.store(obtained);
  return obtained;
}

std::string SeatKeeper::warning() const {
  if (held_.load()) {
    return {};
  }
  const base::MutexLock lock(mu_);
  return text::seat_held(claim_ ? claim_->held_by : std::nullopt);
}

}  // namespace robot_council::bridge
