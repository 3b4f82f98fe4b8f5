#pragma once

#include <string>

#include "base/result.hpp"
#include "sink/seat_files.hpp"
#include "sink/wait_budget.hpp"

namespace robot_council::sink {

// SQLite's own look at the whole file (`PRAGMA quick_check`), read only. Ok also when there is no
// file or nothing in it yet. A sink holds some hundred rows, so this takes milliseconds.
// Errors  corrupt: what SQLite found, one line; else as DeliveryStore::open.
[[nodiscard]] base::Status check_file(const SeatFiles& files, const WaitBudget& budget);

// Of the SQLite that is linked in: "3.40.1".
[[nodiscard]] std::string sqlite_version();

}  // namespace robot_council::sink
