#include <filesystem>
#include <fstream>

#include "base/files.hpp"
#include "pending/proofs.hpp"
#include "pending/transcript.hpp"
#include "tests/pending/pending_fixture.hpp"

namespace robot_council::pending {
namespace {

using sink::Call;
using sink::CallKind;
using test::event;
using test::events;
using test::line_of;

class States : public test::PendingTest {
 protected:
  // A transcript of Claude Code, to which lines are added.
  std::string transcript_ = home_.dir / "transcript.jsonl";
  void user_says(const std::string& text, const std::string& path = {}) {
    std::ofstream(path.empty() ? transcript_ : path, std::ios::app)
        << R"({"type":"user","message":{"role":"user","content":)" << base::quote_json(text)
        << "}}\n";
  }
  Call with_transcript(Call call) const {
    call.transcript = transcript_;
    return call;
  }
};

TEST_F(States, AWaitingRowIsPrintedAndWritten) {
  add(events(1, 2));
  EXPECT_EQ(text(turn_end()), block("\\n" + line_of(1) + "\\n" + line_of(2)));
  const auto rows = home_.rows();
  EXPECT_EQ(rows[0].state, sink::RowState::written);
  EXPECT_EQ(rows[0].writes, 1);
  EXPECT_EQ(rows[0].to_session, "A");
  EXPECT_EQ(rows[0].to_turn, "turn-1");
  EXPECT_EQ(rows[0].printed_ms, home_.clock.wall_ms());
  EXPECT_EQ(rows[0].proof, sink::Proof::hook);
}

// 51
TEST_F(States, S051AContinuationOfTheSamePromptConfirms) {
  add(events(1, 1));
  text(turn_end());
  EXPECT_EQ(text(continued()), "");
  EXPECT_EQ(left(), "confirmed");
  EXPECT_EQ(home_.history()[0].to_session, "A");
  EXPECT_EQ(home_.history()[0].proof, 1);
  EXPECT_TRUE(home_.history()[0].printed_ms.has_value());
}

// 52
TEST_F(States, S052AContinuationOfAnotherPromptDoesNot) {
  add(events(1, 1));
  text(turn_end());
  EXPECT_EQ(text(continued("A", "woken")), block("\\n[repeat] " + line_of(1)));
  EXPECT_EQ(left(), "");
}

// 53, 54
TEST_F(States, S053TheTextInAUserLineConfirms) {
  add(events(1, 2));
  user_says("before");
  text(with_transcript(turn_end()));
  user_says("Stop hook feedback:\n" + line_of(1));
  EXPECT_EQ(text(with_transcript(turn_end("A", "turn-2"))), block("\\n[repeat] " + line_of(2)));
  EXPECT_EQ(left(), "confirmed");
}

// 56
TEST_F(States, S056AFifoForATranscriptDoesNotHang) {
  ASSERT_EQ(::mkfifo(transcript_.c_str(), 0600), 0);
  add(events(1, 1));
  text(with_transcript(turn_end()));
  EXPECT_EQ(text(with_transcript(turn_end("A", "turn-2"))), block("\\n[repeat] " + line_of(1)));
}

// 165
TEST_F(States, S165AMegabyteOfTranscriptAfterThePrintIsNoHindrance) {
  add(events(1, 1));
  user_says("before");
  text(with_transcript(turn_end()));
  user_says(line_of(1));
  {
    std::ofstream file(transcript_, std::ios::app);
    for (int i = 0; i < 1000; ++i) {
      file << R"({"type":"assistant","text":")" << std::string(1000, 'x') << "\"}\n";
    }
  }
  EXPECT_EQ(text(with_transcript(turn_end("A", "turn-2"))), "");
  EXPECT_EQ(left(), "confirmed");
}

// 58
TEST_F(States, S058NotTakenInTwoRepeatsThenUndelivered) {
  add(events(1, 1));
  EXPECT_EQ(text(turn_end()), block("\\n" + line_of(1)));
  EXPECT_EQ(text(turn_end("A", "t2")), block("\\n[repeat] " + line_of(1)));
  EXPECT_EQ(text(turn_end("A", "t3")), block("\\n[repeat] " + line_of(1)));
  EXPECT_EQ(text(turn_end("A", "t4")), "");
  EXPECT_EQ(left(), "undelivered");
  EXPECT_EQ(home_.history()[0].writes, 3);
}

// 59
TEST_F(States, S059CursorLoopCounts) {
  add(events(1, 1));
  Call first = turn_end("C", "g1");
  first.loop_count = 0;
  EXPECT_NE(text(first, Shape::cursor), "");
  Call second = turn_end("C", "g2");
  second.loop_count = 1;
  second.continuation = true;
  EXPECT_EQ(text(second, Shape::cursor), "");
  EXPECT_EQ(left(), "confirmed");
}

// 60
TEST_F(States, S060GooseConfirmsWithItsNextCall) {
  add(events(1, 1));
  EXPECT_EQ(text(goose()), block("\\n" + line_of(1)));
  EXPECT_EQ(home_.rows()[0].proof, sink::Proof::next_call);
  home_.clock.advance(base::Milliseconds(5000));  // its next payload may be the same, byte for byte
  EXPECT_EQ(text(goose()), "");
  EXPECT_EQ(left(), "confirmed");
}

// P3 is for callers that can show nothing: without a session id, or without each of the three.
TEST_F(States, S060OneFieldIsEnoughToProveLater) {
  const auto proof_of = [&](const Call& call) {
    add(events(turn_ends_ + 1, turn_ends_ + 1));
    ++turn_ends_;
    EXPECT_NE(text(call), "");
    return home_.rows().back().proof;
  };
  Call none;
  none.kind = CallKind::hook;
  none.session = "A";
  EXPECT_EQ(proof_of(none), sink::Proof::next_call);
  Call flag = none;
  flag.has_continuation_field = true;
  EXPECT_EQ(proof_of(flag), sink::Proof::hook);
  Call turn = none;
  turn.turn = "t1";
  EXPECT_EQ(proof_of(turn), sink::Proof::hook);
  EXPECT_EQ(proof_of(with_transcript(none)), sink::Proof::hook);
  Call nobody = with_transcript(turn);
  nobody.has_continuation_field = true;
  nobody.session.reset();
  EXPECT_EQ(proof_of(nobody), sink::Proof::next_call);
}

// 61
TEST_F(States, S061PlainTwiceIsPrintedOnce) {
  add(events(1, 1));
  EXPECT_EQ(plain(), line_of(1) + "\n");
  EXPECT_EQ(plain(), "");
  EXPECT_EQ(left(), "confirmed");
}

// 62
TEST_F(States, S062APlainCallLeavesAHooksRow) {
  add(events(1, 1));
  text(turn_end());
  EXPECT_EQ(plain(), "");
  EXPECT_EQ(states(), "2 ");
}

// 63
TEST_F(States, S063AnotherSessionGetsItMarkedAfterTenMinutes) {
  add(events(1, 1));
  text(turn_end("A"));
  EXPECT_EQ(text(turn_end("B")), "");
  EXPECT_EQ(states(), "2 ");
  home_.clock.advance(base::Milliseconds(10 * 60 * 1000));
  EXPECT_EQ(text(turn_end("B")), block("\\n[repeat] " + line_of(1)));
  home_.clock.set_wall(home_.clock.wall_ms() - 3'600'000);  // an hour back
  EXPECT_EQ(text(turn_end("C")), block("\\n[repeat] " + line_of(1)));
}

// 64
TEST_F(States, S064AfterClearTheOldTranscriptSettles) {
  add(events(1, 1));
  user_says("before");
  text(with_transcript(turn_end("A")));
  user_says(line_of(1));
  Call other = turn_end("B");
  other.transcript = home_.dir / "of-b.jsonl";
  EXPECT_EQ(text(other), "");
  EXPECT_EQ(left(), "confirmed");
}

// 65
TEST_F(States, S065AHookWiredTwiceAnswersOnce) {
  add(events(1, 60));
  Call call = turn_end();
  EXPECT_NE(text(call), "");
  auto second = deliver(request(call));
  EXPECT_EQ(second.text, "");
  EXPECT_EQ(second.outcome->end, End::same_turn_end);
  // The same with bigger answers and new events in between.
  Call long_call = turn_end("A", "t2");
  std::vector<sink::FeedEvent> long_ones = events(101, 160);
  for (sink::FeedEvent& one : long_ones) {
    one.json = test::event_json(*one.id, std::string(300, 'l'));
  }
  add(long_ones);
  const std::string once = text(long_call);
  EXPECT_NE(once.find("more are waiting"), std::string::npos);
  EXPECT_EQ(text(long_call), "");
  home_.clock.advance(base::Milliseconds(2000));
  EXPECT_NE(text(long_call), "") << "later the same bytes are another turn end";
}

// 65: the first of the two was killed after its offer; the second one hands its rows over.
TEST_F(States, S065AnOfferOfTheSameTurnEndThatDiedIsNoAnswer) {
  add(events(1, 1));
  const Call call = turn_end();
  text(call);
  home_.sql("UPDATE entry SET state=1, writes=0");
  EXPECT_EQ(text(call), block("\\n[repeat] " + line_of(1)));
}

// 67
TEST_F(States, S067UnderTheBrakeProofsCountAndNothingElse) {
  add(events(1, 3));
  text(turn_end());
  add(events(4, 5));
  home_.sql("UPDATE entry SET state=1, offer='x' WHERE event_id=3");
  std::filesystem::remove(home_.files().turn());
  const std::string before = states();
  auto kept = confirm_only(request(turn_end("A", "t2")), home_.context());
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(*kept, 3U);
  EXPECT_EQ(states(), before);
  EXPECT_EQ(*confirm_only(request(continued()), home_.context()), 3U);
  EXPECT_EQ(left(), "confirmed confirmed");
  EXPECT_EQ(states(), "1 0 0 ");
  EXPECT_FALSE(base::exists(home_.files().turn()));
}

// 67: nothing was printed, so there is nothing to prove and nothing to lock.
TEST_F(States, S067UnderTheBrakeRowsThatWaitAreCountedWithoutALock) {
  add(events(1, 2));
  EXPECT_EQ(*confirm_only(request(turn_end()), home_.context()), 2U);
  EXPECT_FALSE(base::exists(home_.files().drain()));
}

// 42: the session ends between choosing and marking.
TEST_F(States, S042RowsThatLeftMeanwhileStayAway) {
  add(events(1, 2));
  Request wanted = request(turn_end());
  wanted.step = [&](Step step) {
    if (step == Step::printed) {
      ASSERT_TRUE(store_->end_session().ok());
    }
  };
  EXPECT_NE(deliver(wanted).text, "");
  EXPECT_EQ(home_.rows().size(), 0U);
  EXPECT_EQ(left(), "session-ended session-ended");
}

// 68
TEST_F(States, S068FirstPrintsFollowTheFeed) {
  std::uint32_t state = 20261130;  // a fixed seed
  const auto random = [&](std::uint32_t below) {
    state = state * 1664525U + 1013904223U;
    return (state >> 16U) % below;
  };
  std::int64_t next = 1;
  std::vector<std::int64_t> printed;
  for (int step = 0; step < 50; ++step) {
    if (random(2) == 0) {
      const auto count = static_cast<std::int64_t>(random(4));
      add(events(next, next + count));
      next += count + 1;
    }
    const std::string turn = "t" + std::to_string(random(5));
    const std::string answer = text(random(2) == 0 ? turn_end("A", turn) : continued("A", turn));
    for (std::int64_t id = 1; id < next; ++id) {
      const std::size_t at = answer.find("\\n" + line_of(id));
      if (at != std::string::npos) {
        printed.push_back(id);
      }
    }
  }
  EXPECT_GT(printed.size(), 20U);
  for (std::size_t i = 0; i < printed.size(); ++i) {
    EXPECT_EQ(printed[i], static_cast<std::int64_t>(i + 1))
        << "first prints, in feed order, each once unmarked";
  }
}

// 46: also what a reader settles.
TEST_F(States, S046HistoryIsPrunedWhereAReaderAddsToIt) {
  home_.sql(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<1000) INSERT INTO "
      "history(left_ms, why, writes, join_no, event_id, json) SELECT " +
      std::to_string(home_.clock.wall_ms()) + ", 'confirmed', 1, 9, i, '{}' FROM n");
  add(events(1, 1));
  text(turn_end());
  text(continued());
  EXPECT_EQ(home_.rows().size(), 0U);
  EXPECT_EQ(home_.history().size(), 1000U);
}

