#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"

namespace robot_council::sink {

// Delivery contract, sections 1 to 3, unless said otherwise.
inline constexpr std::size_t kKeyDigits = 32;  // hex digits of SHA-256 that name a seat: 128 bits
inline constexpr std::size_t kMaxGitFileBytes =
    1U << 20U;                                     // a `.git` file; git itself refuses larger ones
inline constexpr std::size_t kMaxHeadBytes = 255;  // of HEAD that are looked at, as git does
inline constexpr std::size_t kMaxRecordBytes = 4096;  // of a recorded key file; a good one has 32

inline constexpr base::Milliseconds kBusyStep{50};  // between two tries for a lock
inline constexpr base::Milliseconds kBusyWait{
    2000};  // all waits of a command before printing; again for the mark

inline constexpr std::size_t kMaxWaitingEvents =
    200;  // waiting fleet events of a share; the oldest leave above it
inline constexpr std::size_t kMaxHistoryRows = 1000;
inline constexpr std::int64_t kHistoryAgeMs = std::int64_t{30} * 24 * 3600 * 1000;  // 30 days
inline constexpr std::size_t kMaxChainRows = 100;  // sessions whose loop counters are kept
inline constexpr std::size_t kMaxEndedJoins = 20;  // newest joins kept, besides the live ones
inline constexpr int kMaxAncestors = 32;           // parents looked at to find the own client
inline constexpr int kMaxWrites = 3;  // prints of a row without proof, then `undelivered`
inline constexpr std::int64_t kSameTurnEndMs =
    2000;  // a hook wired twice gets the same bytes within this
inline constexpr std::int64_t kForeignRowMs =
    std::int64_t{10} * 60 * 1000;  // a row printed to another session is left alone
inline constexpr std::int64_t kWakeRowMs =
    std::int64_t{10} * 1000;  // a wake's row needs no proof this long (wake contract, 2)

inline constexpr std::int64_t kApplicationId = 0x52435331;  // "RCS1"
inline constexpr std::int64_t kSchemaVersion = 1;

}  // namespace robot_council::sink
