// The bridge against the public service at its strictest (service contract, section 7; checks 63,
// 64).

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bridge/feed_plan.hpp"
#include "bridge/texts.hpp"
#include "tests/bridge/bridge_fixture.hpp"
#include "tests/bridge/strict_core.hpp"

namespace robot_council::test {
namespace {

using bridge::FeedPlan;
using bridge::Timings;

constexpr const char* kCreatedAt = R"("created_at":"2026-09-24T12:00:00+00:00")";

class CoreContractTest : public BridgeTest {
 protected:
  void TearDown() override {
    BridgeTest::TearDown();
    EXPECT_EQ(core_.violations(), std::vector<std::string>());
    EXPECT_EQ(fleet_.count("GET elsewhere") + fleet_.count("POST elsewhere"), 0U)
        << "a redirect was followed";
    for (const FleetRequest& read : fleet_.requests("GET events")) {
      EXPECT_EQ(query_value(read.query, "acknowledge"), "false") << read.query;
    }
  }

  void join_it() {
    start();
    harness_->handshake();
    const std::string text = join();
    ASSERT_NE(text.find("Joined the fleet as session 41"), std::string::npos) << text;
    joined_text_ = text;
  }

  [[nodiscard]] FleetReply redirect() const {
    return {302, "", {{"Location", fleet_.url() + "/robot-council/api/elsewhere"}}};
  }

