#include "base/signals.hpp"

#include <csignal>

namespace robot_council::base {

void ignore_sigpipe() {
  (void)std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace robot_council::base
