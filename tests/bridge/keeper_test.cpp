// The session's life: heartbeat, renewal, capacity, expiry, the end by the fleet.

#include <sys/stat.h>

#include <algorithm>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/time_text.hpp"
#include "bridge/texts.hpp"
#include "tests/bridge/bridge_fixture.hpp"

namespace robot_council::test {
namespace {

namespace text = bridge::text;
using KeeperTest = BridgeTest;

constexpr const char* kRenew = "POST sessions/41/renew";

// 84
TEST_F(KeeperTest, TheFirstHeartbeatIsAPeriodAfterTheJoin) {
  options_.timings.heartbeat = base::Milliseconds(400);
  start_joined();
  ASSERT_TRUE(fleet_.wait_for("POST agent/heartbeat", 2));
  const base::SteadyTime joined = fleet_.requests("POST mcp").at(0).at;
  const FleetRequest first = fleet_.requests("POST agent/heartbeat").at(0);
  EXPECT_GE(first.at - joined, std::chrono::milliseconds(390));
  EXPECT_EQ(first.token, "S|1");
}
TEST(Timings, DefaultsAreTheContracts) {
  const bridge::Timings timings;
  EXPECT_EQ(timings.heartbeat, std::chrono::seconds(60));
  EXPECT_EQ(timings.watcher, std::chrono::seconds(60));
  EXPECT_EQ(timings.capacity, std::chrono::seconds(300));
  EXPECT_EQ(timings.renew_before, std::chrono::seconds(300));
  EXPECT_EQ(timings.renew_pause, std::chrono::seconds(30));
  EXPECT_EQ(timings.asleep, std::chrono::seconds(60));
  EXPECT_EQ(timings.connect, std::chrono::seconds(10));
  EXPECT_EQ(timings.call, std::chrono::seconds(30));
  EXPECT_EQ(timings.feed, std::chrono::seconds(35));
  EXPECT_EQ(timings.delete_wait, std::chrono::seconds(3));
  EXPECT_EQ(timings.leave_wait, std::chrono::seconds(5));
  EXPECT_EQ(timings.seat_retry, std::chrono::seconds(60));
  EXPECT_EQ(timings.parent, std::chrono::seconds(5));
}

// 85, service contract 7: floats for integers
TEST_F(KeeperTest, ATokenWithFiveMinutesLeftIsRenewed) {
  fleet_.on(
      "POST sessions",
      FleetReply{
          201, R"({"session_id":41.0,"token":"S|0","expires_in":300.9,"feed_cursor":0.0})", {}});
  start_joined();
  EXPECT_TRUE(fleet_.wait_for(kRenew, 1));
  EXPECT_EQ(fleet_.requests(kRenew).at(0).token, "I|secret");
  EXPECT_EQ(fleet_.requests(kRenew).at(0).body, "");
}

// 86, 87
TEST_F(KeeperTest, AFailedRenewalIsSaidAndTriedAgainAfterThePause) {
  options_.timings.heartbeat = base::Milliseconds(50);
  fleet_.once(kRenew, FleetReply{500, "", {}}, 2);
  fleet_.once(kRenew, FleetReply{200, R"({"session_id":41})", {}});
  start_joined();
  fleet_.expire_token();
  ASSERT_TRUE(fleet_.wait_for(kRenew, 4));
  const std::vector<FleetRequest> renewals = fleet_.requests(kRenew);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_GE(renewals.at(i).at - renewals.at(i - 1).at, std::chrono::milliseconds(190));
  }
  EXPECT_EQ(times_said("The session could not be renewed (HTTP 500)."), 2U);
  EXPECT_EQ(times_said("The service renewed the session but returned no token."), 1U);
  harness_->call("2", "task_list");
  EXPECT_EQ(harness_->text_of("2"), "ok");
}

// 87, 96, 99
TEST_F(KeeperTest, AConflictAtTheRenewalIsTheEnd) {
  start_joined();
  fleet_.directive();
  ASSERT_TRUE(wait_rows(1));
  fleet_.on(kRenew, FleetReply{409, "{}", {}});
  fleet_.expire_token();
  harness_->call("2", "task_list");
  const std::string sentence =
      "The fleet ended session 41. Whatever it was holding is being released, and the bridge that "
      "ran it has stopped. The "
      "enrollment on this machine is not the problem and needs no repair: a new session needs a "
      "new bridge.";
  EXPECT_NE(harness_->answer("2").find(R"("code":-32002,"message":")" + sentence),
            std::string::npos)
      << harness_->answer("2");
  thread_.join();
  EXPECT_EQ(code_, 0);
  EXPECT_EQ(times_said(std::string(text::kGone)), 1U);
  EXPECT_EQ(fleet_.count("DELETE sessions/41"), 1U);
  ASSERT_EQ(rows().size(), 1U);
  EXPECT_EQ(rows().at(0).type, "bridge.session-ended");
  EXPECT_NE(rows().at(0).json.find(sentence), std::string::npos);
}

// 88
TEST_F(KeeperTest, TwoJsonNotFoundsAreTheEndAndHtmlIsNot) {
  options_.timings.heartbeat = base::Milliseconds(50);
  start_joined();
  fleet_.once(kRenew, FleetReply{404, "<html>", {}}, 3);
  fleet_.expire_token();
  ASSERT_TRUE(wait_until([this] { return fleet_.token() == "S|2"; }));
  EXPECT_FALSE(said(std::string(text::kGone)));
  fleet_.on(kRenew, FleetReply{404, R"({"message":"no"})", {}});
  fleet_.expire_token();
  thread_.join();
  EXPECT_EQ(code_, 0);
  EXPECT_EQ(times_said(std::string(text::kGone)), 1U);
  EXPECT_EQ(fleet_.count(kRenew), 6U);
}

// 89
TEST_F(KeeperTest, ARefusedCredentialIsSaidOnce) {
  options_.timings.heartbeat = base::Milliseconds(50);
  start_joined();
  fleet_.on(kRenew, FleetReply{401, "{}", {}});
  fleet_.expire_token();
  ASSERT_TRUE(fleet_.wait_for(kRenew, 3));
  EXPECT_EQ(
      times_said(
          "The service refuses this machine's credential for `codex`. Run `robot-council enroll`."),
      1U);
  EXPECT_EQ(rows_of("bridge.credential-refused"), 1U);
  EXPECT_FALSE(said(std::string(text::kGone)));
}

// 90
TEST_F(KeeperTest, ANewCredentialThatIsForbiddenIsTheEnd) {
  options_.timings.heartbeat = base::Milliseconds(50);
  start_joined();
  fleet_.on(kRenew, [](const FleetRequest& request) {
    return std::optional<FleetReply>(FleetReply{request.token == "I|new" ? 403 : 401, "{}", {}});
  });
  fleet_.expire_token();
  ASSERT_TRUE(fleet_.wait_for(kRenew, 1));
  std::string stored = read_text(dir_ / "config/robot-council/credentials.json");
  std::size_t at = 0;
  while ((at = stored.find("I|secret")) != std::string::npos) {
    stored.replace(at, 8, "I|new");
  }
  write_text(dir_ / "config/robot-council/credentials.json", stored);
  ASSERT_EQ(::chmod((dir_ / "config/robot-council/credentials.json").c_str(), 0600), 0);
  thread_.join();
  EXPECT_EQ(code_, 0);
  EXPECT_TRUE(said(std::string(text::kGone)));
}

// 91
TEST_F(KeeperTest, AnExpiringCredentialIsToldInTime) {
  const auto with_days = [this](int days) {
    const std::string at = base::iso_zulu(clock_.wall_ms() + std::int64_t{days} * 24 * 3600 * 1000);
    const std::string path = dir_ / "config/robot-council/enrolments.json";
    write_text(
        path,
        R"({"version":1,"entries":{)" + base::quote_json(fleet_.url() + "|codex") +
            R"(:{"store":"file","machine_label":"m","installation_id":1,"enrolled_at":"2026-01-01T00:00:00Z","expires_at":")" +
            at + R"("}}})");
    ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  };
  with_days(4);
  start_joined();
  ASSERT_TRUE(fleet_.wait_for("POST agent/watcher", 1));
  harness_->call("2", "leave");
  harness_->text_of("2");
  EXPECT_FALSE(said("expires at"));
  with_days(2);
  harness_->call("3", "join");
  EXPECT_NE(harness_->text_of("3").find("Joined"), std::string::npos);
  EXPECT_TRUE(wait_said("This machine's credential for `codex` expires at "));
  EXPECT_TRUE(wait_until([&] { return rows_of("bridge.credential-expiring") == 1; }));
}

