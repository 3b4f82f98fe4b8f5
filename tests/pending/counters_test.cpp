// The counters of a harness session: what the loop guard is asked with, and what it leaves behind.

#include <filesystem>

#include "base/files.hpp"
#include "tests/pending/pending_fixture.hpp"

namespace robot_council::pending {
namespace {

using sink::Call;
using sink::CallKind;
using test::events;

class Counters : public test::PendingTest {};

TEST_F(Counters, TheGuardSeesWhatWaitsAndItsCountersAreKept) {
  add(events(1, 3));
  TurnEnd seen;
  Request wanted = request(turn_end());
  wanted.guard = [&](const TurnEnd& end) {
    seen = end;
    return Verdict{true, end.chain};
  };
  deliver(wanted);
  EXPECT_EQ(seen.waiting, 3U);
  EXPECT_EQ(seen.never_printed, 3U);
  wanted.call = turn_end("A", "t2");
  add(events(4, 4));
  deliver(wanted);
  EXPECT_EQ(seen.chain.answers, 1);
  EXPECT_EQ(seen.chain.streak, 1);
  EXPECT_EQ(seen.chain.turn, "turn-1");
  EXPECT_EQ(seen.waiting, 4U);
  EXPECT_EQ(seen.never_printed, 1U);
  // A refusal keeps the rows and its own counters; a silent call ends the streak.
  wanted.call = continued("A", "t2");
  add(events(5, 5));
  wanted.guard = [](const TurnEnd& end) {
    sink::Chain chain = end.chain;
    chain.answers = 7;
    return Verdict{false, chain};
  };
  auto refused = deliver(wanted);
  EXPECT_EQ(refused.text, "");
  EXPECT_EQ(refused.outcome->end, End::guarded);
  EXPECT_EQ(refused.outcome->waiting, 1U);
  EXPECT_EQ(home_.sql_value("SELECT answers||' '||streak FROM chain WHERE session='A'"), "7 0");
  // 120: another session has its own.
  wanted.call = turn_end("B");
  wanted.guard = [&](const TurnEnd& end) {
    seen = end;
    return Verdict{false, end.chain};
  };
  deliver(wanted);
  EXPECT_EQ(seen.chain, sink::Chain());
}

TEST_F(Counters, AHookWiredTwiceChangesNoCounter) {
  add(events(1, 1));
  const Call call = turn_end();
  text(call);
  text(call);
  EXPECT_EQ(home_.sql_value("SELECT answers||' '||streak FROM chain"), "1 1");
}

// Counters are of turn ends: a wake that finds nothing, and a session that was given nothing, leave
// them alone.
TEST_F(Counters, ACallThatPrintsNothingMakesNoCounter) {
  add(events(1, 1));
  text(turn_end());
  const std::string chain =
      "SELECT group_concat(session||answers||streak||woke||ifnull(turn, '-')) FROM chain";
  EXPECT_EQ(home_.sql_value(chain), "A110turn-1");
  EXPECT_EQ(text(turn_end("B")), "");
  EXPECT_EQ(home_.sql_value(chain), "A110turn-1");
  Call wake;
  wake.kind = CallKind::wake;
  wake.session = "A";
  EXPECT_EQ(text(wake, Shape::text), "");
  EXPECT_EQ(home_.sql_value(chain), "A110turn-1");
  home_.sql("DELETE FROM entry");
  std::filesystem::remove(home_.files().drain());
  EXPECT_EQ(text(wake, Shape::text), "");
  EXPECT_EQ(home_.sql_value(chain), "A110turn-1");
  EXPECT_FALSE(base::exists(home_.files().drain())) << "nothing to do, so nothing is locked";
}

}  // namespace
}  // namespace robot_council::pending
