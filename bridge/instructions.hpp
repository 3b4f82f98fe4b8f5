#pragma once

#include <optional>
#include <string>

#include "bridge/notice_plan.hpp"

namespace robot_council::bridge {

// What the `instructions` of initialize are made of.
struct InstructionFacts {
  bool joined = false;
  std::string fleet;     // the fleet's own, read at the join
  bool channel = false;  // harness claude: notices are sent
  HookState hook = HookState::found;
  bool keep_warm = false;
  std::string seat_held;  // L3, "" when the seat is ours
  std::string cursor;     // R or D, "" none
};

// Blocks joined by a blank line. Pure.
[[nodiscard]] std::string instructions(const InstructionFacts& facts);

}  // namespace robot_council::bridge
