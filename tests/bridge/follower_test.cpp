// Reading the feed and storing it.

#include "bridge/follower.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "base/json_scan.hpp"
#include "bridge/feed_page.hpp"
#include "bridge/feed_plan.hpp"
#include "sink/delivery_store.hpp"
#include "tests/bridge/bridge_fixture.hpp"

namespace robot_council::test {
namespace {

using bridge::FeedGap;
using bridge::FeedPlan;
using bridge::Timings;
using FollowerTest = BridgeTest;

FleetReply page(const std::string& events, std::int64_t cursor, const std::string& more = {}) {
  return {200,
          R"({"events":[)" + events + R"(],"cursor":)" + std::to_string(cursor) + more + "}",
          {{"Robot-Council-Wait", "25"}}};
}

std::string own_role_event(std::int64_t id, const std::string& type, const std::string& meta) {
  return R"({"id":)" + std::to_string(id) + R"(,"type":")" + type +
         R"(","actor":{"session_id":41},"meta":)" + meta + "}";
}

// 102
TEST_F(FollowerTest, TheFirstReadIsFromTheStartsCursor) {
  fleet_.set_head(57);
  start_joined();
  ASSERT_TRUE(fleet_.wait_for("GET events", 1));
  EXPECT_EQ(fleet_.requests("GET events").at(0).query, "after=57&acknowledge=false&wait=25");
  EXPECT_EQ(fleet_.requests("GET events").at(0).token, "S|1");
}
TEST_F(FollowerTest, WithoutACursorTheServicesOwnPositionIsTaken) {
  fleet_.once("POST sessions", FleetReply{201, R"({"session_id":41,"token":"S|0"})", {}});
  start_joined();
  ASSERT_TRUE(fleet_.wait_for("GET events", 1));
  EXPECT_EQ(fleet_.requests("GET events").at(0).query, "acknowledge=false&wait=25");
}

// 103
TEST_F(FollowerTest, WhatTheServiceDoesNotTakeIsDroppedSilently) {
  fleet_.once("GET events",
              FleetReply{422, R"({"message":"x","errors":{"acknowledge":["bad"]}})", {}});
  fleet_.once("GET events", FleetReply{422, R"({"message":"x","errors":{"wait":["bad"]}})", {}});
  start_joined();
  ASSERT_TRUE(fleet_.wait_for("GET events", 3));
  EXPECT_EQ(fleet_.requests("GET events").at(1).query, "after=0&wait=25");
  EXPECT_EQ(fleet_.requests("GET events").at(2).query, "after=0");
  EXPECT_FALSE(said("feed"));
}

// 104
TEST_F(FollowerTest, AServiceThatDoesNotHoldIsPolled) {
  options_.timings.poll = base::Milliseconds(250);
  fleet_.no_wait();
  start_joined();
  ASSERT_TRUE(fleet_.wait_for("GET events", 3));
  const std::vector<FleetRequest> reads = fleet_.requests("GET events");
  EXPECT_GE(reads.at(2).at - reads.at(1).at, std::chrono::milliseconds(240));
}

