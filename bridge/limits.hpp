#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"

// Every size, count and time limit of the bridge, with its unit and its reason. wiki/Bridge.md has
// the same list.
namespace robot_council::bridge {

// --- stdio ---
inline constexpr std::size_t kMaxLineBytes =
    std::size_t{8} << 20U;  // one JSON-RPC message: larger than any tool call seen
inline constexpr std::size_t kReadBytes = 65536;  // one read(2) of stdin: a pipe's whole buffer
inline constexpr std::size_t kMaxWaitingMessages = 256;  // messages read and not yet begun
inline constexpr std::size_t kMaxWaitingBytes = std::size_t{32}
                                                << 20U;  // bytes of those: four of the largest
inline constexpr std::size_t kMaxDepth = 128;            // levels of nesting, as in base/json.hpp
inline constexpr std::size_t kFinalReads =
    64;  // reads of the pipe after the fleet ended the session

// --- upstream ---
inline constexpr std::size_t kMaxAnswerBytes = std::size_t{16} << 20U;  // an answer of the service
inline constexpr std::size_t kMaxWorkers = 8;                           // calls in flight
inline constexpr std::size_t kMaxListPages =
    10;  // pages of tools/list followed, the first included
inline constexpr std::size_t kMaxShownCharacters = 200;  // of a service's text in ours
inline constexpr std::int64_t kMaxRetryAfterCallSeconds =
    5;  // a forwarded call waits no longer for a busy service
inline constexpr std::int64_t kMaxRetryAfterSeconds = 300;  // the bridge's own calls wait no longer

// --- feed ---
inline constexpr int kWaitSeconds =
    25;  // asked of the service: it holds a read as long (service contract, 8.4)
inline constexpr int kSmallestWait =
    5;  // seconds; below it holding is no use and reads are spaced instead
inline constexpr std::size_t kFullPage = 200;       // events of a page that is cut by its size
inline constexpr std::int64_t kExaminedIds = 1000;  // ids a service examines in one read
inline constexpr int kReadsWithoutPause =
    30;  // of a flood; then one every two seconds: 60 a minute

// --- records and counts ---
inline constexpr std::size_t kMaxHarnessName = 32;
inline constexpr std::size_t kMaxRepository = 140;  // characters, service contract 1.4
inline constexpr std::size_t kMaxLocation = 32;
inline constexpr std::int64_t kJoinRecordAgeSeconds =
    86400;  // an older Cursor join is no longer this application's
inline constexpr std::size_t kMaxJoinRecordBytes = 65536;
inline constexpr int kNoticeRepeats = 5;

// Every period and deadline of the bridge. The defaults are the contract's; tests run the same code
// with shorter ones.
struct Timings {
  base::Milliseconds connect{10000};      // of each call
  base::Milliseconds call{30000};         // a whole forwarded call, and the keeper's calls
  base::Milliseconds feed{35000};         // a held read: the wait and 10 s
  base::Milliseconds session_read{5000};  // GET agent/session
  base::Milliseconds instructions{5000};  // the fleet's instructions at a join
  base::Milliseconds start_gate{
      1000};  // a call that has not written its request holds the next no longer
  base::Milliseconds launch_wait{1000};  // initialize and tools/list wait for a join at launch
  base::Milliseconds leave_wait{5000};   // calls before a leave, and in flight at EOF
  base::Milliseconds ended_wait{3000};   // calls in flight when the fleet ended the session
  base::Milliseconds delete_wait{3000};  // the DELETE at the end, and that of a leftover session
  base::Milliseconds heartbeat{60000};
  base::Milliseconds watcher{60000};
  base::Milliseconds capacity{300000};
  base::Milliseconds expiry{86400000};
  base::Milliseconds renew_before{300000};  // left of the token's life
  base::Milliseconds renew_pause{30000};    // between attempts
  base::Milliseconds asleep{60000};         // slept as long: the token is renewed first
  base::Milliseconds poll{10000};           // between reads of a service that does not hold them
  base::Milliseconds early{5000};           // after an empty answer that came at once
  base::Milliseconds flood{2000};           // between reads once 30 came without a pause
  base::Milliseconds backoff{1000};         // first of a failure, doubling
  base::Milliseconds backoff_most{60000};
  base::Milliseconds limited{30000};   // after 429 without Retry-After
  base::Milliseconds no_wait{600000};  // polling after a held read was cut at the smallest wait
  base::Milliseconds notice_repeat{60000};  // first repeat, doubling
  base::Milliseconds unreadable{60000};     // an unreadable sink is asked again
  base::Milliseconds brake{5000};           // a notice held back by the brake is tried again
  base::Milliseconds turn_mark{5000};       // a keep-alive's own turn end is looked for
  base::Milliseconds own_turn{120000};      // a turn end as long after a keep-alive is its own
  base::Milliseconds seat_retry{60000};
  base::Milliseconds seat_wait{
      2000};  // a rejoin waits so long for the seat of the bridge before it
  base::Milliseconds seat_step{100};
  base::Milliseconds parent{5000};
  base::Milliseconds record{30000};     // the bridge record is written no more often after reads
  base::Milliseconds clear_wait{2000};  // a locked sink at a leave
};

}  // namespace robot_council::bridge
