#include "sink/settle.hpp"

#include "sink/limits.hpp"

namespace robot_council::sink {
namespace {

bool within(const std::optional<std::int64_t>& since_ms, std::int64_t now_ms,
            std::int64_t limit_ms) {
  // A clock that was set back counts as over: a row must not be held for as long as the clock was
  // wrong.
  return since_ms && now_ms >= *since_ms && now_ms - *since_ms < limit_ms;
}

bool same_session(const Entry& row, const Call& call) {
  return call.session && row.to_session == call.session;
}

// P1: the turn that this call ends was begun by the answer that held the row.
bool continued_from(const Entry& row, const Call& call) {
  if (row.proof == Proof::wake || !same_session(row, call)) {
    return false;
  }
  if (call.loop_count) {
    return row.loops && *call.loop_count > *row.loops;
  }
  return call.continuation && (!call.turn || !row.to_turn || *call.turn == *row.to_turn);
}

// A wake begins a turn of its own, so the proof is a continuation of another turn than the recorded
// one.
bool woken_from(const Entry& row, const Call& call) {
  return row.proof == Proof::wake && same_session(row, call) && call.continuation && call.turn &&
         call.turn != row.to_turn;
}

Settlement unproved(const Entry& row) {
  return row.writes < kMaxWrites ? Settlement::waits_again : Settlement::undelivered;
}

Settlement settle_written(const Entry& row, const Call& call, Seen seen, Scope scope,
                          std::int64_t now_ms) {
  if (scope == Scope::offered_only || same_turn_end(row, call, now_ms)) {
    return Settlement::stays;
  }
  if (seen == Seen::yes || continued_from(row, call) || woken_from(row, call)) {
    return Settlement::confirmed;
  }
  if (scope == Scope::proofs_only) {
    return Settlement::stays;
  }
  if (row.proof == Proof::next_call && row.in_share) {
    return Settlement::confirmed;  // P3
  }
  if (!same_session(row, call)) {
    return within(row.printed_ms, now_ms, kForeignRowMs) ? Settlement::stays : unproved(row);
  }
  if (row.proof == Proof::wake) {
    // Text that came during the last answer of the recorded turn is taken in after its end.
    const bool recorded_turn = call.turn && row.to_turn == call.turn;
    return recorded_turn || within(row.printed_ms, now_ms, kWakeRowMs) ? Settlement::stays
                                                                       : unproved(row);
  }
  return unproved(row);
}

}  // namespace

bool same_turn_end(const Entry& row, const Call& call, std::int64_t now_ms) {
  return call.turn_end && row.to_end == call.turn_end &&
         within(row.printed_ms, now_ms, kSameTurnEndMs);
}

Settlement settle_row(const Entry& row, const Call& call, Seen seen, Scope scope,
                      std::int64_t now_ms) {
  if (row.state == RowState::waiting) {
    return Settlement::stays;
  }
  if (row.state == RowState::written) {
    return settle_written(row, call, seen, scope, now_ms);
  }
  if (seen == Seen::yes) {
    return Settlement::confirmed;
  }
  // Offered, and <key>.drain is free: its process is dead. With the brake on it waits for the next
  // call.
  return scope == Scope::proofs_only ? Settlement::stays : Settlement::waits_again;
}

}  // namespace robot_council::sink
