#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/environment.hpp"

namespace robot_council::harness {

// Lower case, only [a-z0-9-] kept, cut to kMaxNameBytes. "" = no name.
[[nodiscard]] std::string reduce_name(std::string_view text);

// The names that detection knows, in the order in which they are shown.
[[nodiscard]] std::span<const std::string_view> known_names();
[[nodiscard]] bool is_known_name(std::string_view name);

// Devin's machines carry this file; nothing in their environment tells.
inline constexpr std::string_view kDevinMarker = "/opt/.devin";

// The harness this process was probably started by, "" if nothing tells: AI_AGENT, then the first
// variable of a fixed list that is set (an empty value counts), then the file `devin_marker`. A
// guess for a name only: some of these variables are set for persons too, so that nothing may be
// allowed or refused by it. Source  account contract, section 2.
[[nodiscard]] std::string detect_harness(
    const base::Environment& environment,
    const std::string& devin_marker = std::string(kDevinMarker));

// The reduced name a person gave: `flag` (the value of --harness, "" = not given), else
// ROBOT_COUNCIL_HARNESS unless blank. A flag that reduces to nothing gives "" and hides the
// variable.
[[nodiscard]] std::string named_harness(std::string_view flag,
                                        const base::Environment& environment);
// The named one, else the detected one, else "".
[[nodiscard]] std::string resolved_harness(
    std::string_view flag, const base::Environment& environment,
    const std::string& devin_marker = std::string(kDevinMarker));

}  // namespace robot_council::harness