// 105, 106, 108, 153 and pacing: the plan alone
TEST(FeedPlan, PacesItsReads) {
  const Timings timings;
  FeedPlan plan(timings);
  const base::SteadyTime now(std::chrono::hours(1));
  FeedPlan::PageFacts facts;
  facts.held = true;
  facts.empty = true;
  facts.took = base::Milliseconds(20);
  EXPECT_EQ(plan.after_page(facts, now), now + base::Milliseconds(5000));
  facts.retry_after = base::Milliseconds(7000);
  EXPECT_EQ(plan.after_page(facts, now), now + base::Milliseconds(7000));
  facts.retry_after.reset();
  facts.took = base::Milliseconds(25000);
  EXPECT_EQ(plan.after_page(facts, now), now);
  facts.held = false;
  EXPECT_EQ(plan.after_page(facts, now), now + base::Milliseconds(10000));
  facts.moved = true;
  facts.full = true;
  EXPECT_EQ(plan.after_page(facts, now), now);
  facts.full = false;
  facts.moved_by = 1000;
  EXPECT_EQ(plan.after_page(facts, now), now);
}
TEST(FeedPlan, AFloodIsReadAtMost60TimesAMinute) {
  const Timings timings;
  FeedPlan plan(timings);
  base::SteadyTime now(std::chrono::hours(1));
  const base::SteadyTime begun = now;
  FeedPlan::PageFacts facts;
  facts.held = true;
  facts.moved = true;
  facts.moved_by = 1;
  int reads = 0;
  while (now < begun + std::chrono::minutes(1) && reads < 1000) {
    const base::SteadyTime next = plan.spaced(plan.after_page(facts, now));
    EXPECT_LE(next - now, std::chrono::milliseconds(2000));
    now = next;
    ++reads;
  }
  EXPECT_LE(reads, 60);
  EXPECT_GE(reads, 55);
}
TEST(FeedPlan, BacksOffAndComesBack) {
  const Timings timings;
  FeedPlan plan(timings);
  const base::SteadyTime now(std::chrono::hours(1));
  std::int64_t expected = 1000;
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(plan.after_failure(500, std::nullopt, false, 0, now),
              now + base::Milliseconds(expected));
    expected = std::min<std::int64_t>(expected * 2, 60000);
  }
  EXPECT_GT(plan.after_failure(500, std::nullopt, false, 0.9, now),
            now + base::Milliseconds(60000));
  EXPECT_EQ(plan.after_failure(429, std::nullopt, false, 0, now), now + base::Milliseconds(30000));
  EXPECT_EQ(plan.after_failure(429, base::Milliseconds(9000), false, 0, now),
            now + base::Milliseconds(9000));
  static_cast<void>(plan.after_page({}, now));
  EXPECT_EQ(plan.after_failure(0, std::nullopt, false, 0, now), now + base::Milliseconds(1000));
}
TEST(FeedPlan, ACutHeldReadHalvesTheWaitAndAtFiveSecondsPolls) {
  const Timings timings;
  FeedPlan plan(timings);
  base::SteadyTime now(std::chrono::hours(1));
  for (const int wait : {25, 12, 6, 5}) {
    EXPECT_EQ(plan.wait_seconds(), wait);
    EXPECT_EQ(plan.read_time(), base::Milliseconds(std::chrono::seconds(wait + 10)));
    static_cast<void>(plan.after_failure(504, std::nullopt, false, 0, now));
  }
  EXPECT_EQ(plan.wait_seconds(), 0);
  EXPECT_EQ(plan.query(5), "?after=5&acknowledge=false");
  FeedPlan::PageFacts facts;
  facts.held = true;
  EXPECT_EQ(plan.after_page(facts, now), now + timings.poll);
  now += timings.no_wait;
  static_cast<void>(plan.after_page(facts, now));
  EXPECT_EQ(plan.wait_seconds(), 25);
}

// 106: a backlog is read without a pause
TEST_F(FollowerTest, ABacklogIsReadInARow) {
  fleet_.on("GET events", [](const FleetRequest& request) -> std::optional<FleetReply> {
    const std::int64_t after = std::stoll(query_value(request.query, "after").value_or("0"));
    if (after >= 450) {
      return std::nullopt;
    }
    std::string events;
    const std::int64_t last = std::min<std::int64_t>(after + 200, 450);
    for (std::int64_t id = after + 1; id <= last; ++id) {
      events += (events.empty() ? "" : ",") + std::string(R"({"id":)") + std::to_string(id) +
                R"(,"type":"narration"})";
    }
    return page(events, last);
  });
  fleet_.set_head(0);
  start_joined();
  ASSERT_TRUE(fleet_.wait_for("GET events", 4));
  const std::vector<FleetRequest> reads = fleet_.requests("GET events");
  EXPECT_EQ(query_value(reads.at(3).query, "after"), "450");
  EXPECT_LT(reads.at(2).at - reads.at(0).at, test::allowed(std::chrono::milliseconds(900)));
}

// 107
TEST_F(FollowerTest, AnEmptyPageMovesTheCursor) {
  fleet_.once("GET events", page("", 33));
  fleet_.set_head(0);
  start_joined();
  ASSERT_TRUE(fleet_.wait_for("GET events", 2));
  EXPECT_EQ(query_value(fleet_.requests("GET events").at(1).query, "after"), "33");
}

