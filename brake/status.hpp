#pragma once

#include <string>
#include <vector>

#include "base/context.hpp"

namespace robot_council::brake {

// What `status` and `doctor` lead with.
struct BrakeStatus {
  bool stopped = false;
  // For people, without newlines: "STOPPED shop: every agent", then indented reason, by, copies,
  // lift. Empty when not stopped.
  std::vector<std::string> lines;
  // The value of "brake" in their JSON:
  // {"everywhere","fleet","repository","scope","reason","who","when","copies","readable"}, or null.
  std::string json = "null";
};

// Every stop that bears on `directory`, whomever it reaches. Reads files only; never fails: what
// cannot be read is a stop.
[[nodiscard]] BrakeStatus brake_status(const base::Context& context,
                                       const std::vector<std::string>& homes,
                                       const std::string& directory) noexcept;
// What is shown when it cannot be told whether a stop is on: one is.
[[nodiscard]] BrakeStatus unknown_brake_status();
// With find_homes().
[[nodiscard]] BrakeStatus brake_status(const base::Context& context,
                                       const std::string& directory) noexcept;

}  // namespace robot_council::brake
