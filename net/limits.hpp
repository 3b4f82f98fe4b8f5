#pragma once

#include <cstddef>

#include "base/clock.hpp"

namespace robot_council::net {

// The server; what one request may be: service contract 8.2.

inline constexpr std::size_t kMaxRequestHeaders = 64;  // Header fields of a request; over it: 431.
inline constexpr std::size_t kMaxRequestHead =
    std::size_t{16} << 10U;  // Bytes of a request's head, its first line included; over it: 431.
inline constexpr std::size_t kMaxRequestTarget =
    8000;  // Bytes of a target; over it: 414. The library takes 8192 for a whole line.

// Connections that wait to be taken. The library's 5 makes 1,000 returning readers wait 20 s.
inline constexpr int kListenBacklog = 4096;
// Descriptors that are never used for held requests: the store, logs, and requests that are read or
// answered.
inline constexpr std::size_t kReservedDescriptors = 512;
// Connections beside the held ones; one more drops the oldest unfinished request. With bodies of 64
// KiB: 80 MiB at most.
inline constexpr std::size_t kSpareConnections = 1024;
// Descriptors left to the rest of the process, whatever the connections want.
inline constexpr std::size_t kForeignDescriptors = 128;
// Bytes that are read and dropped after an answer before the close: a refusal reaches a peer that
// still sends.
inline constexpr std::size_t kMaxDrain = std::size_t{256} << 10U;
inline constexpr base::Milliseconds kDrainTime{1000};  // The same, ms.
// ms; an answer not fetched by then is given up: the longest page (some MiB) over a slow line.
inline constexpr base::Milliseconds kAnswerTime{30000};
// Failures of accept in one turn that are taken for a lasting one.
inline constexpr std::size_t kAcceptFailures = 8;
// ms without accepting after a lasting failure, or after descriptors ran out and nothing could be
// dropped.
inline constexpr base::Milliseconds kAcceptPause{100};
inline constexpr std::size_t kAcceptsPerTurn =
    256;  // Connections taken before others get their turn.
inline constexpr std::size_t kReadChunk = std::size_t{16} << 10U;  // Bytes a read of a request.
inline constexpr base::Milliseconds kSayDroppedEvery{
    60000};  // ms between two log lines about dropped requests.

// The client.

inline constexpr std::size_t kMaxUrl = 2048;  // Bytes of a service's URL.
inline constexpr std::size_t kMaxAnswerHead =
    std::size_t{64} << 10U;  // Bytes of an answer's status line and headers.
// Bytes of a status line: the library matches it with std::regex, which recurses for each
// character.
inline constexpr std::size_t kMaxStatusLine = 1024;
// Bytes on the wire for one byte of body: a chunked body of one-byte chunks has 6.
inline constexpr std::size_t kMaxFraming = 8;
inline constexpr std::size_t kWriteChunk =
    std::size_t{64} << 10U;  // Bytes of a request gathered before they are sent.

}  // namespace robot_council::net