// 108
TEST_F(FollowerTest, AFailureIsSaidAndReadAgain) {
  fleet_.once("GET events", FleetReply{500, "", {}});
  fleet_.once("GET events", FleetReply{200, "<html>", {}});
  fleet_.once("GET events", FleetReply{200, "[]", {}});
  fleet_.once("GET events", FleetReply{0, "", {}, true, false, false});
  start_joined();
  ASSERT_TRUE(fleet_.wait_for("GET events", 5));
  EXPECT_EQ(times_said("Could not read the fleet feed: the service answered 500."), 1U);
  EXPECT_EQ(
      times_said(
          "Could not read the fleet feed: the service answered with something that is not a page."),
      2U);
  EXPECT_TRUE(fleet_.wait_for("GET events", 5));
  fleet_.directive();
  EXPECT_TRUE(wait_rows(1));
}

// 109
TEST_F(FollowerTest, OneRefusalIsSilentAndTwoAreSaid) {
  start_joined();
  ASSERT_TRUE(fleet_.wait_for("GET events", 1));
  fleet_.once("GET events", FleetReply{401, "{}", {}});
  fleet_.directive();  // ends the held read
  EXPECT_TRUE(fleet_.wait_for("POST sessions/41/renew", 1));
  EXPECT_TRUE(wait_rows(1));
  EXPECT_FALSE(said("has refused this session"));
  fleet_.once("GET events", FleetReply{401, "{}", {}}, 2);
  fleet_.directive();
  EXPECT_TRUE(wait_said("The fleet feed has refused this session 2 times in a row."));
  fleet_.directive();
  EXPECT_TRUE(wait_rows(3));
}

// 110, 111
TEST_F(FollowerTest, APromotionCutsThePageAndRenewsOnce) {
  const std::string before = R"({"id":1,"type":"task.created","actor":{"session_id":9}})";
  const std::string change = own_role_event(
      2, "session.role_changed", R"({"from":"build","to":"coordinator","how":"approved"})");
  const std::string after = R"({"id":3,"type":"task.created","actor":{"session_id":9},"x":1.0})";
  fleet_.on("GET events", [&](const FleetRequest& request) -> std::optional<FleetReply> {
    const std::string from = query_value(request.query, "after").value_or("");
    if (from == "0") {
      return page(before + "," + change + "," + after, 3);
    }
    if (from == "2") {
      return page(change + "," + after, 3);  // the change is served once more
    }
    return std::nullopt;
  });
  fleet_.on("POST sessions/41/renew", [this](const FleetRequest&) {
    fleet_.set_abilities(R"(["coordinator:direct"])");
    return std::optional<FleetReply>();
  });
  fleet_.set_head(0);
  start_joined();
  fleet_.set_head(3);
  ASSERT_TRUE(wait_rows(1));
  ASSERT_TRUE(fleet_.wait_for("GET events", 3));
  EXPECT_EQ(rows().size(), 1U);
  EXPECT_EQ(rows().at(0).json, after);  // as received
  EXPECT_EQ(fleet_.count("POST sessions/41/renew"), 1U);
  EXPECT_EQ(times_said("This session is now in the `coordinator` role, from `build`, approved by "
                       "an administrator. Refreshing what it may do."),
            1U);
}

// 111: after a restoration ids are given again, and a role event with a smaller one is news
TEST_F(FollowerTest, ARoleEventOfARestoredFeedIsFollowedToo) {
  fleet_.on("GET events", [&](const FleetRequest& request) -> std::optional<FleetReply> {
    const std::string from = query_value(request.query, "after").value_or("");
    if (from == "0") {
      return page(own_role_event(5, "session.role_changed", R"({"from":"build","to":"ci"})"), 5,
                  R"(,"epoch":"one","epoch_head":0)");
    }
    if (from == "5") {
      return page("", 2, R"(,"epoch":"two","epoch_head":2)");
    }
    if (from == "2") {
      return page(own_role_event(3, "session.role_changed", R"({"from":"ci","to":"build"})"), 3,
                  R"(,"epoch":"two","epoch_head":2)");
    }
    return std::nullopt;
  });
  fleet_.set_head(0);
  start_joined();
  fleet_.set_head(3);
  EXPECT_TRUE(wait_said("This session is now in the `build` role, from `ci`."));
  EXPECT_TRUE(fleet_.wait_for("POST sessions/41/renew", 2));
}

