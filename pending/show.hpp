#pragma once

#include <cstddef>
#include <string>

#include "base/result.hpp"
#include "sink/seat_files.hpp"

namespace robot_council::pending {

// What `--peek` and `--history` print, read without changing a byte. Errors: the sentence of
// exit 3.

// Lines of what waits or is offered, as a plain call would print them; "" when nothing does.
[[nodiscard]] base::Result<std::string> peek_lines(const sink::SeatFiles& files);
// {"key","sink","waiting":[{"event","state","writes","earlier_session"}],"written":[...]} and a
// line end; events as stored.
[[nodiscard]] base::Result<std::string> peek_json(const sink::SeatFiles& files);
// Newest `count` rows, oldest first: `<UTC> <why> <writes>x <line>`.
[[nodiscard]] base::Result<std::string> history_lines(const sink::SeatFiles& files,
                                                      std::size_t count);

}  // namespace robot_council::pending
