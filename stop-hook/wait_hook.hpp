#pragma once

#include <functional>
#include <string_view>

#include "base/context.hpp"
#include "harness/payload_reader.hpp"
#include "pending/engine.hpp"
#include "pending/names.hpp"
#include "stop-hook/wake_rule.hpp"

namespace robot_council::stop_hook {

inline constexpr int kHandedOver =
    10;  // the script makes 2 of it: the client then gives our stderr to the model

// `robot-council wait --hook`: a background hook of Claude Code ("asyncRewake"). It waits beside an
// interactive session for entries of its seat and ends with kHandedOver when it wrote them to
// stderr.
struct WaitHookOptions {
  pending::NameOptions names;
  harness::PayloadLimits limits;
  WakeTimes times;
  pending::StepHook step;  // for tests
};

// Reads the payload of SessionStart or UserPromptSubmit from stdin_fd. Writes nothing to stdout,
// and to stderr_fd nothing but the hand-over: the model reads whatever is there. Result
// kHandedOver, or 0: not for us, replaced by a newer waiter, SIGTERM, SIGHUP, the client is gone,
// 86,000 s over. Source  wake contract, 2.1; measured on Claude Code 2.1.332.
int run_wait_hook(const WaitHookOptions& options, const base::Context& outer, int stdin_fd,
                  int stderr_fd);

}  // namespace robot_council::stop_hook