// 118: an error that nobody foresaw ends one round; the next goes on from the cursor in memory
TEST_F(FollowerTest, AFollowerThatIsRestartedGoesOnFromItsCursor) {
  options_.timings.backoff_most = base::Milliseconds(50);
  const base::Context context{clock_, environment_, log_};
  bridge::Session session(clock_, options_.timings);
  session.begin(41, {"S|0", std::nullopt, false});
  bridge::SinkDesk sink(files(), context);
  sink::JoinInfo info;
  info.session = 41;
  info.cursor = 0;
  info.bridge = sink::own_process();
  ASSERT_TRUE(sink.open(info).ok());
  bridge::BridgeRecord record(context, files(), {}, true, base::Milliseconds(1000));
  FeedPlan plan(options_.timings);
  std::atomic<bool> thrown{false};
  bridge::FollowerParts parts{context, session, sink, record, [&thrown](std::size_t) {
                                if (!thrown.exchange(true)) {
                                  throw std::runtime_error("nobody foresaw this");
                                }
                              }};
  bridge::Follower follower(std::move(parts),
                            std::make_unique<bridge::Upstream>(fleet_.url(), options_.timings),
                            plan, 41, 0);
  fleet_.directive("first");
  EXPECT_TRUE(wait_said("Could not read the fleet feed: nobody foresaw this"));
  fleet_.directive("second");
  EXPECT_TRUE(wait_rows(2));
  follower.stop();
  EXPECT_EQ(rows().size(), 2U);
  std::size_t from_start = 0;
  for (const FleetRequest& read : fleet_.requests("GET events")) {
    from_start += query_value(read.query, "after") == "0" ? 1U : 0U;
  }
  EXPECT_EQ(from_start, 1U);
}

// 112
TEST_F(FollowerTest, ADenialIsSaidAndAnothersRoleIsNot) {
  fleet_.once(
      "GET events",
      page(
          own_role_event(1, "session.role_requested",
                         R"({"refused":"coordinator","stays":"build"})") +
              "," + own_role_event(2, "session.role_requested", R"({"from":"build","to":"ci"})") +
              "," +
              R"({"id":3,"type":"session.role_changed","actor":{"session_id":9},"meta":{"to":"ci"}})",
          3));
  fleet_.set_head(0);
  start_joined();
  EXPECT_TRUE(
      wait_said("The request for the `coordinator` role was denied by an administrator. This "
                "session stays `build`."));
  EXPECT_FALSE(said("This session is now in"));
  EXPECT_EQ(fleet_.count("POST sessions/41/renew"), 0U);
}

// 101
TEST_F(FollowerTest, MyOwnStalenessIsStoredAndEndsNothing) {
  start_joined();
  fleet_.post("session.stale", R"("actor":{"session_id":41})");
  ASSERT_TRUE(wait_rows(1));
  EXPECT_EQ(rows().at(0).type, "session.stale");
  harness_->request("9", "ping");
  EXPECT_NE(harness_->answer("9"), "");
}

// 114
TEST_F(FollowerTest, APageThatCannotBeCommittedIsReadAgain) {
  start_joined();
  fleet_.directive("first");
  ASSERT_TRUE(wait_rows(1));
  auto store = sink::DeliveryStore::open(files(), sink::Access::read_write, sink::WaitBudget());
  ASSERT_TRUE(store.ok() && *store);
  std::atomic<bool> release{false};
  std::atomic<bool> inside{false};
  std::thread holder([&] {
    static_cast<void>(
        (*store)->write(sink::WaitBudget(), [&](sink::DeliveryStore::Transaction&) -> base::Status {
          inside = true;
          static_cast<void>(wait_until([&] { return release.load(); }));
          return {};
        }));
  });
  ASSERT_TRUE(wait_until([&] { return inside.load(); }));
  fleet_.directive("second");
  fleet_.directive("third");
  EXPECT_TRUE(wait_said("to leave fleet events in."));
  EXPECT_EQ(times_said("to leave fleet events in."), 1U);
  release = true;
  holder.join();
  EXPECT_TRUE(wait_rows(3));
  EXPECT_EQ(rows().size(), 3U);
  EXPECT_EQ(times_said("to leave fleet events in."), 1U);
}