// 86
TEST_F(States, S086SmallHugeSmallAreThreeAnswers) {
  add({event(1), event(2, std::string(20000, 'h')), event(3)});
  const auto first = deliver(request(turn_end()));
  EXPECT_EQ(first.text,
            block("\\n" + line_of(1) + "\\n2 more are waiting; they follow at the next turn end."));
  EXPECT_EQ(first.outcome->printed, 1U);
  EXPECT_EQ(first.outcome->waiting, 2U);
  const std::string second = text(continued());
  EXPECT_NE(second.find("... (cut, "), std::string::npos);
  EXPECT_NE(second.find("\\n1 more are waiting"), std::string::npos);
  EXPECT_EQ(second.find(line_of(3)), std::string::npos);
  EXPECT_EQ(text(continued()), block("\\n" + line_of(3)));
  EXPECT_EQ(text(continued()), "");
  EXPECT_EQ(left(), "confirmed confirmed confirmed");
}

// 85
TEST_F(States, S085ACutRowIsConfirmedByItsMark) {
  add({event(1, std::string(20000, 'h'))});
  user_says("before");
  const std::string answer = text(with_transcript(turn_end()));
  user_says(base::json_unescape(base::json_member(answer, "reason")));
  EXPECT_EQ(text(with_transcript(turn_end("A", "t2"))), "");
  EXPECT_EQ(left(), "confirmed");
}

