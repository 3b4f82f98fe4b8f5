#pragma once

#include <cstddef>

#include "base/clock.hpp"

namespace robot_council::wiring::online {

// `demo`, account contract, section 10.
inline constexpr base::Milliseconds kDemoTime{60000};      // all steps together
inline constexpr base::Milliseconds kDemoStepTime{15000};  // one wait inside a step
inline constexpr base::Milliseconds kDemoHookTime{10000};  // one run of the stop hook: a client waits longer
inline constexpr base::Milliseconds kDemoLookStep{20};     // between two looks at the sink
inline constexpr base::Milliseconds kDemoEndTime{5000};    // for the bridge and the service to end by themselves
inline constexpr std::size_t kDemoErrorLines = 20;         // of a child's stderr, shown on failure
inline constexpr std::size_t kDemoMaxText = std::size_t{1} << 20U;  // bytes of one child's output or stderr that are read

}  // namespace robot_council::wiring::online
