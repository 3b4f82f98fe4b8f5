#pragma once

#include "base/clock.hpp"
#include "base/environment.hpp"
#include "base/log.hpp"

namespace robot_council::base {

// The outside world as main() hands it down. Owns nothing; its parts outlive every user.
struct Context {
  const Clock& clock;
  const Environment& environment;
  Log& log;
};

}  // namespace robot_council::base
