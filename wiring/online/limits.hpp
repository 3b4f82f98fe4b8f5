#pragma once

#include <cstddef>

#include "base/clock.hpp"

namespace robot_council::wiring::online {

// `demo`, account contract, section 10.
inline constexpr base::Milliseconds kDemoTime{60000};      // all steps together
inline constexpr base::Milliseconds kDemoStepTime{15000};  // one wait inside a step
inline constexpr base::Milliseconds kDemoHookTime{
    10000};  // one run of the stop hook: a client waits longer
inline constexpr base::Milliseconds kDemoSignalTime{
    300};  // for a signal to be seen after it ended a child
inline constexpr base::Milliseconds kDemoLookStep{20};  // between two looks at the sink
inline constexpr base::Milliseconds kDemoEndTime{
    5000};  // for the bridge and the service to end by themselves
inline constexpr std::size_t kDemoErrorLines = 20;  // of a child's stderr, shown on failure
inline constexpr std::size_t kDemoMaxText =
    std::size_t{1} << 20U;  // bytes of one child's output or stderr that are read

// `setup --local`, account contract, section 7.
inline constexpr base::Milliseconds kHealthTime{2000};       // one question at /healthz
inline constexpr base::Milliseconds kLocalStartTime{10000};  // from the unit's start to an answer
inline constexpr base::Milliseconds kLocalLookStep{100};     // between two questions

// `api`, account contract, section 5.
inline constexpr std::size_t kMaxApiMethod = 16;                      // letters of a method
inline constexpr std::size_t kMaxApiBody = std::size_t{1} << 20U;     // bytes of --body
inline constexpr std::size_t kMaxApiAnswer = std::size_t{16} << 20U;  // bytes of an answer
inline constexpr base::Milliseconds kApiStdinTime{60000};             // for a body on stdin
inline constexpr base::Milliseconds kSessionEndTime{
    5000};  // nobody waits longer for the end of a session

// `doctor`, account contract, section 8.
inline constexpr base::Milliseconds kDoctorTime{90000};      // all checks together
inline constexpr base::Milliseconds kDoctorCheckTime{5000};  // one check
inline constexpr base::Milliseconds kProofTime{20000};       // the proof
inline constexpr base::Milliseconds kDoctorLookTime{
    10000};  // the start of the process that looks, a harness's settings, its sink
inline constexpr base::Milliseconds kDoctorBrakeTime{
    20000};  // the brake's checks, which run git and the hook command
inline constexpr base::Milliseconds kDoctorSlack{
    500};  // before its time is over a check ends by itself, later its process is killed
inline constexpr base::Milliseconds kDoctorKillWait{
    500};  // for that process to be gone; one that hangs in the kernel is left behind
inline constexpr std::size_t kMaxDoctorLine = std::size_t{4} << 20U;  // bytes that it tells at once
inline constexpr base::Milliseconds kWakeTime{10000};                 // the directive of --wake
inline constexpr base::Milliseconds kWakeLookStep{20};                // between two looks for it
inline constexpr std::size_t kMaxWakeRows = 200;  // of the history that are looked at
inline constexpr std::size_t kMaxHookScript = std::size_t{64}
                                              << 10U;  // bytes of a stop-hook script
inline constexpr std::size_t kMaxHookOutput = std::size_t{1}
                                              << 20U;  // bytes of a hook's answer that are read
inline constexpr std::size_t kMaxProofRows = 20;       // of the proof's own history
inline constexpr std::size_t kMaxProofNames =
    10000;  // of a root, when a sub-directory is looked for

}  // namespace robot_council::wiring::online
