#pragma once

#include <chrono>
#include <cstddef>

namespace robot_council::harness {

// Letters of a reduced harness name; it is part of keys and file names.
inline constexpr std::size_t kMaxNameBytes = 32;

// A hook's payload on stdin. Claude Code waits 600 s for a hook, goose and Copilot CLI 30 s: a hook
// that hears nothing has to end long before, and a payload that comes in drops must not hold the
// turn.
inline constexpr std::chrono::milliseconds kPayloadSilence{2000};  // without one byte
inline constexpr std::chrono::milliseconds kPayloadTotal{5000};    // from the first look at stdin
// Bytes of one payload. The last message of an agent is in it; 1 MB was seen.
inline constexpr std::size_t kMaxPayloadBytes = std::size_t{16} * 1024 * 1024;
// Levels of nesting that are read; what lies deeper is skipped. No field of any client is deeper
// than 4.
inline constexpr std::size_t kMaxPayloadDepth = 64;

}  // namespace robot_council::harness
