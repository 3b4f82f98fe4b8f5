#pragma once

#include <cstddef>

#include "base/clock.hpp"

namespace robot_council::pending {

// Delivery contract, 3 and 4.2, unless said otherwise.
inline constexpr std::size_t kMaxAnswerCharacters =
    9500;  // UTF-16 units of text; Claude Code cuts some hook text above 10,000
inline constexpr std::size_t kMaxAnswerJson = 9900;  // UTF-16 units of the whole JSON answer
inline constexpr std::size_t kMaxCodexBytes =
    8000;  // bytes of text: 2,000 tokens at 4 bytes; Codex cuts above 2,500
inline constexpr base::Milliseconds kWriteWait{8000};  // for all bytes of an answer to leave
inline constexpr std::size_t kTranscriptWindow =
    std::size_t{256} * 1024U;  // bytes read from each of two places of a transcript
inline constexpr std::size_t kProofPrefix =
    80;  // bytes of a line that are looked for in a transcript
inline constexpr std::size_t kMaybeCutBytes =
    7000;  // a shorter line is never cut, whatever the budget
inline constexpr std::size_t kDefaultHistory = 20;  // rows of `--history`
inline constexpr std::size_t kMaxEntryDepth =
    512;  // levels of a stored entry; a deeper one reads as empty
inline constexpr std::size_t kWriteChunk =
    4096;  // PIPE_BUF: after poll() a write of this size does not block
inline constexpr std::size_t kMaxTranscriptDepth =
    64;  // levels of a transcript line that are looked through

}  // namespace robot_council::pending
