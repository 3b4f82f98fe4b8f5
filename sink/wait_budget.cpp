#include "sink/wait_budget.hpp"

#include <algorithm>
#include <thread>

namespace robot_council::sink {

bool WaitBudget::pause() const {
  const auto left = base::time_left(deadline_);
  if (left.count() <= 0) {
    return false;
  }
  std::this_thread::sleep_for(std::min(left, kBusyStep));
  return true;
}

}  // namespace robot_council::sink
