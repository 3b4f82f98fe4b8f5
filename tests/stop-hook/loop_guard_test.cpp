#include "stop-hook/loop_guard.hpp"

#include <map>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "base/environment.hpp"
#include "stop-hook/limits.hpp"

namespace robot_council::stop_hook {
namespace {

// The engine's part of the counters (pending/engine.hpp, Verdict), so that whole conversations can
// be played.
class Session {
 public:
  explicit Session(std::optional<int> rounds = std::nullopt, TurnFlags flags = TurnFlags::boolean)
      : rounds_(rounds), flags_(flags) {}

  GuardReason stop(bool continuation, const std::string& turn, std::size_t waiting = 1,
                   std::size_t never_printed = 1) {
    GuardInput input;
    input.flags = flags_;
    input.continuation = continuation;
    input.turn = turn.empty() ? std::nullopt : std::optional<std::string>(turn);
    input.rounds = rounds_;
    const GuardDecision decision = guard_turn({chain_, waiting, never_printed}, input);
    chain_ = decision.chain;
    if (decision.reason == GuardReason::answer && waiting > 0) {
      ++chain_.answers;
      ++chain_.streak;
      chain_.turn = input.turn;
    } else {
      chain_.streak = 0;
    }
    return decision.reason;
  }
  void wake() { chain_.woke = true; }
  [[nodiscard]] const sink::Chain& chain() const { return chain_; }

 private:
  std::optional<int> rounds_;
  TurnFlags flags_;
  sink::Chain chain_;
};

constexpr GuardReason kAnswer = GuardReason::answer;
constexpr GuardReason kRounds = GuardReason::rounds;
constexpr GuardReason kStreak = GuardReason::streak;

TEST(LoopGuard, ContinuationIsSilentWithoutTheVariable) {  // 113
  Session session;
  EXPECT_EQ(session.stop(false, "p1"), kAnswer);
  EXPECT_EQ(session.stop(true, "p1"), kRounds);
  EXPECT_EQ(session.stop(false, "p2"), kAnswer);
}

TEST(LoopGuard, ContinuationThatAnotherToolBeganIsSilentToo) {
  Session session;
  EXPECT_EQ(session.stop(true, "p1"), kRounds);
}

TEST(LoopGuard, ThreeRoundsGiveThreeAnswers) {  // 114
  Session session(3);
  EXPECT_EQ(session.stop(false, "p1"), kAnswer);
  EXPECT_EQ(session.stop(true, "p1"), kAnswer);
  EXPECT_EQ(session.stop(true, "p1"), kAnswer);
  EXPECT_EQ(session.stop(true, "p1"), kRounds);
  EXPECT_EQ(session.stop(true, "p1"), kRounds);
  EXPECT_EQ(session.stop(false, "p2"), kAnswer);
}

TEST(LoopGuard, RepeatsAloneNeverContinueATurn) {  // 115
  Session session(3);
  EXPECT_EQ(session.stop(false, "p1", 1, 0), kAnswer);
  EXPECT_EQ(session.stop(true, "p1", 1, 0), kRounds);
  EXPECT_EQ(session.stop(true, "p1", 2, 1), kAnswer);
}

TEST(LoopGuard, OneRoundMeansNeverInAContinuation) {
  Session session(1);
  EXPECT_EQ(session.stop(true, "other"), kRounds);
}

TEST(LoopGuard, AnotherTurnIdStartsTheCountAnew) {
  Session session(2);
  EXPECT_EQ(session.stop(false, "p1"), kAnswer);
  EXPECT_EQ(session.stop(true, "p1"), kAnswer);
  EXPECT_EQ(session.stop(true, "p1"), kRounds);
  EXPECT_EQ(session.stop(true, "p2"), kAnswer);
  EXPECT_EQ(session.stop(true, "p2"), kAnswer);
  EXPECT_EQ(session.stop(true, "p2"), kRounds);
}

// Claude Code may end a turn and begin the next one under the same id.
TEST(LoopGuard, AStopThatIsNoContinuationStartsTheCountAnew) {
  for (const TurnFlags flags : {TurnFlags::boolean, TurnFlags::counted}) {
    Session session(2, flags);
    EXPECT_EQ(session.stop(false, "p1"), kAnswer);
    EXPECT_EQ(session.stop(true, "p1"), kAnswer);
    EXPECT_EQ(session.stop(false, "p1"), kAnswer);
    EXPECT_EQ(session.stop(true, "p1"), kAnswer);
    EXPECT_EQ(session.stop(true, "p1"), kRounds);
  }
}

TEST(LoopGuard, NoTurnIdAtAllKeepsTheCount) {
  Session session(2);
  EXPECT_EQ(session.stop(false, ""), kAnswer);
  EXPECT_EQ(session.stop(true, ""), kAnswer);
  EXPECT_EQ(session.stop(true, ""), kRounds);
}

TEST(LoopGuard, TwelveStopsWithTheFlagAlwaysFalse) {  // 117, P14
  Session session;
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(session.stop(false, "p" + std::to_string(i)), kAnswer) << i;
  }
  EXPECT_EQ(session.stop(false, "p8"), kStreak);
  for (int i = 9; i < 12; ++i) {
    EXPECT_EQ(session.stop(false, "p" + std::to_string(i)), kAnswer) << i;
  }
  EXPECT_EQ(session.chain().streak, 3);
}

TEST(LoopGuard, QuietEndStartsTheStreakAnew) {  // 121
  Session session;
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(session.stop(false, "p"), kAnswer);
  }
  EXPECT_EQ(session.stop(false, "p", 0, 0), kAnswer);
  EXPECT_EQ(session.chain().streak, 0);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(session.stop(false, "p"), kAnswer) << i;
  }
  EXPECT_EQ(session.stop(false, "p"), kStreak);
}

