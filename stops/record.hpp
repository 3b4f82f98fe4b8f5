#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <string>

#include "base/context.hpp"
#include "harness/payload_reader.hpp"
#include "stops/limits.hpp"
#include "stops/seat_look.hpp"

namespace robot_council::stops {

struct RecordOptions {
  SeatOptions seat;
  base::SteadyTime deadline;  // hard: when the process ends, whatever hangs
  std::string net_program;    // robot-council-net
  harness::PayloadLimits limits;
  // Called before a judge that may hang is asked: ends the process this long from now.
  std::function<void(base::Milliseconds)> arm;
  std::atomic<pid_t>* child_group = nullptr;  // of a judge's child while it runs, else 0
};

// `stops record`: observes one turn end. Reads the payload, looks for a policy, judges the end of
// the closing message and appends a line to the log. Prints nothing, continues nothing, opens no
// transcript. Without a policy it writes nothing and makes nothing.
// Errors  none to the caller: what fails is a line of the log or a line for `context.log`, and only
//         that.
void record(const RecordOptions& options, const base::Context& context, int stdin_fd);

}  // namespace robot_council::stops
