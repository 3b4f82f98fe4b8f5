#pragma once

#include <functional>
#include <string>

#include "account/command.hpp"
#include "account/device_flow.hpp"
#include "base/context.hpp"

namespace robot_council::wiring::online {

struct DemoOptions {
  std::string program;  // the robot-council executable that a hook calls, absolute path
  std::string script;   // the stop-hook script, "" = the one that belongs to the program
};

// `robot-council demo`: the whole way of an event on this machine, with the real programs, nothing
// installed and nothing left: the service, an enrolment, the bridge, a directive, the sink, the
// stop hook; a hook that is killed while it prints; the brake. Everything is in one private
// temporary folder and on loopback. At most 60 s. Result  0: every step was proven; 1: a step
// failed (named, with what was expected, what came and the child's last lines), or the
//         machine is stopped; 130: interrupted. Children and folder are gone on every way out.
[[nodiscard]] int demo(const base::Context& context, const DemoOptions& options);

// The same, printing to `out` and giving up when `interrupted` says so.
[[nodiscard]] int demo(const base::Context& context, const DemoOptions& options,
                       const account::Output& out, const std::function<bool()>& interrupted,
                       const account::Pause& pause);

// The stop-hook script that belongs to a program: <prefix>/share/robot-council/stop-hook/ beside
// <prefix>/bin, else resources/stop-hook/ of the source tree that a build folder is in. "" if there
// is none.
[[nodiscard]] std::string find_stop_hook_script(const std::string& program);

}  // namespace robot_council::wiring::online
