#pragma once

#include "base/file_lock.hpp"
#include "base/result.hpp"
#include "sink/seat_files.hpp"
#include "sink/wait_budget.hpp"

namespace robot_council::sink {

// <key>.drain, held by a reader from settling to marking and by a bridge that sets a damaged file
// aside. The kernel frees it when the process dies: whoever holds it knows that no answer is under
// way. Errors: the sentence of exit 3 (sentences.hpp): busy, io. The folder is not created.
[[nodiscard]] base::Result<base::FileLock> lock_drain(const SeatFiles& files,
                                                      const WaitBudget& budget);

}  // namespace robot_council::sink
