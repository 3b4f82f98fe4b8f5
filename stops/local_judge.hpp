#pragma once

#include <string_view>

#include "stops/judge.hpp"

namespace robot_council::stops {

inline constexpr std::string_view kLocalModel = "phrases-1";

// Judge `local`: fixed English phrases over the last sentences. Sends nothing and starts nothing.
// Answers 0, 1, or 0.5 for unsure, to asks_approval, needs_input and hard_to_undo; 0.5 to any other
// question. Linear.
[[nodiscard]] JudgeResult ask_local(const Request& request);

}  // namespace robot_council::stops
