#include "stop-hook/wake_rule.hpp"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "stop-hook/wait_record.hpp"
#include "stop-hook/waiter.hpp"

namespace robot_council::stop_hook {
namespace {

using base::Milliseconds;

constexpr std::int64_t kNow = 1796018400000;  // a whole second
const WakeTimes kTimes;

WakeView view(WaiterStart start) {
  WakeView view;
  view.start = start;
  view.session = "s";
  view.started_ms = kNow - 10000;
  view.now_ms = kNow;
  return view;
}

HookRecord record(HookAnswer answer, std::int64_t at_ms) {
  HookRecord hook;
  hook.answer = answer;
  hook.at_ms = at_ms / 1000 * 1000;
  return hook;
}

TEST(WakeRule, WorkingFromThePromptToTheSilentTurnEnd) {
  WakeView now = view(WaiterStart::prompt);
  EXPECT_TRUE(is_working(now, kTimes));
  now.hook = record(HookAnswer::nothing_waiting, kNow - 20000);
  now.hook->set_idle("s", now.started_ms - 1);
  EXPECT_TRUE(is_working(now, kTimes)) << "that turn end was before this prompt";
  now.hook->set_idle("other", now.started_ms + 1);
  EXPECT_TRUE(is_working(now, kTimes));
  now.hook->set_idle("s", now.started_ms + 1);
  EXPECT_FALSE(is_working(now, kTimes));
}

TEST(WakeRule, StartsOfASessionAreIdleButAfterACompaction) {
  EXPECT_FALSE(is_working(view(WaiterStart::fresh), kTimes));
  EXPECT_FALSE(is_working(view(WaiterStart::other), kTimes));
  EXPECT_TRUE(is_working(view(WaiterStart::compact), kTimes));
}

TEST(WakeRule, InterruptedTurnIsIdleAfterTwoMinutesWithoutGrowth) {  // wake 5
  WakeView now = view(WaiterStart::prompt);
  now.transcript_still = Milliseconds(119999);
  EXPECT_EQ(choose_take(now, kTimes).take, Take::urgent);
  now.transcript_still = Milliseconds(120000);
  EXPECT_EQ(choose_take(now, kTimes).take, Take::all);
}

TEST(WakeRule, MidturnSettingDecidesWhileWorking) {  // wake 3
  WakeView now = view(WaiterStart::prompt);
  EXPECT_EQ(choose_take(now, kTimes).take, Take::urgent);
  now.midturn = Midturn::all;
  EXPECT_EQ(choose_take(now, kTimes).take, Take::all);
  now.midturn = Midturn::none;
  EXPECT_EQ(choose_take(now, kTimes).take, Take::nothing);
  now.start = WaiterStart::fresh;
  EXPECT_EQ(choose_take(now, kTimes).take, Take::all);
}

TEST(WakeRule, MidturnWords) {
  using Values = std::map<std::string, std::string>;
  EXPECT_EQ(read_midturn(base::MapEnvironment()), Midturn::urgent);
  EXPECT_EQ(read_midturn(base::MapEnvironment(Values{{"ROBOT_COUNCIL_MIDTURN", " all "}})),
            Midturn::all);
  EXPECT_EQ(read_midturn(base::MapEnvironment(Values{{"ROBOT_COUNCIL_MIDTURN", "none"}})),
            Midturn::none);
  EXPECT_EQ(read_midturn(base::MapEnvironment(Values{{"ROBOT_COUNCIL_MIDTURN", "ALL"}})),
            Midturn::urgent);
}

TEST(WakeRule, DeliveringHookGoesFirstForTwoSeconds) {  // wake 4
  WakeView now = view(WaiterStart::prompt);
  now.hook = record(HookAnswer::nothing_waiting, kNow);
  now.hook->set_idle("s", kNow - 500);
  const WakeChoice held = choose_take(now, kTimes);
  EXPECT_EQ(held.take, Take::nothing);
  EXPECT_EQ(held.again_ms, kNow + 2000);
  now.now_ms = kNow + 2000;
  EXPECT_EQ(choose_take(now, kTimes).take, Take::all);
}

TEST(WakeRule, PrintedTurnEndHoldsTwoSecondsAndKeepsTheTurnWorking) {
  WakeView now = view(WaiterStart::prompt);
  now.hook = record(HookAnswer::printed, kNow);
  EXPECT_EQ(choose_take(now, kTimes).take, Take::nothing);
  now.now_ms = kNow + 2000;
  EXPECT_EQ(choose_take(now, kTimes).take, Take::urgent);
}

TEST(WakeRule, OtherHookRunsHoldNothing) {
  for (const HookAnswer answer :
       {HookAnswer::not_a_turn_end, HookAnswer::another_harness, HookAnswer::payload_unreadable}) {
    WakeView now = view(WaiterStart::fresh);
    now.hook = record(answer, kNow);
    EXPECT_EQ(choose_take(now, kTimes).take, Take::all);
  }
}

TEST(WakeRule, AfterTheLoopGuardAMinutePasses) {  // wake 4
  WakeView now = view(WaiterStart::prompt);
  now.hook = record(HookAnswer::loop_guard, kNow);
  now.hook->set_idle("s", kNow);
  now.now_ms = kNow + 59999;
  const WakeChoice held = choose_take(now, kTimes);
  EXPECT_EQ(held.take, Take::nothing);
  EXPECT_EQ(held.again_ms, kNow + 60000);
  now.now_ms = kNow + 60000;
  EXPECT_EQ(choose_take(now, kTimes).take, Take::all);
}

TEST(WakeRule, LoopGuardOfAnotherSessionHoldsTwoSecondsOnly) {
  WakeView now = view(WaiterStart::fresh);
  now.hook = record(HookAnswer::loop_guard, kNow);
  now.hook->set_idle("other", kNow);
  now.now_ms = kNow + 2000;
  EXPECT_EQ(choose_take(now, kTimes).take, Take::all);
}

TEST(WakeRule, RecordFromTheFutureHoldsNothing) {
  WakeView now = view(WaiterStart::fresh);
  now.hook = record(HookAnswer::loop_guard, kNow + 3600000);
  now.hook->set_idle("s", kNow + 3600000);
  EXPECT_EQ(choose_take(now, kTimes).take, Take::all);
}

TEST(WakeRule, SeventhWakeInTenMinutesWaits) {  // wake 13
  WakeView now = view(WaiterStart::fresh);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(choose_take(now, kTimes).take, Take::all) << i;
    now.wakes.push_back(kNow - 100000 + i);
  }
  const WakeChoice held = choose_take(now, kTimes);
  EXPECT_EQ(held.take, Take::nothing);
  EXPECT_EQ(held.again_ms, kNow - 100000 + 600000);
  now.now_ms = held.again_ms;
  EXPECT_EQ(choose_take(now, kTimes).take, Take::all);
}

TEST(WakeRule, ThirtyOneInAnHourWait) {
  std::vector<std::int64_t> wakes;
  for (int i = 0; i < 30; ++i) {
    wakes.push_back(kNow - 3500000 + i * 110000);
  }
  EXPECT_EQ(next_wake_ms(wakes, kNow), kNow - 3500000 + 3600000);
  EXPECT_EQ(next_wake_ms({}, kNow), kNow);
  EXPECT_EQ(next_wake_ms({kNow + 1, kNow + 2, kNow + 3, kNow + 4, kNow + 5, kNow + 6}, kNow), kNow)
      << "clock set back";
}

TEST(WakeRule, StartOfAWaiterByItsPayload) {
  harness::Payload payload;
  payload.event = "UserPromptSubmit";
  EXPECT_EQ(waiter_start(payload), WaiterStart::prompt);
  payload.event = "SessionStart";
  for (const auto& [source, start] :
       std::map<std::string, WaiterStart>{{"startup", WaiterStart::fresh},
                                          {"resume", WaiterStart::fresh},
                                          {"clear", WaiterStart::other},
                                          {"compact", WaiterStart::compact},
                                          {"", WaiterStart::other}}) {
    payload.source = source;
    EXPECT_EQ(waiter_start(payload), start) << source;
  }
}

}  // namespace
}  // namespace robot_council::stop_hook
