#include "base/check.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace robot_council::base {

void check_failed(const char* expression, const char* file, int line) {
  (void)std::fprintf(stderr, "robot-council: broken invariant %s at %s:%d\n", expression, file,
                     line);
  std::abort();
}

}  // namespace robot_council::base
