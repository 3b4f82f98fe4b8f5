#pragma once

#include <chrono>
#include <cstddef>

#include "stops/limits.hpp"

namespace robot_council::stops {

// Judges that are asked over HTTP. The reply's size is kMaxJudgeReplyBytes, all times end with the
// policy's timeout_ms.

inline constexpr int kAttempts = 2;  // in one deadline
// Wait before the second attempt, with a random part so that many hooks do not come back at once.
inline constexpr std::chrono::milliseconds kRetryPause{120};
inline constexpr std::chrono::milliseconds kRetryJitter{80};
inline constexpr std::chrono::milliseconds kMaxRetryAfter{1000};  // longer: no second attempt
inline constexpr std::chrono::milliseconds kLeastAttempt{150};    // left for it, or it is not made
inline constexpr std::chrono::milliseconds kConnectTime{5000};
inline constexpr std::chrono::milliseconds kReadRequestTime{5000};  // the recorder's, on stdin
inline constexpr std::size_t kMaxReplyDepth = 64;                   // levels of JSON
inline constexpr int kMaxReplyTokens = 300;  // a yes or no for each of 8 questions takes 150
inline constexpr int kLocalContext = 8192;   // tokens an ollama model is loaded with

}  // namespace robot_council::stops
