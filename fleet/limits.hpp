#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"

// Bounds of the embedded service itself; those of the wire are in service-api/limits.hpp.
namespace robot_council::fleet {

inline constexpr int kDefaultPort = 8787;                            // service contract, 8.1
inline constexpr std::int64_t kSecond = 1000;                        // ms
inline constexpr std::int64_t kMinute = std::int64_t{60} * kSecond;  // ms
inline constexpr std::int64_t kHour = std::int64_t{60} * kMinute;    // ms
inline constexpr std::int64_t kDay = std::int64_t{24} * kHour;       // ms
inline constexpr std::int64_t kSweepEvery = kMinute;                 // ms; service contract, 3.3
inline constexpr std::int64_t kSweepLate =
    std::int64_t{120} * kSecond;                  // ms late: the machine slept (8.5)
inline constexpr std::int64_t kSweepBatch = 500;  // sessions of one kind in a sweep (3.3)
inline constexpr std::int64_t kFlushContactsEvery =
    std::int64_t{15} * kSecond;                   // ms; half of the 30 s that 8.3 allows
inline constexpr int kMaxJsonNestingOfBody = 32;  // levels of a request (8.2)
inline constexpr std::size_t kMaxBody = std::size_t{64} << 10U;  // bytes of a request (8.2)
inline constexpr std::size_t kMaxHeld = 2048;                    // held reads (8.4)
inline constexpr std::size_t kHeldOfSession = 2;                 // held reads of one session (8.4)
inline constexpr std::size_t kHeldOfOperator = 8;                // held reads of the operator (8.4)
inline constexpr std::size_t kDescriptorsBesideHeld = 512;  // descriptors kept for all else (8.4)
inline constexpr std::size_t kWindowEvents =
    4096;  // newest events kept in memory for readers at the head
inline constexpr std::size_t kWindowBytes =
    std::size_t{8} << 20U;                       // bytes of the same; whichever is reached first
inline constexpr std::int64_t kPageChunk = 256;  // rows one query of a feed read takes
inline constexpr std::int64_t kPruneBatch =
    500;  // rows one transaction of the daily work deletes (4.4)
inline constexpr std::size_t kMaxRateKeys = 100000;  // counters of the rate limits held in memory
inline constexpr std::size_t kOperatorTokenBytes = 32;  // random bytes (8.6)
inline constexpr std::size_t kTokenBytes = 32;          // random bytes of a token, a device code
inline constexpr base::Milliseconds kStopGrace{10000};  // running requests at a stop (8.9)
inline constexpr std::int64_t kRetryUnavailable = 5;    // s, Retry-After of a 503
inline constexpr std::int64_t kRetryNoPlace = 5;  // s, Retry-After when no held place is free (8.4)
inline constexpr std::int64_t kOverviewTasks = 500;  // tasks in the overview (8.6)
inline constexpr std::int64_t kOverviewEvents = 50;  // events in the overview (8.6)
inline constexpr std::int64_t kOverviewRows =
    5000;  // sessions, installations, locks in the overview

// Days that are kept unless --keep-* says otherwise; 0 = for ever (4.4).
inline constexpr std::int64_t kKeepEvents = 30;
inline constexpr std::int64_t kKeepTasks = 90;
inline constexpr std::int64_t kKeepLocks = 7;
inline constexpr std::int64_t kKeepSessions = 30;

}  // namespace robot_council::fleet
