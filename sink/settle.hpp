#pragma once

#include <cstdint>

#include "sink/call.hpp"
#include "sink/entry.hpp"

namespace robot_council::sink {

// What becomes of a row that was offered or written before this call. Source: delivery contract,
// section 3 (the table), and wake contract, 2.1 for rows printed by a wake.
enum class Settlement : std::uint8_t {
  stays,
  confirmed,    // leaves as `confirmed`
  waits_again,  // back to waiting; an offered row also gets `maybe`
  undelivered,  // printed kMaxWrites times without a proof: leaves as `undelivered`
};

enum class Scope : std::uint8_t {
  all,           // a turn end or a plain call
  offered_only,  // a waiter
  proofs_only,   // the brake is on: only P1 and P2 confirm, nothing else moves
};

// P2: the transcript shows the row (pending/transcript.hpp).
enum class Seen : std::uint8_t { no, yes };

// Pure. `now_ms`: wall clock. A row in state waiting stays.
[[nodiscard]] Settlement settle_row(const Entry& row, const Call& call, Seen seen, Scope scope,
                                    std::int64_t now_ms);

// This call and the row's offer are one turn end: same T, printed less than 2 s ago.
[[nodiscard]] bool same_turn_end(const Entry& row, const Call& call, std::int64_t now_ms);

}  // namespace robot_council::sink