// Q09
TEST_F(States, Q09AnUrgentRowPrintedElsewhereDoesNotMoveThePositionPastOthers) {
  add({event(1, "", "session.stale"), event(2, "", "session.stale"), event(3, "", "directive")});
  Call wake;
  wake.kind = CallKind::wake;
  wake.session = "A";
  Request wanted = request(wake, Shape::text);
  wanted.filter.urgent_only = true;
  EXPECT_EQ(deliver(wanted).text, "Robot Council has news:\n" + line_of(3));
  EXPECT_EQ(states(), "0 0 2 ");
  EXPECT_NE(text(turn_end()).find("[session.stale] event 1"), std::string::npos);
}

// 81
TEST_F(States, S081TheTurnMark) {
  const std::string mark = home_.files().turn();
  text(turn_end());
  EXPECT_TRUE(base::exists(mark)) << "also without events";
  EXPECT_EQ(std::filesystem::file_size(mark), 0U);
  std::filesystem::remove(mark);
  add(events(1, 1));
  text(turn_end());
  EXPECT_TRUE(base::exists(mark));
  std::filesystem::remove(mark);
  Request codex = request(turn_end("A", "t2"));
  codex.harness = "codex";
  deliver(codex);
  EXPECT_FALSE(base::exists(mark)) << "claude only";
  Request silenced = request(continued("A", "t3"));
  silenced.guard = [](const TurnEnd& end) { return Verdict{false, end.chain}; };
  deliver(silenced);
  EXPECT_FALSE(base::exists(mark)) << "a continuation that the loop guard silences";
  silenced.call.continuation = false;
  silenced.call.turn_end = "T-other";
  deliver(silenced);
  EXPECT_TRUE(base::exists(mark));
  std::filesystem::remove(mark);
  add(events(2, 2));
  EXPECT_NE(text(continued("A", "t4")), "");
  EXPECT_TRUE(base::exists(mark)) << "one that is answered is a turn end like others";
}

