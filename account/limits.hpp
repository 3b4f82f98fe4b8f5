#pragma once

#include <cstddef>

#include "base/clock.hpp"

namespace robot_council::account {

// Account contract, section 3: a tool of a system store may hang on a locked collection or a prompt
// nobody sees.
inline constexpr base::Milliseconds kToolTime{15000};
// The whole test entry of a store (write, read, delete): `enroll` waits for it.
inline constexpr base::Milliseconds kProbeTime{3000};
// Lock of credentials.json and enrolments.json: an edit takes milliseconds, twenty at once must all
// get their turn.
inline constexpr base::Milliseconds kFileLockTime{5000};
// Whole search for other harnesses' credentials when there is none for this one: only words a
// refusal.
inline constexpr base::Milliseconds kSearchTime{5000};
// Bytes of credentials.json and of enrolments.json: some thousand entries.
inline constexpr std::size_t kMaxAccountFile = std::size_t{1} << 20U;
// Bytes a store's tool may print.
inline constexpr std::size_t kMaxToolOutput = std::size_t{64} << 10U;
// Bytes of a token; the service's are under 100, a keychain item takes far more.
inline constexpr std::size_t kMaxToken = 4096;
// Characters of a machine label (service contract, 1.4), and of the part before the machine's own
// suffix.
inline constexpr std::size_t kMaxLabel = 64;
inline constexpr std::size_t kMaxDefaultLabel = 55;

// Every call of enroll, api, demo, doctor (account contract, section 1).
inline constexpr base::Milliseconds kConnectTime{10000};
inline constexpr base::Milliseconds kCallTime{30000};
inline constexpr std::size_t kMaxAnswer = std::size_t{1} << 20U;

// Device code (RFC 8628; account contract, section 4): seconds when the service tells none, and
// what is believed.
inline constexpr long kDefaultInterval = 5;
inline constexpr long kMinInterval = 1;
inline constexpr long kMaxInterval = 60;
inline constexpr long kDefaultCodeLife = 600;
inline constexpr long kMinCodeLife = 1;
inline constexpr long kMaxCodeLife = 900;
inline constexpr long kSlowDownStep = 5;
inline constexpr long kDefaultRetryAfter = 10;
// Bytes of a service URL and of operator.token (64 hex digits and a newline).
inline constexpr std::size_t kMaxServiceFile = 4096;

}  // namespace robot_council::account
