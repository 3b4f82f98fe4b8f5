#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace robot_council::stops {

// The policy file. It is read at every turn end, so a file that somebody else wrote must stay
// cheap.
inline constexpr std::size_t kMaxPolicyBytes = std::size_t{64} * 1024;
inline constexpr std::size_t kMaxPolicyDepth = 16;  // levels of YAML
inline constexpr std::size_t kMaxQuestions = 8;     // of one policy
inline constexpr std::size_t kMaxRules = 64;        // of one policy
inline constexpr std::size_t kMaxPolicyWarnings = 32;
// The longest text of a policy that an error or a warning repeats, in bytes.
inline constexpr std::size_t kMaxQuotedBytes = 60;

// Time for a judge, both attempts together (timeout_ms).
inline constexpr std::chrono::milliseconds kDefaultJudgeTime{2000};
inline constexpr std::chrono::milliseconds kMinJudgeTime{50};
inline constexpr std::chrono::milliseconds kMaxJudgeTime{30000};
// The recorder ends this long after a judge's time is over, whatever hangs.
inline constexpr std::chrono::milliseconds kAfterJudge{1000};
// Nobody waits longer than this for a recorder: Claude Code's hook entry says 10 s.
inline constexpr std::chrono::milliseconds kHardDeadline{9000};
inline constexpr std::chrono::milliseconds kMaxHardDeadline{60000};  // with --deadline
// For the payload, the policy and the log together, before a judge's time is known.
inline constexpr std::chrono::milliseconds kLogLockWait{200};
inline constexpr std::chrono::milliseconds kLogLockStep{2};
inline constexpr std::chrono::milliseconds kSinkBusyWait{50};
// What `pending` printed this long before the recorder began belongs to the same turn end.
inline constexpr std::chrono::milliseconds kSameTurnEnd{2000};

// The closing message.
inline constexpr std::size_t kDefaultTailChars = 6000;  // code points that a judge is shown
inline constexpr std::size_t kMinTailChars = 200;
inline constexpr std::size_t kMaxTailChars = 6000;
inline constexpr std::size_t kTailWordChars = 80;  // a cut word is left out up to this length
inline constexpr std::size_t kMaxRedactedBytes = std::size_t{1024} * 1024;  // the message's end

// The log.
inline constexpr std::int64_t kMaxLogBytes = std::int64_t{8} * 1024 * 1024;  // then it is renamed
inline constexpr std::size_t kMaxIdBytes = 128;                              // longer ones are null
inline constexpr std::size_t kMaxPathBytes = 4096;                           // the same
inline constexpr std::size_t kMaxErrorChars = 200;
inline constexpr std::size_t kMaxLogLineBytes = std::size_t{256} * 1024;  // longer: not read back
inline constexpr std::size_t kMaxBackgroundTypes = 16;                    // names kept of one stop

// sessions.json: the newest sessions; the breaker and the once-a-session mark.
inline constexpr std::size_t kMaxSessions = 8;
inline constexpr std::size_t kMaxSessionsBytes = std::size_t{64} * 1024;
inline constexpr int kBreakerFailures = 5;  // in a row
inline constexpr int kBreakerSlow = 20;     // answers over half of timeout_ms, in a row

// Judges.
inline constexpr std::size_t kMaxJudgeReplyBytes = std::size_t{1024} * 1024;
inline constexpr std::size_t kMaxJudgeRequestBytes = std::size_t{1024} * 1024;
inline constexpr std::size_t kMaxKeyFileBytes = std::size_t{16} * 1024;
inline constexpr std::size_t kMaxCommandWords = 64;
inline constexpr std::size_t kMaxHeaders = 32;

}  // namespace robot_council::stops
