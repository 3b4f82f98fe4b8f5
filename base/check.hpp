#pragma once

namespace robot_council::base {

// Writes "robot-council: broken invariant <expression> at <file>:<line>" to stderr and aborts.
[[noreturn]] void check_failed(const char* expression, const char* file, int line);

}  // namespace robot_council::base

// A broken invariant ends the process, in release builds too: going on could lose an event.
#define RC_CHECK(expression)                                                \
  do {                                                                      \
    if (!(expression)) {                                                    \
      ::robot_council::base::check_failed(#expression, __FILE__, __LINE__); \
    }                                                                       \
  } while (false)