// 92
TEST_F(KeeperTest, AfterASleepTheTokenIsRenewedFirst) {
  start_joined();
  clock_.sleep_machine(base::Milliseconds(61000));
  harness_->call("2", "task_list");
  EXPECT_EQ(harness_->text_of("2"), "ok");
  EXPECT_EQ(fleet_.count(kRenew), 1U);
  EXPECT_EQ(fleet_.requests("POST mcp").back().token, "S|2");
}

// 93
TEST_F(KeeperTest, AFleetWithoutWatcherIsToldOnce) {
  options_.timings.watcher = base::Milliseconds(50);
  options_.timings.heartbeat = base::Milliseconds(50);
  fleet_.on("POST agent/watcher", FleetReply{404, "{}", {}});
  start_joined();
  ASSERT_TRUE(fleet_.wait_for("POST agent/heartbeat", 5));
  EXPECT_EQ(fleet_.count("POST agent/watcher"), 1U);
  EXPECT_EQ(times_said(std::string(text::kNoWatcher)), 1U);
}
TEST_F(KeeperTest, AFailingWatcherIsToldOncePerRun) {
  options_.timings.watcher = base::Milliseconds(50);
  fleet_.once("POST agent/watcher", FleetReply{500, "{}", {}}, 3);
  start_joined();
  ASSERT_TRUE(fleet_.wait_for("POST agent/watcher", 5));
  EXPECT_EQ(times_said("The watcher heartbeat was refused (HTTP 500); the lane board will read "
                       "this watcher as stale until one lands."),
            1U);
}

