#include "tests/lib/terminal.hpp"

#include <fcntl.h>
#include <stdlib.h>

#include <array>

namespace robot_council::test {

std::optional<Terminal> open_terminal() {
  Terminal terminal{base::Fd(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)), {}};
  std::array<char, 128> name{};
  if (!terminal.master.valid() || ::grantpt(terminal.master.get()) != 0 ||
      ::unlockpt(terminal.master.get()) != 0 ||
      ::ptsname_r(terminal.master.get(), name.data(), name.size()) != 0) {
    return std::nullopt;
  }
  terminal.path = name.data();
  return terminal;
}

}  // namespace robot_council::test