TEST(LoopGuard, CursorIsBoundByItsOwnLimitAndTheStreak) {  // 119
  Session session(std::nullopt, TurnFlags::counted);
  EXPECT_EQ(session.stop(false, "g0"), kAnswer);
  for (int loop = 1; loop < 8; ++loop) {
    EXPECT_EQ(session.stop(true, "g" + std::to_string(loop)), kAnswer) << loop;
  }
  EXPECT_EQ(session.stop(true, "g8"), kStreak);
}

TEST(LoopGuard, CursorWithOneRoundAnswersLoopZeroOnly) {  // 119
  Session session(1, TurnFlags::counted);
  EXPECT_EQ(session.stop(false, "g0"), kAnswer);
  EXPECT_EQ(session.stop(true, "g1"), kRounds);
  EXPECT_EQ(session.stop(true, "g2"), kRounds);
}

TEST(LoopGuard, CursorWithThreeRoundsCountsAcrossItsTurnIds) {
  Session session(3, TurnFlags::counted);
  EXPECT_EQ(session.stop(false, "g0"), kAnswer);
  EXPECT_EQ(session.stop(true, "g1"), kAnswer);
  EXPECT_EQ(session.stop(true, "g2"), kAnswer);
  EXPECT_EQ(session.stop(true, "g3"), kRounds);
}

TEST(LoopGuard, TurnThatOurWakeBeganCountsAsNotContinued) {
  Session session;
  EXPECT_EQ(session.stop(false, "p1"), kAnswer);
  session.wake();
  EXPECT_EQ(session.stop(true, "p2"), kAnswer);
  EXPECT_FALSE(session.chain().woke);
  EXPECT_EQ(session.stop(true, "p2"), kRounds);
  EXPECT_EQ(session.stop(true, "p3"), kRounds) << "wake 17: no wake of ours, so ROUNDS holds";
}

TEST(LoopGuard, WakeMarkIsGoneAfterAnyStop) {
  Session session;
  session.wake();
  EXPECT_EQ(session.stop(false, "p1", 0, 0), kAnswer);
  EXPECT_EQ(session.stop(true, "p2"), kRounds);
}

TEST(LoopGuard, WakeTakenInDuringATurnLeavesThatTurnAsItIs) {
  Session session;
  EXPECT_EQ(session.stop(false, "p1"), kAnswer);
  session.wake();
  EXPECT_EQ(session.stop(true, "p1"), kRounds);
}

struct RoundsCase {
  const char* value;
  bool set;
  std::optional<int> rounds;
};

void PrintTo(const RoundsCase& value, std::ostream* out) {
  *out << '"' << value.value << '"';
}

class Rounds : public testing::TestWithParam<RoundsCase> {};

TEST_P(Rounds, OneToEight) {  // 116
  const base::MapEnvironment environment(
      std::map<std::string, std::string>{{"ROBOT_COUNCIL_ROUNDS", GetParam().value}});
  const RoundsSetting setting = read_rounds(environment);
  EXPECT_EQ(setting.set, GetParam().set);
  EXPECT_EQ(setting.rounds, GetParam().rounds);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Rounds,
    testing::Values(RoundsCase{"1", true, 1}, RoundsCase{"8", true, 8}, RoundsCase{" 3 ", true, 3},
                    RoundsCase{"0", true, std::nullopt}, RoundsCase{"9", true, std::nullopt},
                    RoundsCase{"x", true, std::nullopt}, RoundsCase{"-1", true, std::nullopt},
                    RoundsCase{"99999999999999999999", true, std::nullopt},
                    RoundsCase{"", false, std::nullopt}, RoundsCase{"  ", false, std::nullopt}));

}  // namespace
}  // namespace robot_council::stop_hook