TEST_F(States, RowsOfAWakeAreConfirmedByThePromptThatCarriesThem) {
  add(events(1, 2));
  Call wake;
  wake.kind = CallKind::wake;
  wake.session = "A";
  wake.turn = "turn-1";
  const auto woken = deliver(request(wake, Shape::text));
  EXPECT_EQ(woken.text, "Robot Council has news:\n" + line_of(1) + "\n" + line_of(2));
  EXPECT_EQ(home_.rows()[0].proof, sink::Proof::wake);
  EXPECT_EQ(home_.sql_value("SELECT woke FROM chain WHERE session='A'"), "1");
  EXPECT_FALSE(base::exists(home_.files().turn())) << "a wake is no turn end";
  home_.sql("UPDATE chain SET woke=0");
  Call prompt = wake;
  prompt.session = "B";
  EXPECT_EQ(*confirm_by_prompt(request(prompt), woken.text, Whose::session, home_.context()), 0U);
  prompt.session = "A";
  EXPECT_EQ(*confirm_by_prompt(request(prompt), "something else", Whose::session, home_.context()),
            0U);
  EXPECT_EQ(*confirm_by_prompt(request(prompt), "<task-notification>" + line_of(1), Whose::session,
                               home_.context()),
            1U);
  EXPECT_EQ(home_.sql_value("SELECT woke FROM chain WHERE session='A'"), "1");
  prompt.session = "after-clear";
  EXPECT_EQ(*confirm_by_prompt(request(prompt), line_of(2), Whose::any_session, home_.context()),
            1U);
  EXPECT_EQ(left(), "confirmed confirmed");
  EXPECT_EQ(home_.history()[0].proof, 2);
  // What a turn end was answered with is proved by other things.
  add(events(3, 3));
  text(turn_end());
  prompt.session = "A";
  EXPECT_EQ(*confirm_by_prompt(request(prompt), line_of(3), Whose::session, home_.context()), 0U);
}

