#pragma once

#include <chrono>
#include <cstddef>

namespace robot_council::brake {

// Largest stop file, bytes; a larger one is unreadable and so refuses everybody. A real one has a
// few hundred.
inline constexpr std::size_t kMaxStopFileBytes = std::size_t{64} * 1024U;
// Deepest nesting inside a stop file, levels. Ours have two.
inline constexpr std::size_t kMaxStopFileDepth = 16;
// Longest reason, bytes of UTF-8: it is shown in every client's refusal.
inline constexpr std::size_t kMaxReasonBytes = 500;
// Stop files of one home that are read when no repository is known; more is unreadable. 50 us each.
inline constexpr std::size_t kMaxStopFiles = 100000;
// Largest .git file, commondir file, /etc/passwd line file, bytes.
inline constexpr std::size_t kMaxGitFileBytes = std::size_t{64} * 1024U;
inline constexpr std::size_t kMaxPasswordFileBytes = std::size_t{16} * 1024U * 1024U;
// Largest agent-env file, bytes.
inline constexpr std::size_t kMaxAgentEnvBytes = std::size_t{64} * 1024U;
// Payload of a hook: how long it is read, how much of it, how much of it is kept. Clients give a
// hook 5 s and more.
inline constexpr std::chrono::milliseconds kPayloadWait{2000};
inline constexpr std::size_t kMaxPayloadBytes = std::size_t{64} * 1024U * 1024U;
inline constexpr std::size_t kMaxPayloadKept = std::size_t{1024} * 1024U;
// The whole check; then the watchdog refuses. Grok, the shortest, gives a hook 5 s.
inline constexpr std::chrono::milliseconds kCheckWait{4000};
// The decision log after the answer; then the process ends without it.
inline constexpr std::chrono::milliseconds kLogWait{500};
// Wait for the writers' lock S/.lock.
inline constexpr std::chrono::milliseconds kWriterLockWait{2000};
// `git config user.email`, `git ls-files`, `vibe --version`.
inline constexpr std::chrono::milliseconds kGitWait{2000};
// The decision log is set aside over this size, bytes.
inline constexpr std::size_t kMaxDecisionLogBytes = 1048576;
// Longest answer a person types in the ceremony, bytes.
inline constexpr std::size_t kMaxTypedBytes = 4096;
// How long the ceremony waits for an answer; then the stop stays.
inline constexpr std::chrono::minutes kTypingWait{10};
// Longest JSON line through the gateway, bytes; and the wait for a peer that does not read.
inline constexpr std::size_t kMaxGatewayLineBytes = std::size_t{64} * 1024U * 1024U;
// After the end of its output the server of the gateway has this long to exit.
inline constexpr std::chrono::milliseconds kServerEndWait{10000};
// Wait for the lock of a settings file, and how often an edit starts over when other bytes appear
// meanwhile.
inline constexpr std::chrono::milliseconds kEditLockWait{5000};
inline constexpr int kEditTries = 5;
// Largest settings file of a client that is edited, bytes.
inline constexpr std::size_t kMaxSettingsBytes = std::size_t{4} * 1024U * 1024U;
// Ancestors looked at for a client's process, levels.
inline constexpr int kMaxAncestors = 64;

}  // namespace robot_council::brake
