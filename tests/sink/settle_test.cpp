#include "sink/settle.hpp"

#include <gtest/gtest.h>

namespace robot_council::sink {
namespace {

constexpr std::int64_t kPrinted = 1'000'000;
constexpr std::int64_t kLater = kPrinted + 60'000;
constexpr std::int64_t kTenMinutesMs = 600'000;
constexpr std::int64_t kTenSecondsMs = 10'000;

Entry written(Proof proof = Proof::hook) {
  Entry row;
  row.state = RowState::written;
  row.writes = 1;
  row.to_session = "A";
  row.to_turn = "t1";
  row.to_end = "T1";
  row.proof = proof;
  row.printed_ms = kPrinted;
  return row;
}

Call turn_end(const char* session = "A", const char* turn = "t2") {
  Call call;
  call.kind = CallKind::hook;
  call.session = session;
  call.turn = turn;
  call.turn_end = "T2";
  call.has_continuation_field = true;
  return call;
}

Settlement settle(const Entry& row, const Call& call, Seen seen = Seen::no,
                  std::int64_t now = kLater, Scope scope = Scope::all) {
  return settle_row(row, call, seen, scope, now);
}

TEST(Settle, WaitingRowsStay) {
  EXPECT_EQ(settle(Entry(), turn_end(), Seen::yes), Settlement::stays);
}

TEST(Settle, OfferedRowsOfADeadProcess) {
  Entry row = written();
  row.state = RowState::offered;
  EXPECT_EQ(settle(row, turn_end()), Settlement::waits_again);
  EXPECT_EQ(settle(row, turn_end(), Seen::yes), Settlement::confirmed);
  Call continued = turn_end("A", "t1");
  continued.continuation = true;
  EXPECT_EQ(settle(row, continued), Settlement::waits_again)
      << "P1 is no proof for what was perhaps not printed";
  EXPECT_EQ(settle(row, turn_end(), Seen::no, kLater, Scope::offered_only),
            Settlement::waits_again);
  EXPECT_EQ(settle(row, turn_end(), Seen::no, kLater, Scope::proofs_only), Settlement::stays);
  EXPECT_EQ(settle(row, turn_end(), Seen::yes, kLater, Scope::proofs_only), Settlement::confirmed);
}

// 51, 52
TEST(Settle, S051ContinuationOfTheSameTurnConfirms) {
  Call call = turn_end("A", "t1");
  call.continuation = true;
  EXPECT_EQ(settle(written(), call), Settlement::confirmed);
  call.turn = "other";
  EXPECT_EQ(settle(written(), call), Settlement::waits_again)
      << "52: a wake-up begins a turn of its own";
  call.turn.reset();
  EXPECT_EQ(settle(written(), call), Settlement::confirmed)
      << "only when both have a turn id must it be the same";
  Entry without_turn = written();
  without_turn.to_turn.reset();
  call.turn = "t1";
  EXPECT_EQ(settle(without_turn, call), Settlement::confirmed);
  call.turn.reset();
  call.continuation = false;
  EXPECT_EQ(settle(written(), call), Settlement::waits_again);
  call.continuation = true;
  call.session = "B";
  EXPECT_EQ(settle(written(), call), Settlement::stays);
}

// 59
TEST(Settle, S059CursorConfirmsByItsLoopCountOnly) {
  Entry row = written();
  row.loops = 0;
  Call call = turn_end("A", "another generation");
  call.loop_count = 1;
  call.continuation = true;
  EXPECT_EQ(settle(row, call), Settlement::confirmed);
  row.loops = 1;
  EXPECT_EQ(settle(row, call), Settlement::waits_again);
  row.loops.reset();
  EXPECT_EQ(settle(row, call), Settlement::waits_again);
}

// 65
TEST(Settle, S065TheSameTurnEndLeavesTheRowForTwoSeconds) {
  Call call = turn_end();
  call.turn_end = "T1";
  call.continuation = true;
  EXPECT_EQ(settle(written(), call, Seen::yes, kPrinted + 1999), Settlement::stays);
  EXPECT_EQ(settle(written(), call, Seen::yes, kPrinted + 2000), Settlement::confirmed);
  EXPECT_EQ(settle(written(), call, Seen::yes, kPrinted - 1), Settlement::confirmed)
      << "the clock went back";
}

// 58
TEST(Settle, S058ThreePrintsWithoutProofAreEnough) {
  Entry row = written();
  row.writes = 2;
  EXPECT_EQ(settle(row, turn_end()), Settlement::waits_again);
  row.writes = 3;
  EXPECT_EQ(settle(row, turn_end()), Settlement::undelivered);
  EXPECT_EQ(settle(row, turn_end("B"), Seen::no, kPrinted + kTenMinutesMs),
            Settlement::undelivered);
}

// 60, 61
TEST(Settle, S060WhatCanProveNothingIsConfirmedByTheNextCall) {
  const Entry row = written(Proof::next_call);
  EXPECT_EQ(settle(row, turn_end()), Settlement::confirmed);
  EXPECT_EQ(settle(row, turn_end("B")), Settlement::confirmed);
  EXPECT_EQ(settle(row, Call()), Settlement::confirmed);
  Entry foreign = row;
  foreign.in_share = false;
  EXPECT_EQ(settle(foreign, Call()), Settlement::stays) << "only a call that may take it";
  foreign.to_session.reset();
  EXPECT_EQ(settle(foreign, Call()), Settlement::stays) << "no session is none of the same";
  EXPECT_EQ(settle(row, turn_end(), Seen::no, kLater, Scope::proofs_only), Settlement::stays);
}

// 62, 63
TEST(Settle, S063AnotherSessionWaitsTenMinutes) {
  EXPECT_EQ(settle(written(), Call()), Settlement::stays) << "62: a plain call";
  EXPECT_EQ(settle(written(), turn_end("B"), Seen::no, kPrinted + kTenMinutesMs - 1),
            Settlement::stays);
  EXPECT_EQ(settle(written(), turn_end("B"), Seen::no, kPrinted + kTenMinutesMs),
            Settlement::waits_again);
  EXPECT_EQ(settle(written(), turn_end("B"), Seen::no, kPrinted - 1), Settlement::waits_again)
      << "the clock went back";
  EXPECT_EQ(settle(written(), turn_end("B"), Seen::yes), Settlement::confirmed) << "64";
}

// 67
TEST(Settle, S067UnderTheBrakeOnlyProofsCount) {
  Call call = turn_end("A", "t1");
  EXPECT_EQ(settle(written(), call, Seen::no, kLater, Scope::proofs_only), Settlement::stays);
  call.continuation = true;
  EXPECT_EQ(settle(written(), call, Seen::no, kLater, Scope::proofs_only), Settlement::confirmed);
}

TEST(Settle, RowsOfAWake) {
  const Entry row = written(Proof::wake);
  Call call = turn_end("A", "t1");
  EXPECT_EQ(settle(row, call), Settlement::stays)
      << "the recorded turn ends: it may be taken in after it";
  call.continuation = true;
  EXPECT_EQ(settle(row, call), Settlement::stays) << "P1 is none for a wake";
  call.turn = "t2";
  EXPECT_EQ(settle(row, call), Settlement::confirmed) << "the wake began this turn";
  call.continuation = false;
  EXPECT_EQ(settle(row, call, Seen::no, kPrinted + kTenSecondsMs - 1), Settlement::stays);
  EXPECT_EQ(settle(row, call, Seen::no, kPrinted + kTenSecondsMs), Settlement::waits_again);
  EXPECT_EQ(settle(row, call, Seen::yes), Settlement::confirmed);
  EXPECT_EQ(settle(row, turn_end("B")), Settlement::stays);
  Call of_another = turn_end("B");
  of_another.continuation = true;
  EXPECT_EQ(settle(row, of_another), Settlement::stays) << "another session was woken";
  Call no_turn = turn_end();
  no_turn.turn.reset();
  no_turn.continuation = true;
  EXPECT_EQ(settle(row, no_turn), Settlement::waits_again) << "which turn cannot be told";
  Entry without_turn = row;
  without_turn.to_turn.reset();
  EXPECT_EQ(settle(without_turn, no_turn), Settlement::waits_again)
      << "two unknown turns are not the same one";
  Call waiter = turn_end();
  waiter.kind = CallKind::wake;
  EXPECT_EQ(settle(row, waiter, Seen::yes, kLater, Scope::offered_only), Settlement::stays);
}

// Wake contract, 6: what a wake may hand over in the middle of a turn.
TEST(Entry, TheTypesThatAreUrgent) {
  for (const char* type :
       {"directive", "placement.instruction", "task.reassigned", "task.cancelled",
        "lock.taken_over", "lock.force_released", "bridge.session-ended"}) {
    EXPECT_TRUE(is_urgent(type)) << type;
  }
  for (const char* type : {"", "directives", "task.claimed", "bridge.capacity-changed"}) {
    EXPECT_FALSE(is_urgent(type)) << type;
  }
}

}  // namespace
}  // namespace robot_council::sink
