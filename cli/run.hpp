#pragma once

#include <vector>

#include "cli/dispatch.hpp"

namespace robot_council::cli {

// What both mains do: the process's clock, environment and log, the words of the command line, and
// an end to every exception. `bindings` is called once. Returns the exit code.
[[nodiscard]] int run_program(int argc, char** argv, Where self,
                              std::vector<Binding> (*bindings)()) noexcept;

}  // namespace robot_council::cli
