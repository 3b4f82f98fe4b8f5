#pragma once

#include <cstddef>

#include "base/clock.hpp"

namespace robot_council::net {

// --- server: what one request may be (service contract 8.2) ---
inline constexpr std::size_t kMaxRequestHeaders = 64;                        // fields; over it: 431
inline constexpr std::size_t kMaxRequestHead = std::size_t{16} << 10U;       // bytes, request line included; over it: 431
// Bytes of a request target; over it: 414. Less than the library's own 8192 for a whole request line.
inline constexpr std::size_t kMaxRequestTarget = 8000;

// --- server: connections ---
inline constexpr int kListenBacklog = 4096;  // connections; the library's 5 makes 1,000 returning readers wait 20 s
// Descriptors that are never used for held requests: the store, logs, and requests that are being read or answered.
inline constexpr std::size_t kReservedDescriptors = 512;
// Connections beside the held ones; one more drops the oldest unfinished request. With bodies of 64 KiB: 80 MiB at most.
inline constexpr std::size_t kSpareConnections = 1024;
// Descriptors left to the rest of the process, whatever the connections want.
inline constexpr std::size_t kForeignDescriptors = 128;
// A refusal reaches a peer that still sends: this much of what it sends is read and dropped before the close.
inline constexpr std::size_t kMaxDrain = std::size_t{256} << 10U;    // bytes
inline constexpr base::Milliseconds kDrainTime{1000};
// An answer not taken by then is given up: the longest page (some MiB) over a slow line.
inline constexpr base::Milliseconds kAnswerTime{30000};
// No accept for this long after descriptors ran out and nothing could be dropped, or after this many failures in a row.
inline constexpr std::size_t kAcceptFailures = 8;
inline constexpr base::Milliseconds kAcceptPause{100};
inline constexpr std::size_t kAcceptsPerTurn = 256;  // connections; then the others get their turn
inline constexpr std::size_t kReadChunk = std::size_t{16} << 10U;  // bytes a read(2)

// --- client ---
inline constexpr std::size_t kMaxAnswerHead = std::size_t{64} << 10U;  // bytes of status line and headers
// Bytes of a status line: the library matches it with std::regex, which recurses for each character.
inline constexpr std::size_t kMaxStatusLine = 1024;
// Bytes on the wire for one byte of body: a chunked body of one-byte chunks has 6.
inline constexpr std::size_t kMaxFraming = 8;
inline constexpr std::size_t kWriteChunk = std::size_t{64} << 10U;  // bytes gathered before they are sent
inline constexpr std::size_t kMaxUrl = 2048;  // bytes

}  // namespace robot_council::net
