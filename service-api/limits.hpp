#pragma once

#include <cstddef>
#include <cstdint>

// Bounds of the service's wire contract, shared by the client and the embedded service. Lengths are
// characters (code points), not bytes. Source: service contract, 1.4 and the section named beside a
// constant.
namespace robot_council::service_api {

inline constexpr std::size_t kMaxText = 4000;  // characters: event body, directive, description
inline constexpr std::size_t kMaxJsonBytes =
    4096;  // bytes of compact JSON with \uXXXX and \/: meta, payload, result
inline constexpr std::size_t kMaxJsonNesting = 8;    // levels: meta, payload, result
inline constexpr std::size_t kMaxAddressees = 50;    // integers in to, to_tasks, targets
inline constexpr std::size_t kMaxTitle = 255;        // characters
inline constexpr std::int64_t kMaxPriority = 9;      // 0..9
inline constexpr std::size_t kMaxProjectId = 128;    // characters
inline constexpr std::size_t kMaxIssue = 151;        // characters
inline constexpr std::size_t kMaxBranch = 200;       // characters
inline constexpr std::size_t kMaxSubLabel = 64;      // characters
inline constexpr std::size_t kMaxRepository = 140;   // characters
inline constexpr std::size_t kMaxWorkLocation = 32;  // characters
inline constexpr std::size_t kMaxHarness = 32;       // characters
inline constexpr std::size_t kMaxMachineLabel = 64;  // characters
inline constexpr std::size_t kMaxArch = 32;          // characters
inline constexpr std::int64_t kMaxCapacity = 16;     // tasks at once; more is taken as 16
inline constexpr std::size_t kMaxLockName = 191;     // characters
inline constexpr std::int64_t kMaxLockTtl = 900;     // seconds of one lease
inline constexpr std::int64_t kMaxLockHold = 14400;  // seconds from acquire to the last expiry
inline constexpr std::int64_t kMaxLiveLeases = 20;   // leases of one session

inline constexpr std::size_t kMaxDeviceCode = 255;  // characters (section 2)
inline constexpr std::size_t kMinVerifier = 43;     // characters (section 2, RFC 7636)
inline constexpr std::size_t kMaxVerifier = 128;    // characters
inline constexpr std::size_t kUserCodeLetters = 8;  // letters
inline constexpr std::int64_t kCodeLifetime = 600;  // seconds until a device code expires
inline constexpr std::int64_t kCodeInterval = 5;    // seconds between exchanges
inline constexpr std::int64_t kInstallationLifetime = 2592000;  // seconds, 30 days (1.2)
inline constexpr std::int64_t kSessionLifetime = 3600;          // seconds (1.2)

inline constexpr std::int64_t kStaleAfter = 300;      // seconds of silence (3.3)
inline constexpr std::int64_t kGoneAfter = 1800;      // seconds of silence (3.3)
inline constexpr std::int64_t kWatcherAlive = 90;     // seconds (3.3)
inline constexpr std::int64_t kWatcherUnknown = 900;  // seconds (3.3)

inline constexpr std::int64_t kMaxPageEvents =
    200;  // events of one feed page, also the default (4.1)
inline constexpr std::int64_t kMaxExamined = 1000;  // ids one feed read examines (4.1)
inline constexpr std::int64_t kMaxWait = 25;        // seconds a feed read is held (8.4)
inline constexpr std::int64_t kMaxPageTasks =
    100;  // tasks, sessions of one page, also the default (5.2, 6)

// Requests of one fixed minute (1.4).
inline constexpr std::int64_t kRateDeviceCode = 10;      // per address
inline constexpr std::int64_t kRateDeviceToken = 30;     // per code and verifier
inline constexpr std::int64_t kRateDeviceTokenIp = 120;  // per address
inline constexpr std::int64_t kRateDecisions = 20;       // approve and deny, per person
inline constexpr std::int64_t kRateSessions =
    60;                                       // start, renew and end together, per installation
inline constexpr std::int64_t kRateRole = 5;  // per session
inline constexpr std::int64_t kRateAgent =
    120;  // all other agent routes and mcp together, per session
inline constexpr std::int64_t kRateOperator = 600;      // operator calls (8.6)
inline constexpr std::int64_t kRateFailedSignIns = 10;  // wrong operator tokens (8.6)

}  // namespace robot_council::service_api
