#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.hpp"
#include "base/json.hpp"
#include "brake/decision.hpp"

namespace robot_council::wiring {

// The stop in force for some agent in this folder, nothing if there is none. It leads whatever `status` and `doctor` say
// (brake contract, section 11).
struct BrakeState {
  brake::Decision decision;
  std::string name;  // of the repository
  std::string lift;  // the command that lifts it
};
[[nodiscard]] std::optional<BrakeState> read_brake(const base::Environment& environment, const std::string& folder);

// "STOPPED shop: every agent", then reason, who and when, copies, lift; whole lines.
[[nodiscard]] std::string brake_text(const BrakeState& state, std::int64_t now_ms);
// {"everywhere","fleet","repository","scope","reason","who","when","copies","readable"}; null for none.
[[nodiscard]] base::OrderedJson brake_json(const std::optional<BrakeState>& state);

}  // namespace robot_council::wiring
