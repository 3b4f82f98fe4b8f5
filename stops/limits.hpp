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

// Judge local.
inline constexpr std::size_t kMaxSentences = 6;         // the last ones of a message
inline constexpr std::size_t kMaxSentenceBytes = 8192;  // of a longer one its end is looked at

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

// Transcripts.
// Bytes of one line of a transcript; longer ones are skipped and counted. An image of 5 MB is a
// line of 7.
inline constexpr std::size_t kMaxTranscriptLine = std::size_t{64} * 1024 * 1024;
inline constexpr std::size_t kReadChunk = std::size_t{256} * 1024;  // bytes a read
// Levels of JSON in a line of a transcript; deeper ones are skipped and counted.
inline constexpr std::size_t kMaxTranscriptDepth = 512;
// Bytes of a prompt that are kept: only --with-text shows more than a label of it.
inline constexpr std::size_t kMaxPromptBytes = std::size_t{4} * 1024;
// Enqueued prompts of one session that wait for their line.
inline constexpr std::size_t kMaxQueued = 1024;

// The label: a longer reply is no bare go-ahead.
inline constexpr std::size_t kMaxGoaheadChars = 48;  // code points
inline constexpr std::size_t kMaxGoaheadWords = 6;

// Pairing.
// A print of `pending` belongs to a turn end that began at most this long after it (both hooks run
// at once) ...
inline constexpr std::chrono::milliseconds kPrintBefore{2000};
// ... or before it.
inline constexpr std::chrono::milliseconds kPrintAfter{20000};
// How long and how many rows a sink's history reaches back: without them a turn end without a print
// proves nothing.
inline constexpr std::chrono::milliseconds kHistoryAge{std::chrono::hours(24 * 30)};
inline constexpr std::size_t kHistoryRows = 1000;
// Time to open one seat's sink for a report.
inline constexpr std::chrono::milliseconds kReportBusyWait{50};

// The report.
inline constexpr std::int64_t kFewPairs = 20;      // fewer are too few to read: no rates
inline constexpr std::size_t kShownGoaheads = 20;  // most common normal forms
// Lines of a log that one report keeps, 600 bytes each. The recorder's own two files hold some
// 20,000.
inline constexpr std::size_t kMaxReportLines = 200000;
// Lines this long before --since are read too: what they took is not taken twice.
inline constexpr std::chrono::milliseconds kContextBefore{60000};
inline constexpr std::size_t kMaxShownProjects = 50;

}  // namespace robot_council::stops