// Killed between the print and the mark: the prompt that carries the row shows that it came.
TEST_F(States, ARowOfAWakeThatWasNotMarkedIsConfirmedByItsPrompt) {
  add(events(1, 1));
  Call wake;
  wake.kind = CallKind::wake;
  wake.session = "A";
  const auto woken = deliver(request(wake, Shape::text));
  home_.sql("UPDATE entry SET state=1, writes=0");
  EXPECT_EQ(*confirm_by_prompt(request(wake), woken.text, Whose::session, home_.context()), 1U);
  EXPECT_EQ(left(), "confirmed");
}

// The times of section 3 begin when the last byte has left.
TEST_F(States, ARowIsPrintedWhenItsAnswerHasLeft) {
  add(events(1, 1));
  const std::int64_t begun = home_.clock.wall_ms();
  Request wanted = request(turn_end());
  wanted.step = [&](Step step) {
    if (step == Step::offered) {
      EXPECT_EQ(home_.rows()[0].printed_ms, begun) << "of the offer, until it is marked";
      home_.clock.advance(base::Milliseconds(5000));
    }
  };
  deliver(wanted);
  EXPECT_EQ(home_.rows()[0].printed_ms, begun + 5000);
  EXPECT_EQ(home_.rows()[0].stored_ms, begun);
}

TEST_F(States, AWaiterSettlesOfferedRowsOnly) {
  add(events(1, 2));
  text(turn_end());
  home_.sql("UPDATE entry SET state=1, writes=0, offer='dead' WHERE event_id=2");
  home_.clock.advance(base::Milliseconds(3'600'000));
  Call wake;
  wake.kind = CallKind::wake;
  wake.session = "A";
  EXPECT_EQ(deliver(request(wake, Shape::text)).text,
            "Robot Council has news:\n[repeat] " + line_of(2));
  EXPECT_EQ(states(), "2 2? ");
}

TEST_F(States, AWaiterThatIsNotWantedAnyMoreChangesNothing) {
  add(events(1, 1));
  Call wake;
  wake.kind = CallKind::wake;
  Request wanted = request(wake, Shape::text);
  wanted.still_wanted = [] { return false; };
  auto delivered = deliver(wanted);
  EXPECT_EQ(delivered.outcome->end, End::unwanted);
  EXPECT_EQ(delivered.text, "");
  EXPECT_EQ(states(), "0 ");
}

