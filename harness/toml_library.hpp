#pragma once

#include <stdexcept>

// The one way into toml++: every file that reads TOML includes this, since the library is headers
// only and its checks must be the same everywhere.
//
// Its own checks fail on some ill-formed texts ("[{"), and with NDEBUG the compiler may
// take it that they hold. A file must neither end the process that reads it nor lead it astray: the
// checks stay, and throw.
namespace robot_council::harness {
constexpr void toml_check(bool good) {
  if (!good) {
    throw std::runtime_error("the text is no TOML");
  }
}
}  // namespace robot_council::harness
#undef NDEBUG
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): the library asks for a macro
#define TOML_ASSERT(condition) robot_council::harness::toml_check(static_cast<bool>(condition))
#include <toml++/toml.h>
