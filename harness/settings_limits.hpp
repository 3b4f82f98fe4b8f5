#pragma once

#include <cstddef>
#include <cstdint>

namespace robot_council::harness {

// Levels. Far above what a person writes; the reader recurses, so there is a bound.
inline constexpr std::size_t kMaxSettingsDepth = 512;
// Dotted parts of one TOML statement. A person writes five; from some 10,000 on the library's own
// recursion ends the process.
inline constexpr std::size_t kMaxTomlParts = 1000;
// Levels the start lines of the bridge accept, as the earlier program did.
inline constexpr std::size_t kRecordedSettingsDepth = 64;
// Bytes. ~/.claude.json keeps histories and grows to a few MiB.
inline constexpr std::size_t kMaxSettingsBytes = std::size_t{16} * 1024U * 1024U;
// Characters of a foreign name or command that a finding repeats.
inline constexpr std::size_t kMaxQuotedText = 120;
// A delivering hook reads a sink that may be busy for 2 s, twice; under this it may be cut short
// (ms).
inline constexpr std::int64_t kMinHookTimeoutMs = 10000;
// Gemini CLI counts milliseconds: a number below this was meant as seconds.
inline constexpr std::int64_t kMinGeminiTimeoutMs = 1000;
// Below this a background hook ends before an idle session has anything to hear (ms).
inline constexpr std::int64_t kMinWakeTimeoutMs = 3600000;
// What a harness gives a hook without a timeout (ms), measured or documented.
inline constexpr std::int64_t kDefaultTimeoutMs = 600000;       // claude, codex
inline constexpr std::int64_t kDefaultGeminiTimeoutMs = 60000;  // gemini
inline constexpr std::int64_t kDefaultShortTimeoutMs = 30000;   // copilot, goose

}  // namespace robot_council::harness