// 94, 95
TEST_F(KeeperTest, ACapacityThatMovesIsToldAndBackAgain) {
  options_.timings.capacity = base::Milliseconds(100);
  std::atomic<int> capacity{0};
  fleet_.on("GET agent/session", [&](const FleetRequest&) {
    const int now = capacity;
    return std::optional<FleetReply>(FleetReply{
        now < 0 ? 500 : 200, now == 0 ? "{}" : R"({"capacity":)" + std::to_string(now) + "}", {}});
  });
  start_joined();
  ASSERT_TRUE(fleet_.wait_for("GET agent/session", 3));
  EXPECT_FALSE(said("capacity"));
  capacity = 3;
  EXPECT_TRUE(wait_said(
      "This session's capacity changed from 1 to 3, so it may now hold up to 3 tasks at once."));
  capacity = 5;
  EXPECT_TRUE(wait_said(
      "This session's capacity changed from 1 to 5, so it may now hold up to 5 tasks at once."));
  EXPECT_EQ(rows_of("bridge.capacity-changed"), 1U);
  capacity = -1;
  const std::size_t asked = fleet_.count("GET agent/session");
  ASSERT_TRUE(fleet_.wait_for("GET agent/session", asked + 2));
  capacity = 1;
  EXPECT_TRUE(wait_said("This session's capacity changed and changed back: it is 1 again."));
  // 56: leaving clears it
  harness_->call("2", "leave");
  harness_->text_of("2");
  EXPECT_EQ(rows_of("bridge.capacity-changed"), 0U);
}

// 97
TEST_F(KeeperTest, CallsThatWaitAtTheEndAreToldAndDoNotGoUpstream) {
  start_joined();
  std::atomic<bool> go{false};
  fleet_.on(kRenew, [&](const FleetRequest&) {
    static_cast<void>(wait_until([&] { return go.load(); }));
    return std::optional<FleetReply>(FleetReply{409, "{}", {}});
  });
  // Only the call is refused: a feed read that were refused first would begin the renewal by
  // itself.
  fleet_.on("POST mcp", FleetReply{401, R"({"message":"expired"})", {}});
  const std::size_t before = fleet_.count("POST mcp");
  harness_->call("2", "task_list");
  ASSERT_TRUE(fleet_.wait_for(kRenew, 1));
  harness_->call("3", "task_list");
  harness_->call("4", "task_list");
  harness_->request("5", "ping");
  EXPECT_NE(harness_->answer("5"), "");
  go = true;
  thread_.join();
  for (const char* id : {"2", "3", "4"}) {
    EXPECT_NE(harness_->answer(id).find("-32002"), std::string::npos) << id;
  }
  EXPECT_EQ(fleet_.count("POST mcp"), before + 1);
}

// 98
TEST_F(KeeperTest, ACallInFlightAtTheEndGetsItsAnswerOrIsToldInTime) {
  options_.timings.ended_wait = base::Milliseconds(800);
  start_joined();
  fleet_.on("POST mcp", [this](const FleetRequest& request) -> std::optional<FleetReply> {
    if (request.body.find("\"slow\"") != std::string::npos) {
      EXPECT_TRUE(wait_said(std::string(text::kGone)));  // the bridge knows that it is the end
      return FleetReply{200, R"({"jsonrpc":"2.0","id":2,"result":{"late":true}})", {}};
    }
    if (request.body.find("\"never\"") != std::string::npos) {
      return FleetReply{200, "", {}, false, true, false};
    }
    return FleetReply{401, "{}", {}};
  });
  fleet_.on(kRenew, FleetReply{409, "{}", {}});
  harness_->call("2", "slow");
  harness_->call("3", "never");
  ASSERT_TRUE(fleet_.wait_for("POST mcp", 3));
  harness_->call("4", "refused");
  thread_.join();
  EXPECT_NE(harness_->answer("2").find("late"), std::string::npos);
  EXPECT_NE(harness_->answer("3").find("-32002"), std::string::npos);
  EXPECT_NE(harness_->answer("4").find("-32002"), std::string::npos);
}

// 100
TEST_F(KeeperTest, AnIdleBridgeEndsByItsHeartbeat) {
  options_.timings.heartbeat = base::Milliseconds(100);
  start_joined();
  fleet_.on(kRenew, FleetReply{409, "{}", {}});
  fleet_.on("POST agent/heartbeat", FleetReply{401, "{}", {}});
  thread_.join();
  EXPECT_EQ(code_, 0);
}
TEST_F(KeeperTest, AnIdleBridgeEndsByItsFeed) {
  start_joined();
  fleet_.on(kRenew, FleetReply{409, "{}", {}});
  fleet_.on("GET events", FleetReply{401, "{}", {}});
  fleet_.directive();
  thread_.join();
  EXPECT_EQ(code_, 0);
  EXPECT_FALSE(said("has refused this session"));
}

}  // namespace
}  // namespace robot_council::test
