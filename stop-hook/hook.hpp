#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/context.hpp"
#include "harness/payload_reader.hpp"
#include "pending/engine.hpp"
#include "pending/names.hpp"

namespace robot_council::stop_hook {

// `robot-council pending --hook`: a harness's stop event in, its answer out.
struct HookOptions {
  pending::NameOptions names;
  harness::PayloadLimits limits;
  // For tests: whether the brake holds this harness in these folders, and the engine's own hooks.
  // None = the real ones.
  std::function<bool(std::string_view harness, const std::vector<std::string>& folders)> braked;
  sink::Ancestors ancestors;
  pending::StepHook step;
};

// Reads the payload from stdin_fd, decides, writes at most one answer to stdout_fd, says at most
// one or two lines on the log, replaces the seat's `.hook` record. Result  exit code: 0, or 1 when
// the service or the harness is not known (nothing read then). Never 2: to a harness that
//         means "go on". Every error of the delivery itself ends the turn (fail open).
// Waits   2 s without a byte of the payload, 5 s for it; the engine's waits.
// Source  delivery contract, 5.
int run_hook(const HookOptions& options, const base::Context& context, int stdin_fd, int stdout_fd);

}  // namespace robot_council::stop_hook
