#pragma once

#include <optional>
#include <string>

#include "base/fd.hpp"

namespace robot_council::test {

// A pseudo-terminal: the side that stands for the person, and the path of the side of the program.
struct Terminal {
  base::Fd master;
  std::string path;
};

// Nothing where none can be had, as in a chroot without /dev/pts.
[[nodiscard]] std::optional<Terminal> open_terminal();

// The reason that a skipped test gives.
inline constexpr const char* kNoTerminal =
    "no pseudo-terminal can be opened here (is /dev/pts mounted?)";

}  // namespace robot_council::test
