#include "sink/drain_lock.hpp"

#include "base/files.hpp"
#include "sink/sentences.hpp"

namespace robot_council::sink {

base::Result<base::FileLock> lock_drain(const SeatFiles& files, const WaitBudget& budget) {
  auto lock = base::FileLock::acquire(files.drain(), budget.deadline(), kBusyStep);
  if (!lock) {
    return lock.error().code == base::Errc::busy ? not_locked(files)
                                                 : not_written(files, lock.error().what);
  }
  auto info = base::file_info(files.drain(), base::Links::dont);
  if (info && info->mode != 0600) {
    static_cast<void>(base::set_mode(files.drain(), 0600));
  }
  return lock;
}

}  // namespace robot_council::sink