TEST_F(States, ALookCountsWithoutChanging) {
  add({event(1, "", "session.stale"), event(2)});
  const std::string bytes = test::read_text(home_.files().database());
  auto seen = look(request(Call()));
  ASSERT_TRUE(seen.ok());
  EXPECT_EQ(seen->rows, 2U);
  EXPECT_EQ(seen->urgent, 1U);
  EXPECT_EQ(seen->last_seq, 2);
  Request later = request(Call());
  later.filter.after_seq = 2;
  EXPECT_EQ(look(later)->rows, 0U);
  add(events(3, 3));
  EXPECT_EQ(look(later)->rows, 1U);
  home_.sql("UPDATE entry SET state=1 WHERE event_id=3");
  EXPECT_EQ(look(later)->rows, 1U) << "not delivered yet";
  home_.sql("UPDATE entry SET state=2 WHERE event_id=3");
  EXPECT_EQ(look(later)->rows, 0U);
  later.files.key = "0123456789abcdef0123456789abcdef";
  EXPECT_EQ(look(later)->rows, 0U) << "no sink";
}

// P2: where a row's transcript is, and which of its lines count.
TEST_F(States, ARowIsLookedForWhereItsSessionWritesNow) {
  add(events(1, 1));
  sink::Entry row = home_.rows()[0];
  row.state = sink::RowState::written;
  row.writes = 1;
  row.to_session = "A";
  row.to_turn = "turn-1";
  row.proof = sink::Proof::hook;
  row.printed_ms = home_.clock.wall_ms();
  row.transcript = home_.dir / "old.jsonl";
  row.transcript_at = 0;
  const auto is_seen = [&](const Call& call) {
    return seen_rows({row}, call, sink::Scope::all, home_.clock.wall_ms()).size() == 1;
  };
  Call call = turn_end("A", "turn-2");
  call.transcript = home_.dir / "new.jsonl";
  user_says("nothing of it", home_.dir / "old.jsonl");
  user_says(line_of(1), home_.dir / "new.jsonl");
  EXPECT_TRUE(is_seen(call)) << "the session goes on in another file";
  call.session = "B";
  EXPECT_FALSE(is_seen(call)) << "that file is another session's";
  call.session.reset();
  row.to_session.reset();
  EXPECT_FALSE(is_seen(call)) << "nobody's file is not the row's";
  call.session = row.to_session = "A";
  call.transcript.reset();
  EXPECT_FALSE(is_seen(call));
  row.transcript = home_.dir / "new.jsonl";
  EXPECT_TRUE(is_seen(call)) << "no path in this call: the stored one";
  // The size at the offer is that of the old file.
  const std::string third = home_.dir / "third.jsonl";
  user_says(line_of(1), third);
  std::ofstream(third, std::ios::app) << std::string(300'000, '\n');
  call.transcript = third;
  EXPECT_FALSE(is_seen(call)) << "only the end of a file that was begun since";
  row.transcript = third;
  EXPECT_TRUE(is_seen(call));
}

TEST_F(States, WhatABackgroundHookSaidIsShownByItsOwnLines) {
  add(events(1, 1));
  std::ofstream(transcript_) << R"({"type":"attachment","attachment":{"type":"queued_command",)"
                             << R"("prompt":)" << base::quote_json(line_of(1)) << "}}\n";
  sink::Entry row = home_.rows()[0];
  row.state = sink::RowState::written;
  row.writes = 1;
  row.to_session = "A";
  row.printed_ms = home_.clock.wall_ms() - 60'000;
  const Call call = with_transcript(turn_end("A", "turn-2"));
  for (const sink::Proof proof : {sink::Proof::hook, sink::Proof::wake}) {
    row.proof = proof;
    EXPECT_EQ(seen_rows({row}, call, sink::Scope::all, home_.clock.wall_ms()).size(),
              proof == sink::Proof::wake ? 1U : 0U);
  }
}

TEST_F(States, PrintsToASessionCanBeFound) {
  add(events(1, 2));
  text(turn_end());
  text(continued());
  add(events(3, 3));
  home_.clock.advance(base::Milliseconds(1000));
  text(turn_end("A", "t2"));
  const std::int64_t now = home_.clock.wall_ms();
  auto store =
      sink::DeliveryStore::open(home_.files(), sink::Access::read_only, sink::WaitBudget());
  EXPECT_EQ((*store)->prints_to("A", now - 2000, now)->size(), 3U);
  EXPECT_EQ((*store)->prints_to("A", now - 500, now + 500)->size(), 1U);
  EXPECT_EQ((*store)->prints_to("B", now - 2000, now)->size(), 0U);
}

}  // namespace
}  // namespace robot_council::pending
