#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"

namespace robot_council::stop_hook {

// Delivery contract, section 5, unless said otherwise.
inline constexpr int kDefaultRounds = 1;       // answers to one turn in a row without ROBOT_COUNCIL_ROUNDS
inline constexpr int kMaxRounds = 8;           // Claude Code ends a turn itself after 8 blocks in a row
inline constexpr std::int64_t kMaxStreak = 8;  // answers in a row, whatever the flags say: Codex and Gemini CLI have no cap
inline constexpr std::int64_t kTellAgainMs = std::int64_t{10} * 60 * 1000;  // between two answers about an unreadable sink
inline constexpr std::size_t kMaxIdleSessions = 20;      // sessions in `.hook`
inline constexpr std::size_t kMaxRecordBytes = 64UL * 1024;  // of `.hook`: 20 session ids and a few fields
inline constexpr base::Milliseconds kAnswerWait{8000};   // for the bytes of an answer of our own to leave

}  // namespace robot_council::stop_hook
