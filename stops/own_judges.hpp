#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>

#include "base/clock.hpp"
#include "base/environment.hpp"
#include "stops/judge.hpp"

namespace robot_council::stops {

// What `group` below holds while no child runs: one is being started; it is, and a signal that
// asked for the end found nothing to end yet, so that whoever starts it ends it at once.
inline constexpr pid_t kGroupStarting = -1;
inline constexpr pid_t kGroupEndAsked = -2;

// What a child of the recorder needs. `group`: its process group while it runs, else 0 or one of
// the above, for a watchdog or signal handler that has to end it.
struct ChildPlace {
  const base::Environment& environment;
  base::SteadyTime deadline;
  std::atomic<pid_t>& group;
};

// Judge `mock`, for trying a policy: ROBOT_COUNCIL_STOP_MOCK_ANSWERS (a JSON map),
// ROBOT_COUNCIL_STOP_MOCK_ERROR (a kind), ROBOT_COUNCIL_STOP_MOCK_DELAY_MS. In process.
[[nodiscard]] JudgeResult ask_mock(const Request& request, const base::Environment& environment,
                                   base::SteadyTime deadline);

// Judge `command`: a program of the user's, without a shell, in a process group of its own that is
// killed when it is done or late. {"state":"..","questions":{}} on its stdin,
// {"answers":{"name":0.9}} from its stdout; ROBOT_COUNCIL_IN_JUDGE=1 in its environment, our keys
// not. Errors  unavailable: it does not start or does not exit with 0; timeout; malformed_response.
[[nodiscard]] JudgeResult ask_command(const JudgeSettings& settings, const Request& request,
                                      const ChildPlace& place);

// A net judge: `program` (robot-council-net) as a child, judge_pipe.hpp. Nothing but the pipe
// carries the key.
[[nodiscard]] JudgeResult ask_net(const std::string& program, const JudgeSettings& settings,
                                  const Request& request, const ChildPlace& place);

}  // namespace robot_council::stops