// 116
TEST_F(FollowerTest, AFeedThatWentBackIsSaidAndFollowed) {
  fleet_.set_head(500);
  fleet_.once("GET events", page("", 20));
  start_joined();
  ASSERT_TRUE(fleet_.wait_for("GET events", 2));
  EXPECT_TRUE(
      wait_said("The fleet's feed went back from event 500 to event 20: the service was restored "
                "or replaced."));
  EXPECT_EQ(query_value(fleet_.requests("GET events").at(1).query, "after"), "20");
  EXPECT_TRUE(wait_until([&] { return rows_of("bridge.feed-gap") == 1; }));
}

// 117
TEST_F(FollowerTest, APrunedFeedIsSaid) {
  fleet_.set_head(50);
  fleet_.once("GET events", page(R"({"id":95,"type":"directive"})", 95, R"(,"oldest":90)"));
  start_joined();
  EXPECT_TRUE(
      wait_said("The fleet no longer keeps events 51 to 89, and this session has not seen them."));
  EXPECT_TRUE(wait_rows(2));
  EXPECT_EQ(rows_of("bridge.feed-gap"), 1U);
  EXPECT_EQ(rows_of("directive"), 1U);
}

// 152
TEST_F(FollowerTest, ANewEpochBehindMyPositionGoesBackToItsHead) {
  fleet_.set_head(50);
  fleet_.once(
      "GET events",
      page("", 60, R"(,"epoch":"one","epoch_head":10)"));  // a join's first is only remembered
  fleet_.once("GET events", page("", 61, R"(,"epoch":"two","epoch_head":60)"));  // not below
  fleet_.once("GET events",
              page(R"({"id":62,"type":"directive"})", 62, R"(,"epoch":"three","epoch_head":30)"));
  fleet_.once("GET events", page(R"({"id":31,"type":"directive"},{"id":62,"type":"directive"})", 62,
                                 R"(,"epoch":"three","epoch_head":30)"));
  start_joined();
  EXPECT_TRUE(wait_until([&] { return rows_of("directive") == 2; }));
  EXPECT_EQ(times_said("The fleet's feed went back from event 61 to event 30"), 1U);
  EXPECT_EQ(query_value(fleet_.requests("GET events").at(3).query, "after"), "30");
}

TEST(FeedGapRule, Edges) {
  bridge::FeedPage facts;
  facts.cursor = 5;
  EXPECT_EQ(bridge::feed_gap(facts, std::nullopt, "").gap, FeedGap::none);
  EXPECT_EQ(bridge::feed_gap(facts, 5, "").gap, FeedGap::none);
  EXPECT_EQ(bridge::feed_gap(facts, 6, "").gap, FeedGap::went_back);
  facts.oldest = 6;
  EXPECT_EQ(bridge::feed_gap(facts, 5, "").gap, FeedGap::none);
  facts.oldest = 7;
  EXPECT_EQ(bridge::feed_gap(facts, 5, "").gap, FeedGap::pruned);
}

TEST(FeedPageRule, ToleratesWhatMayCome) {
  const base::Result<bridge::FeedPage> odd = bridge::read_feed_page(
      R"({"events":[5,null,"x",[1],{"id":59.0,"type":5,"n":1e999},{"id":"60","type":"directive"}],"cursor":59.0})");
  ASSERT_TRUE(odd.ok());
  EXPECT_EQ(odd->events.size(), 2U);
  EXPECT_EQ(odd->listed, 6U);
  EXPECT_EQ(odd->cursor, 59);
  EXPECT_FALSE(odd->events.at(1).id);
  EXPECT_FALSE(bridge::read_feed_page(R"({"events":[],"cursor":59.5})")->cursor);
  EXPECT_TRUE(bridge::read_feed_page("{}").ok());
  EXPECT_FALSE(bridge::read_feed_page(R"({"events":5})").ok());
  EXPECT_FALSE(bridge::read_feed_page("[]").ok());
}

}  // namespace
}  // namespace robot_council::test
