#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"

namespace robot_council::stop_hook {

// Delivery contract, section 5, unless said otherwise.
inline constexpr int kDefaultRounds =
    1;                                // answers to one turn in a row without ROBOT_COUNCIL_ROUNDS
inline constexpr int kMaxRounds = 8;  // Claude Code ends a turn itself after 8 blocks in a row
inline constexpr std::int64_t kMaxStreak =
    8;  // answers in a row, whatever the flags say: Codex and Gemini CLI have no cap
inline constexpr std::int64_t kTellAgainMs =
    std::int64_t{10} * 60 * 1000;                    // between two answers about an unreadable sink
inline constexpr std::size_t kMaxIdleSessions = 20;  // sessions in `.hook`
inline constexpr std::size_t kMaxRecordBytes =
    std::size_t{64} * 1024;  // of `.hook`: 20 session ids and a few fields
inline constexpr base::Milliseconds kAnswerWait{
    8000};  // for the bytes of an answer of our own to leave

// Wake contract, section 2.
inline constexpr base::Milliseconds kLookStep{
    100};  // between two looks at a sink, however busy it is
inline constexpr base::Milliseconds kPollStep{500};  // between two looks where changes are not told
inline constexpr base::Milliseconds kLookAgain{
    5000};  // at least one look, and one look at the client, in this time
inline constexpr base::Milliseconds kGatherQuiet{
    500};  // without a new arrival, then what arrived is handed over
inline constexpr base::Milliseconds kGatherTotal{2000};   // from the first arrival
inline constexpr base::Milliseconds kAfterTurnEnd{2000};  // the delivering hook goes first
inline constexpr base::Milliseconds kAfterLoopGuard{
    60000};  // the same after it kept silent on purpose
inline constexpr base::Milliseconds kInterrupted{
    120000};  // a transcript that stands still so long: the turn was broken off
inline constexpr base::Milliseconds kWaiterLife{
    86000 * 1000};  // shorter than the entry's own timeout of 86,400 s
inline constexpr std::int64_t kWakesWindowMs = std::int64_t{10} * 60 * 1000;
inline constexpr std::size_t kWakesPerWindow = 6;  // hand-overs to one session in ten minutes
inline constexpr std::int64_t kWakesHourMs = std::int64_t{60} * 60 * 1000;
inline constexpr std::size_t kWakesPerHour = 30;    // and in an hour; also the times kept
inline constexpr std::size_t kMaxWaitClients = 20;  // clients in `.wait`
inline constexpr base::Milliseconds kWaitLockTime{
    2000};  // for `.wait.lock`, held only while `.wait` is replaced

}  // namespace robot_council::stop_hook
