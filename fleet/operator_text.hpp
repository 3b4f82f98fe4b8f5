#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"

namespace robot_council::fleet {

// The operator's answers as text for a terminal. What agents wrote loses its control characters, so
// that nobody draws on the operator's screen.

// GET operator/overview: who is there, what waits for a decision, tasks, locks, and the newest
// events.
[[nodiscard]] std::string overview_text(const base::Json& overview);
// One event on one line: "12 10:41:42 session 3 (ana) narration: words".
[[nodiscard]] std::string event_line(const base::Json& event);
// A table with aligned columns; the first row is the heading. Rows may have different lengths.
[[nodiscard]] std::string aligned(const std::vector<std::vector<std::string>>& rows);

}  // namespace robot_council::fleet
