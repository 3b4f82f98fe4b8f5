#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "account/command.hpp"
#include "base/context.hpp"
#include "harness/settings_wanted.hpp"
#include "wiring/wire.hpp"

namespace robot_council::wiring::online {

enum class Choice : std::uint8_t { no, yes };

// `robot-council setup HARNESS`. Values as typed; "" = not given.
struct SetupOptions {
  std::string harness;
  std::string service;
  std::string project;
  Scope scope = Scope::user;
  Choice local = Choice::no;
  harness::Wake wake = harness::Wake::yes;
  Choice channels = Choice::no;
  Choice stops = Choice::no;  // also wire `stops record`
  DryRun dry = DryRun::no;
  Choice preview = Choice::no;  // a dry run before the question: the local service may be asked
  std::string folder;           // working directory
  std::string program;          // BIN
  std::string script;           // the stop-hook script to fill
  std::string
      agent_marker;  // the variable that says an agent calls, "" = none: then --local is refused
};

// What a person said to the question.
enum class Confirmed : std::uint8_t { yes, no, interrupted };

enum class Waited : std::uint8_t { yes, too_long, interrupted };

struct SetupIo {
  account::Output out;
  // Asks again and again until it holds or the time is over; for a service that was started.
  std::function<Waited(const std::function<bool()>&, base::Milliseconds)> wait;
  std::function<Confirmed()> confirmed;  // asked once, unless dry
  // Enrols when no usable credential is there: an exit code of account::enroll.
  std::function<int()> enroll;
  // Runs doctor for the harness: its exit code; what it says goes to the output it gets. Optional;
  // without it the step is skipped.
  std::function<int(const account::Output&)> doctor;
};

// Wires a harness: enrolment, script, MCP server, stop hook, then the scanner's and doctor's word
// on it. A line per step on `io.out`, as it ends; with DryRun::yes diffs there and the steps on the
// log, and nothing is written or asked of the network. Result  0: no step failed; 1; 2: values that
// exclude each other; 130: interrupted. A step that depends on a failed one is skipped.
[[nodiscard]] int setup(const base::Context& context, const SetupOptions& options,
                        const SetupIo& io);

}  // namespace robot_council::wiring::online