  StrictCore core_{fleet_};
  std::string joined_text_;
};

std::string directive(const std::string& more) {
  return std::string(R"("type":"directive","body":"do it","actor":{"session_id":9.0},)") +
         kCreatedAt + more;
}

// All of it once, with every field that may be missing missing.
TEST_F(CoreContractTest, AWholeSession) {
  options_.timings.heartbeat = base::Milliseconds(50);
  options_.timings.watcher = base::Milliseconds(50);
  options_.timings.capacity = base::Milliseconds(50);
  core_.post(directive(""));  // before the session
  join_it();
  EXPECT_EQ(joined_text_.find("apacity"), std::string::npos) << joined_text_;
  harness_->request("2", "tools/list");
  const std::string list = harness_->answer("2");
  for (int number = 0; number < 31; ++number) {
    EXPECT_NE(list.find("\"tool_" + std::to_string(number) + "\""), std::string::npos) << number;
  }
  EXPECT_EQ(list.find("nextCursor"), std::string::npos);
  harness_->call("3", "tool_7");
  EXPECT_EQ(harness_->text_of("3"), "ok");
  core_.post(directive(""));
  EXPECT_TRUE(wait_rows(1));
  core_.expire_token();
  harness_->call("4", "tool_7");
  EXPECT_EQ(harness_->text_of("4"), "ok");
  core_.post(directive(""));
  EXPECT_TRUE(wait_rows(2));
  ASSERT_TRUE(fleet_.wait_for("GET agent/session", 3));
  ASSERT_TRUE(fleet_.wait_for("POST agent/heartbeat", 5));
  EXPECT_EQ(fleet_.count("POST agent/watcher"), 1U);
  EXPECT_EQ(times_said(std::string(bridge::text::kNoWatcher)), 1U);
  EXPECT_FALSE(said("apacity"));
  EXPECT_EQ(rows().size(), 2U) << "nothing of before the session, nothing twice";
  std::int64_t last = 1;
  for (const FleetRequest& read : fleet_.requests("GET events")) {
    const std::int64_t after = std::stoll(query_value(read.query, "after").value_or("-1"));
    EXPECT_GE(after, last) << "a renewal's feed_cursor is not taken";
    last = after;
    EXPECT_EQ(query_value(read.query, "wait"), "25") << "asked though the header never came";
  }
  harness_->call("5", "leave");
  EXPECT_NE(harness_->text_of("5").find("Left the fleet"), std::string::npos);
  EXPECT_EQ(fleet_.count("DELETE sessions/41"), 1U);
}

TEST_F(CoreContractTest, StatusesAreToldAndNothingOfTheirPages) {
  join_it();
  int id = 10;
  for (const int status : {302, 400, 403, 404, 419, 500, 502}) {
    for (const std::string& body : {std::string(), "<html>" + std::string(5000, 'x') + "</html>",
                                    std::string(R"({"message":")") + std::string(201, 'y') +
                                        R"(","errors":{},"trace":[1]})"}) {
      FleetReply reply = redirect();
      reply.status = status;
      reply.body = body;
      fleet_.once("POST mcp", reply);
      const std::string number = std::to_string(id++);
      harness_->call(number, "tool_1");
      const std::string line = harness_->answer(number);
      EXPECT_NE(line.find("The service answered HTTP " + std::to_string(status) + "."),
                std::string::npos)
          << line;
      EXPECT_LT(line.size(), 300U);
    }
  }
  fleet_.once("POST mcp", {403, R"({"message":"Not\u001b[31m yours.","errors":{"a":["b"]}})", {}});
  harness_->call("9", "tool_1");
  EXPECT_NE(harness_->answer("9").find("HTTP 403. Not [31m yours."), std::string::npos);
}

TEST_F(CoreContractTest, ErrorsOfEveryProtocolEraAreRead) {
  join_it();
  int id = 10;
  for (const int status : {200, 400, 404, 500}) {
    const std::string number = std::to_string(id++);
    const std::string error = R"({"jsonrpc":"2.0","id":)" + number +
                              R"(,"error":{"code":-32602,"message":"Unknown tool","data":{}}})";
    fleet_.once("POST mcp", {status, error, {}});
    harness_->call(number, "nothing");
    EXPECT_EQ(harness_->answer(number), error) << status;
  }
}

TEST_F(CoreContractTest, AStartIsRedirectedNowhere) {
  fleet_.once("POST sessions", redirect());
  start();
  harness_->handshake();
  EXPECT_EQ(join(), "Could not join the fleet: The service refused to start a session (HTTP 302).");
}

TEST_F(CoreContractTest, AFeedOfAnotherShapeLeavesTheCursor) {
  options_.timings.backoff_most = base::Milliseconds(50);
  core_.post(directive(""));
  core_.post(directive(""));
  fleet_.once("GET events", redirect());
  fleet_.once("GET events", {200, "<html>", {}});
  fleet_.once("GET events", {200, R"([{"id":7}])", {}});
  fleet_.once("GET events", {200, R"({"events":7,"cursor":9})", {}});
  fleet_.once("GET events", {200, "", {}});
  fleet_.once("GET events", {419, "<html>", {}});
  fleet_.once("GET events", {0, "", {}, true, false, false});
  fleet_.once("GET events", {200, std::string(std::size_t{17} << 20U, ' '), {}});
  join_it();
  ASSERT_TRUE(fleet_.wait_for("GET events", 9));
  const std::vector<FleetRequest> reads = fleet_.requests("GET events");
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(query_value(reads.at(i).query, "after"), "2") << i;
  }
  core_.post(directive(""));
  EXPECT_TRUE(wait_rows(1));
}

TEST_F(CoreContractTest, WithoutACursorTheFirstReadIsWithoutAfter) {
  core_.without_feed_cursor();
  core_.post(directive(""));
  join_it();
  ASSERT_TRUE(fleet_.wait_for("GET events", 2));
  EXPECT_EQ(fleet_.requests("GET events").at(0).query, "acknowledge=false&wait=25");
  EXPECT_EQ(query_value(fleet_.requests("GET events").at(1).query, "after"), "1")
      << "from then on its own position";
  EXPECT_TRUE(rows().empty());
}

TEST_F(CoreContractTest, ARefusedPlatformIsLeftOut) {
  core_.refuse_platform();
  join_it();
  EXPECT_EQ(fleet_.count("POST sessions"), 2U);
}

TEST_F(CoreContractTest, OnlyListsOfIntegersAddress) {
  join_it();
  const auto narration = [](const std::string& meta) {
    return std::string(R"("type":"narration","body":"n","actor":{"session_id":9},)") + kCreatedAt +
           R"(,"meta":)" + meta;
  };
  std::vector<std::int64_t> mine;
  core_.post(narration(R"({"to":"41"})"));
  core_.post(narration(R"({"to":["41"]})"));
  core_.post(narration(R"({"to":[41.5]})"));
  core_.post(directive(R"(,"meta":{"targets":[42]})"));
  mine.push_back(core_.post(narration(R"({"to":[41.0]})")));
  mine.push_back(core_.post(directive(R"(,"meta":{"targets":[]})")));
  mine.push_back(core_.post(directive(R"(,"meta":{"targets":"42"})")));
  mine.push_back(core_.post(directive(R"(,"meta":{"targets":[41.0]})")));
  mine.push_back(core_.post(directive(R"(,"meta":null)")));
  ASSERT_TRUE(wait_rows(mine.size()));
  std::vector<std::int64_t> stored;
  for (const sink::Entry& row : rows()) {
    stored.push_back(row.event_id.value_or(-1));
  }
  EXPECT_EQ(stored, mine);
}

TEST_F(CoreContractTest, OddEventsPassAndARepeatIsKnown) {
  const std::string odd =
      R"({"id":1.0,"type":"directive","body":null,"meta":null,"created_at":"2026-09-24T12:00:00Z",)"
      R"("actor":{"session_id":null,"github_login":null},"new":{"a":[1.0]}})";
  const std::string fraction =
      R"({"id":2,"type":"directive","body":"b","created_at":"2026-09-24T12:00:00.25+02:00"})";
  const std::string unknown = R"({"id":3,"type":"moon.risen","body":null,"actor":null})";
  fleet_.on("GET events", FleetReply{200, R"({"events":[],"cursor":3.0})", {}});
  fleet_.once("GET events", {200, R"({"events":[)" + odd + R"(],"cursor":1.0})", {}});
  fleet_.once("GET events", {200,
                             R"({"events":[)" + odd + "," + fraction + "," + unknown +
                                 R"(],"cursor":3.0,"performed_by":1})",
                             {}});
  join_it();
  ASSERT_TRUE(wait_rows(2));
  ASSERT_TRUE(fleet_.wait_for("GET events", 3));
  ASSERT_EQ(rows().size(), 2U);
  EXPECT_EQ(rows().at(0).json, odd) << "as it came";
  EXPECT_EQ(rows().at(1).json, fraction);
  EXPECT_EQ(query_value(fleet_.requests("GET events").at(2).query, "after"), "3");
}

TEST_F(CoreContractTest, AGatewayThatCutsIsAskedToHoldLessAndThenNotAtAll) {
  fleet_.once("GET events", {502, "<html>", {}});
  fleet_.once("GET events", {504, "", {}}, 3);
  join_it();
  ASSERT_TRUE(fleet_.wait_for("GET events", 6));
  const std::vector<FleetRequest> reads = fleet_.requests("GET events");
  std::vector<std::string> waits;
  for (std::size_t i = 0; i < 6; ++i) {
    waits.push_back(query_value(reads.at(i).query, "wait").value_or("none"));
  }
  EXPECT_EQ(waits, (std::vector<std::string>{"25", "12", "6", "5", "none", "none"}));
}

// The least time from a read to the one `further` reads later.
base::Milliseconds least_between(const std::vector<FleetRequest>& reads, std::size_t further) {
  auto least = base::Milliseconds::max();
  for (std::size_t i = 0; i + further < reads.size(); ++i) {
    least = std::min(
        least, std::chrono::duration_cast<base::Milliseconds>(reads[i + further].at - reads[i].at));
  }
  return least;
}

// A minute is 600 ms here: every pause of the bridge is a hundredth.
constexpr base::Milliseconds kMinute{600};
constexpr base::Milliseconds kSlack{60};  // a request may be seen late, the next one in time

TEST_F(CoreContractTest, EarlyEmptyAnswersAreReadAtMost12TimesAMinute) {
  core_.early_empty("0");
  join_it();
  ASSERT_TRUE(fleet_.wait_for("GET events", 15));
  EXPECT_GE(least_between(fleet_.requests("GET events"), 12), kMinute - kSlack);
}

TEST_F(CoreContractTest, AFloodIsReadAtMost60TimesAMinute) {
  core_.flood();
  join_it();
  ASSERT_TRUE(fleet_.wait_for("GET events", 75));
  EXPECT_GE(least_between(fleet_.requests("GET events"), 60), kMinute - kSlack);
}

// The same with the real pauses, in time that the test makes.
TEST(CoreContractPlan, EarlyEmptyAnswersAreReadAtMost12TimesAMinute) {
  for (const auto retry_after :
       {std::optional<base::Milliseconds>(), std::optional<base::Milliseconds>(0),
        std::optional<base::Milliseconds>(1000)}) {
    FeedPlan plan{Timings()};
    base::SteadyTime now(std::chrono::hours(1));
    const base::SteadyTime end = now + std::chrono::minutes(1);
    FeedPlan::PageFacts facts;
    facts.held = true;
    facts.empty = true;
    facts.retry_after = retry_after;
    int reads = 0;
    while (now < end && reads < 1000) {
      ++reads;
      now = plan.spaced(plan.after_page(facts, now));
    }
    EXPECT_LE(reads, 12);
    EXPECT_GE(reads, 11);
  }
}

// Whatever a service answers, in whatever order: bursts between held reads, early empty answers,
// refusals that say "again at once".
TEST(CoreContractPlan, NoMinuteHasMoreThan60Reads) {
  Seeded random;
  SCOPED_TRACE(random.words());
  FeedPlan plan{Timings()};
  base::SteadyTime now(std::chrono::hours(1));
  const base::SteadyTime end = now + std::chrono::minutes(20);
  std::vector<base::SteadyTime> reads;
  while (now < end && reads.size() < 100000) {
    reads.push_back(now);
    const std::uint32_t kind = random.below(10);
    FeedPlan::PageFacts facts;
    facts.held = true;
    facts.moved = kind != 0;
    facts.moved_by = facts.moved ? 1 : 0;
    facts.empty = !facts.moved;
    facts.full = kind == 1;
    facts.took = base::Milliseconds(random.below(20) == 0 ? 2100 : random.below(5));
    now += facts.took;
    const base::SteadyTime wanted =
        kind == 2 ? plan.after_failure(429, base::Milliseconds(0), false, 0, now)
                  : plan.after_page(facts, now);
    const base::SteadyTime next = plan.spaced(wanted);
    EXPECT_LE(next - wanted, Timings().flood) << "none later than that";
    now = next;
  }
  EXPECT_GT(reads.size(), 300U);
  for (std::size_t i = 0; i + 60 < reads.size(); ++i) {
    ASSERT_GE(reads[i + 60] - reads[i], std::chrono::minutes(1)) << "read " << i;
  }
}

TEST(CoreContractPlan, RefusalsAndFailuresWait) {
  const Timings timings;
  FeedPlan plan(timings);
  const base::SteadyTime now(std::chrono::hours(1));
  EXPECT_EQ(plan.after_failure(429, std::nullopt, false, 0, now), now + std::chrono::seconds(30));
  EXPECT_EQ(plan.after_failure(429, base::Milliseconds(9000), false, 0, now),
            now + std::chrono::seconds(9));
  EXPECT_EQ(plan.after_failure(500, std::nullopt, false, 0, now), now + std::chrono::seconds(1));
  EXPECT_EQ(plan.after_failure(0, std::nullopt, false, 0, now), now + std::chrono::seconds(2));
  EXPECT_EQ(plan.read_time(), std::chrono::seconds(35));
  FeedPlan::PageFacts facts;  // no header
  facts.empty = true;
  EXPECT_EQ(plan.after_page(facts, now), now + std::chrono::seconds(10));
}

}  // namespace
}  // namespace robot_council::test
