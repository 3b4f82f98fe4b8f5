// Channel notices and keep-alives.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <vector>

#include <gtest/gtest.h>

#include "base/fd.hpp"
#include "base/files.hpp"
#include "bridge/announcer.hpp"
#include "bridge/notice_plan.hpp"
#include "sink/delivery_store.hpp"
#include "tests/bridge/bridge_fixture.hpp"

namespace robot_council::test {
namespace {

using bridge::HookState;
using bridge::KeepWarmPlan;
using bridge::NoticePlan;
using bridge::Timings;
using std::chrono::minutes;
using std::chrono::seconds;

const base::SteadyTime kStart(std::chrono::hours(1));
constexpr const char* kChannel = R"("method":"notifications/claude/channel")";

class NoticeTest : public BridgeTest {
 protected:
  void SetUp() override {
    BridgeTest::SetUp();
    options_.harness = "claude";
  }
};

// 119
TEST_F(NoticeTest, TwoDirectivesOfAPageMakeOneNotice) {
  start_joined();
  fleet_.once(
      "GET events",
      FleetReply{
          200,
          R"({"events":[{"id":4,"type":"directive","body":"secret plan"},{"id":5,"type":"directive"}],"cursor":5})",
          {{"Robot-Council-Wait", "25"}}});
  fleet_.set_head(2);
  fleet_.directive();  // 3: ends the held read; the next one is the page above
  const std::string notice = harness_->line_with(kChannel);
  EXPECT_EQ(
      notice,
      R"({"jsonrpc":"2.0","method":"notifications/claude/channel","params":{"content":"New fleet events are waiting for this session. This is a notice of the Robot Council server; no stop hook was found, and this server's instructions say how they are read.","meta":{"new":"1"}}})");
  EXPECT_TRUE(wait_until([&] { return harness_->count(R"("new":"2")") == 1; }));
  for (const std::string& line : harness_->lines()) {
    EXPECT_EQ(line.find("secret plan"), std::string::npos);
  }
}

// 125: with a held read the notice follows the post at once
TEST_F(NoticeTest, APostIsANoticeWithin100Milliseconds) {
  start_joined();
  std::vector<std::chrono::milliseconds> took;
  for (std::size_t n = 1; n <= 15; ++n) {
    const std::size_t reads = fleet_.count("GET events");
    const base::SteadyTime posted = std::chrono::steady_clock::now();
    fleet_.directive();
    ASSERT_TRUE(wait_until([&] { return harness_->count(kChannel) == n; }));
    took.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - posted));
    ASSERT_TRUE(fleet_.wait_for("GET events", reads + 1));
  }
  // The median here: what else runs on the machine is no fault of ours. tests/bench tells the 99th
  // percentile.
  std::sort(took.begin(), took.end());
  EXPECT_LT(took.at(took.size() / 2), test::allowed(std::chrono::milliseconds(100)));
}

// 119, 120
TEST_F(NoticeTest, AnotherHarnessGetsNone) {
  options_.harness = "codex";
  start_joined();
  fleet_.directive();
  ASSERT_TRUE(wait_rows(1));
  fleet_.post("narration");
  harness_->request("9", "ping");
  EXPECT_NE(harness_->answer("9"), "");
  EXPECT_EQ(harness_->count(kChannel), 0U);
}
TEST_F(NoticeTest, APageWithNothingForMeMakesNone) {
  start_joined();
  const std::int64_t id = fleet_.post("narration");
  ASSERT_TRUE(wait_until([&] {
    const auto reads = fleet_.requests("GET events");
    return !reads.empty() && query_value(reads.back().query, "after") == std::to_string(id);
  }));
  EXPECT_EQ(harness_->count(kChannel), 0U);
}

// 121
TEST_F(NoticeTest, BeforeInitializedTheyAreCountedAndSaidOnceAfter) {
  start();
  ASSERT_NE(join().find("Joined"), std::string::npos);
  fleet_.directive();
  fleet_.directive();
  ASSERT_TRUE(wait_rows(2));
  EXPECT_EQ(harness_->count(kChannel), 0U);
  harness_->handshake();
  EXPECT_NE(harness_->line_with(R"("meta":{"new":"2"})"), "");
  EXPECT_EQ(harness_->count(kChannel), 1U);
}

// 82
TEST_F(NoticeTest, UnderTheBrakeNoneAndOneOnceItIsLifted) {
  options_.timings.brake = base::Milliseconds(50);
  start_joined();
  stop_file(dir_ / "work");
  fleet_.directive();
  fleet_.directive();
  ASSERT_TRUE(wait_rows(2));
  EXPECT_EQ(harness_->count(kChannel), 0U);
  ASSERT_TRUE(base::remove_file(dir_ / "work/.robot-council/stop.json").ok());
  EXPECT_NE(harness_->line_with(R"("meta":{"new":"2"})"), "");
  EXPECT_EQ(harness_->count(kChannel), 1U);
}

// 122, 123, 124 over the wire
TEST_F(NoticeTest, WhatIsNotReadIsRepeatedUntilTheAgentReadsTheFeed) {
  options_.timings.notice_repeat = base::Milliseconds(60);
  start_joined();
  fleet_.directive();
  EXPECT_NE(harness_->line_with(R"("meta":{"new":"1","repeat":"2"})"), "");
  fleet_.once(
      "POST mcp",
      FleetReply{200, R"({"jsonrpc":"2.0","id":5,"result":{"content":[],"isError":true}})", {}});
  harness_->call("5", "events_read");
  EXPECT_NE(harness_->answer("5"), "");
  EXPECT_NE(harness_->line_with(R"("repeat":"3")"), "");
  harness_->call("6", "events_read");
  EXPECT_NE(harness_->answer("6"), "");
  const std::size_t told = harness_->count(R"("repeat":)");
  EXPECT_FALSE(wait_until([&] { return harness_->count(R"("repeat":)") > told + 1; },
                          base::Milliseconds(700)));
}

// 122
TEST(NoticePlanRule, RepeatsFiveTimesAtDoublingIntervals) {
  const Timings timings;
  NoticePlan plan(timings, HookState::found);
  plan.stored(2);
  plan.stored(1);
  EXPECT_EQ(plan.announce("d", kStart), 3U);
  base::SteadyTime now = kStart;
  int number = 0;
  for (const int gap : {60, 120, 240, 480, 960}) {
    ASSERT_TRUE(plan.repeat_due());
    EXPECT_EQ(*plan.repeat_due() - now, seconds(gap));
    now = *plan.repeat_due();
    const std::optional<NoticePlan::Repeat> repeat = plan.repeat("d", false, now);
    ASSERT_TRUE(repeat);
    EXPECT_EQ(repeat->count, 3U);
    EXPECT_EQ(repeat->number, ++number);
  }
  EXPECT_EQ(now - kStart, seconds(1860));
  EXPECT_FALSE(plan.repeat_due());
}

// 123, 124
TEST(NoticePlanRule, StopsWhenDrainedOrChangedAndAsksAnUnreadableSinkAgain) {
  const Timings timings;
  NoticePlan plan(timings, HookState::found);
  plan.stored(1);
  static_cast<void>(plan.announce("d", kStart));
  EXPECT_FALSE(plan.repeat("other", false, kStart + seconds(60)));
  EXPECT_FALSE(plan.repeat_due());
  plan.stored(1);
  EXPECT_EQ(plan.announce("d", kStart), 1U);
  EXPECT_FALSE(plan.repeat("d", true, kStart + seconds(60)));
  EXPECT_FALSE(plan.repeat_due());
  plan.stored(1);
  static_cast<void>(plan.announce("d", kStart));
  EXPECT_FALSE(plan.repeat(std::nullopt, false, kStart + seconds(60)));
  EXPECT_EQ(plan.repeat_due(), kStart + seconds(120));
  plan.feed_was_read();  // with a hook this settles nothing
  EXPECT_TRUE(plan.repeat_due());
  NoticePlan without(timings, HookState::none);
  without.stored(1);
  static_cast<void>(without.announce("d", kStart));
  without.feed_was_read();
  EXPECT_FALSE(without.repeat_due());
}

// 126
TEST(KeepWarm, IsDueAnIntervalAfterTheLastActivity) {
  KeepWarmPlan plan(minutes(4), std::nullopt, seconds(120), seconds(5), kStart);
  EXPECT_EQ(plan.due(), kStart + minutes(4));
  plan.active(kStart + minutes(1));
  EXPECT_EQ(plan.due(), kStart + minutes(5));
  constexpr std::int64_t kWall = 1'000'000'000;
  plan.turn_ended(kWall, kWall + 1000, kStart + minutes(2));
  EXPECT_EQ(plan.due(), kStart + minutes(6) - seconds(1));
  plan.sent(kWall, kStart + minutes(6));
  EXPECT_EQ(plan.due(), kStart + minutes(10));
}

// 127
TEST(KeepWarm, TheFirstMarkAfterAKeepAliveIsItsOwn) {
  constexpr std::int64_t kWall = 1'000'000'000;
  KeepWarmPlan plan(minutes(4), minutes(60), seconds(120), seconds(5), kStart);
  plan.sent(kWall, kStart + minutes(4));
  EXPECT_EQ(plan.look_due(), kStart + minutes(4) + seconds(5));
  plan.turn_ended(kWall + 20'000, kWall + 21'000, kStart + minutes(4) + seconds(21));
  EXPECT_EQ(plan.due(), kStart + minutes(8));
  plan.turn_ended(kWall + 30'000, kWall + 30'000, kStart + minutes(4) + seconds(30));
  EXPECT_EQ(plan.due(), kStart + minutes(8) + seconds(30));
  plan.sent(kWall, kStart + minutes(9));
  plan.turn_ended(kWall + 121'000, kWall + 121'000, kStart + minutes(9) + seconds(121));
  EXPECT_EQ(plan.due(), kStart + minutes(13) + seconds(121));
}

// 128
TEST(KeepWarm, TheCeilingStopsItDespiteItsOwnTurns) {
  constexpr std::int64_t kWall = 1'000'000'000;
  KeepWarmPlan plan(minutes(4), minutes(10), seconds(120), seconds(5), kStart);
  base::SteadyTime now = kStart;
  int sent = 0;
  while (plan.due() && sent < 10) {
    now = *plan.due();
    const std::int64_t wall = kWall + (now - kStart) / std::chrono::milliseconds(1);
    plan.sent(wall, now);
    plan.turn_ended(wall + 1000, wall + 1000, now + seconds(1));
    ++sent;
  }
  EXPECT_EQ(sent, 2);
}

// 129
TEST(KeepWarm, BadValuesAreSaid) {
  const auto said = [](std::optional<std::string_view> warm,
                       std::optional<std::string_view> ceiling,
                       std::string_view harness = "claude") {
    return bridge::keep_warm_options(warm, ceiling, harness).said;
  };
  EXPECT_EQ(said("", std::nullopt),
            "--keep-warm takes a whole number of minutes, at least 1; keep-alives are off.");
  EXPECT_EQ(said(std::nullopt, "5"),
            "--keep-warm-for applies only with --keep-warm; keep-alives are off.");
  EXPECT_EQ(said("5", std::nullopt, "codex"),
            "--keep-warm applies only to Claude Code; keep-alives are off.");
  for (const char* bad : {"0", "x", "1.5", "1234567", "-1"}) {
    EXPECT_EQ(said(bad, std::nullopt),
              "--keep-warm and --keep-warm-for take a whole number of minutes, at least 1; "
              "keep-alives are off.")
        << bad;
  }
  EXPECT_EQ(said("5", "5"),
            "--keep-warm-for must be longer than --keep-warm, or no keep-alive is ever sent; "
            "keep-alives are off.");
  EXPECT_EQ(said("5", "6"), "");
  EXPECT_EQ(said(std::nullopt, std::nullopt), "");
  EXPECT_EQ(bridge::keep_warm_options("5", "60", "claude").ceiling, minutes(60));
}

// 126 on the wire: an idle session is kept warm, a tool call puts it off, the brake holds it back
TEST(KeepWarm, AnIdleSessionGetsKeepAlives) {
  const TempDir dir;
  const base::SystemClock clock;
  const base::MapEnvironment environment;
  base::MemoryLog log;
  const base::Context context{clock, environment, log};
  base::Pipe out = *base::Pipe::open();
  bridge::Output output = *bridge::Output::open(out.write_end.get());
  const sink::SeatFiles files{dir.path(), "key"};
  bridge::BridgeRecord record(context, files, {}, true, base::Milliseconds(1000));
  std::atomic<bool> braked{true};
  bridge::KeepWarmOptions options;
  options.interval = base::Milliseconds(150);
  Timings timings;
  timings.brake = base::Milliseconds(30);
  bridge::Announcer announcer({context, output, record, files, [&] { return braked.load(); }},
                              timings, bridge::Announcer::Channel::claude, HookState::found,
                              options);
  announcer.joined();
  const auto said = [&] {
    return *base::wait_readable(out.read_end.get(), base::deadline_in(base::Milliseconds(400)));
  };
  EXPECT_EQ(said(), base::Ready::timeout);  // not before initialized
  announcer.initialized();
  EXPECT_EQ(said(), base::Ready::timeout);  // nor under the brake
  braked = false;
  ASSERT_EQ(said(), base::Ready::yes);
  std::array<char, 4096> buffer{};
  const std::size_t n = *base::read_some(out.read_end.get(), buffer);
  EXPECT_EQ(std::string(buffer.data(), n),
            R"({"jsonrpc":"2.0","method":"notifications/claude/channel","params":)" +
                bridge::keep_warm_params() + "}\n");
  const base::SteadyTime begun = std::chrono::steady_clock::now();
  announcer.tool_called();
  ASSERT_EQ(said(), base::Ready::yes);
  EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(100));
  announcer.stop();
}

TEST(Notice, TextsNameTheirSender) {
  EXPECT_EQ(
      bridge::notice_params(3, 2, HookState::found),
      R"({"content":"New fleet events are waiting for this session. This is a notice of the Robot Council server; the stop hook delivers them when the turn ends.","meta":{"new":"3","repeat":"2"}})");
  EXPECT_EQ(
      bridge::keep_warm_params(),
      R"({"content":"Nothing is waiting for this session. This notice only keeps its prompt cache warm.","meta":{"keep_warm":"1"}})");
}

}  // namespace
}  // namespace robot_council::test
