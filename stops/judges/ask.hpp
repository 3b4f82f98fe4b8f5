#pragma once

#include <string_view>

#include "base/clock.hpp"
#include "stops/judge.hpp"
#include "stops/judge_pipe.hpp"

namespace robot_council::stops {

// Asks a judge over HTTP: at most kAttempts in one deadline, a second one only after rate_limited
// or unavailable. https, or http to this machine; ollama only http to this machine. No redirect is
// followed. Never throws; an error's message holds neither key nor message. Blocks until `deadline`
// at most. Threads: any.
[[nodiscard]] JudgeResult ask_over_http(const PipeRequest& request, const base::Clock& clock,
                                        base::SteadyTime deadline);

// What `robot-council-net stops judge` does with its stdin: the reply for stdout.
[[nodiscard]] std::string answer_pipe(std::string_view bytes, const base::Clock& clock);

}  // namespace robot_council::stops
