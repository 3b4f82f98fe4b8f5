// Held reads of the feed (service contract, 8.4).

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "fleet/feed.hpp"
#include "tests/fleet/fleet_fixture.hpp"

namespace robot_council::fleet::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// A read that is under way on a thread of its own.
class Held {
 public:
  Held(Fleet& fleet, const std::string& target, const std::string& token)
      : thread_([this, &fleet, target, token] {
          const auto began = steady_clock::now();
          answer_ = fleet.get(target, token);
          took_ = std::chrono::duration_cast<milliseconds>(steady_clock::now() - began);
        }) {}
  ~Held() {
    if (thread_.joinable()) {
      thread_.join();
    }
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  Held(Held&&) = delete;
  Held& operator=(Held&&) = delete;
  const Answer& answer() {
    if (thread_.joinable()) {
      thread_.join();
    }
    return answer_;
  }
  milliseconds took() {
    (void)answer();
    return took_;
  }

 private:
  Answer answer_;
  milliseconds took_{0};
  std::thread thread_;
};

std::string held_target(std::int64_t after, const std::string& wait = "25") {
  return api("events?acknowledge=false&after=" + std::to_string(after) + "&wait=" + wait);
}

void wait_for_held(Fleet& fleet, std::size_t n) {
  ASSERT_TRUE(robot_council::test::wait_until([&] { return fleet.server().parked() == n; }))
      << fleet.server().parked();
}

TEST(Hold, AQuietReadIsEmptyAfterItsTimeAndEveryAnswerNamesTheLongest) {  // acceptance 50
  Fleet fleet;
  const Agent agent = fleet.join();
  const std::int64_t head = fleet.head();
  Held held(fleet, held_target(head, "1"), agent.token);
  EXPECT_EQ(held.answer().status, 200);
  EXPECT_TRUE(held.answer().json["events"].empty());
  EXPECT_EQ(held.answer().integer("cursor"), head);
  EXPECT_GE(held.took(), milliseconds(990));
  EXPECT_LT(held.took(), robot_council::test::allowed(milliseconds(5000)));
  EXPECT_EQ(held.answer().header("Robot-Council-Wait"), "25");
  EXPECT_EQ(fleet.read(agent, 0).header("Robot-Council-Wait"), "25");
  EXPECT_EQ(fleet.get(api("events?wait=abc"), agent.token).header("Robot-Council-Wait"), "25");
}

TEST(Hold, NinetyNineSecondsAreTwentyFive) {  // acceptance 50
  const auto wait_of = [](const std::string& word) {
    const Input input = Input::from_query({{"wait", word}});
    Fields fields(input);
    return read_feed_query(fields).wait;
  };
  EXPECT_EQ(wait_of("99"), 25);
  EXPECT_EQ(wait_of("25"), 25);
  EXPECT_EQ(wait_of("0"), 0);
}

TEST(Hold, AVisibleEventEndsItAnUnseenOneDoesNot) {  // acceptance 51
  Fleet fleet;
  const Agent ana = fleet.join();
  const Agent bea = fleet.foreign();
  const std::int64_t head = fleet.head();
  Held quiet(fleet, held_target(head, "2"), bea.token);
  Held woken(fleet, held_target(head), ana.token);
  wait_for_held(fleet, 2);
  ASSERT_EQ(fleet.post(api("events"), ana.token, R"({"body":"for ana's developer"})").status, 201);
  EXPECT_EQ(ids_of(woken.answer().json["events"].get<std::vector<base::Json>>()),
            (std::vector<std::int64_t>{head + 1}));
  EXPECT_LT(woken.took(), robot_council::test::allowed(milliseconds(10000)));
  EXPECT_TRUE(quiet.answer().json["events"].empty());
  EXPECT_GE(quiet.took(), milliseconds(1990));
  EXPECT_EQ(quiet.answer().integer("cursor"), head + 1) << "the cursor passes it";
}

TEST(Hold, AnEventThatCameBetweenIsNotMissed) {
  Fleet fleet;
  const Agent agent = fleet.join();
  for (int round = 0; round < 20; ++round) {
    const std::int64_t head = fleet.core().window.head();
    Held held(fleet, held_target(head), agent.token);
    ASSERT_EQ(fleet.post(api("events"), agent.token, R"({"body":"now"})").status, 201);
    ASSERT_EQ(held.answer().json["events"].size(), 1U);
    ASSERT_LT(held.took(), robot_council::test::allowed(milliseconds(15000)));
  }
}

TEST(Hold, TheEndOfASessionIs401AtOnceARenewalEndsNothing) {  // acceptance 53
  Fleet fleet;
  const Agent agent = fleet.join();
  const std::int64_t head = fleet.head();
  Held held(fleet, held_target(head), agent.token);
  wait_for_held(fleet, 1);
  const std::string path = api("sessions/" + std::to_string(agent.id));
  ASSERT_EQ(fleet.post(path + "/renew", agent.installation_token).status, 200);
  EXPECT_EQ(fleet.server().parked(), 1U);
  ASSERT_EQ(fleet.call("DELETE", path, agent.installation_token).status, 200);
  EXPECT_EQ(held.answer().status, 401);
  EXPECT_LT(held.took(), robot_council::test::allowed(milliseconds(10000)));
  EXPECT_EQ(fleet.core().waiters.count(), 0U);
}

TEST(Hold, AStopAnswersHeldReadsWithAnEmptyPage) {  // acceptance 53
  Fleet fleet;
  const Agent agent = fleet.join();
  const std::int64_t head = fleet.head();
  Held held(fleet, held_target(head), agent.token);
  wait_for_held(fleet, 1);
  fleet.server().stop(milliseconds(5000));
  EXPECT_EQ(held.answer().status, 200);
  EXPECT_TRUE(held.answer().json["events"].empty());
  EXPECT_EQ(held.answer().integer("cursor"), head);
}

TEST(Hold, TwoASessionThenAtOnceWithRetryAfter) {  // acceptance 52
  Fleet fleet;
  const Agent agent = fleet.join();
  const std::int64_t head = fleet.head();
  Held one(fleet, held_target(head), agent.token);
  Held two(fleet, held_target(head), agent.token);
  wait_for_held(fleet, 2);
  const Answer third = fleet.get(held_target(head), agent.token);
  EXPECT_EQ(third.status, 200);
  EXPECT_TRUE(third.json["events"].empty());
  EXPECT_EQ(third.header("Retry-After"), "5");
  ASSERT_EQ(fleet.post(api("events"), agent.token, R"({"body":"go"})").status, 201);
  EXPECT_EQ(one.answer().json["events"].size(), 1U);
  EXPECT_EQ(two.answer().json["events"].size(), 1U);
}

TEST(Hold, MaxHeldBoundsThemAll) {  // acceptance 52
  Settings settings = Fleet::default_settings();
  settings.max_held = 3;
  Fleet fleet(settings);
  const Enrolled installation = fleet.enrol();
  std::vector<Agent> agents;
  for (int i = 0; i < 4; ++i) {
    agents.push_back(fleet.start(installation));
  }
  const std::int64_t head = fleet.head();
  Held one(fleet, held_target(head), agents[0].token);
  Held two(fleet, held_target(head), agents[1].token);
  Held three(fleet, held_target(head), agents[2].token);
  wait_for_held(fleet, 3);
  EXPECT_EQ(fleet.get(held_target(head), agents[3].token).header("Retry-After"), "5");
  EXPECT_EQ(fleet.see("overview").json["counts"]["held_requests"], 3);
  ASSERT_EQ(fleet.post(api("events"), agents[0].token, R"({"body":"go"})").status, 201);
}

TEST(Hold, AClosedConnectionFreesItsPlace) {
  Fleet fleet;
  const Agent agent = fleet.join();
  const auto url = net::parse_url("http://127.0.0.1:" + std::to_string(fleet.port()));
  auto client = net::HttpClient::open(*url, {});
  ASSERT_TRUE(client.ok());
  std::thread reader([&] {
    net::ClientRequest request;
    request.target = held_target(fleet.core().window.head());
    request.headers.emplace_back("Authorization", "Bearer " + agent.token);
    EXPECT_FALSE(client->send(request, base::deadline_in(milliseconds(30000))).ok());
  });
  wait_for_held(fleet, 1);
  client->cancel();
  reader.join();
  EXPECT_TRUE(robot_council::test::wait_until([&] { return fleet.core().waiters.count() == 0; },
                                              milliseconds(5000)));
}

TEST(Hold, TheOperatorReadsEverythingAndIsHeldToo) {
  Fleet fleet;
  const Agent bea = fleet.foreign();
  const std::int64_t head = fleet.head();
  Held held(fleet, api("operator/events?after=" + std::to_string(head) + "&wait=25"),
            fleet.operator_token);
  wait_for_held(fleet, 1);
  ASSERT_EQ(fleet.post(api("events"), bea.token, R"({"body":"between us"})").status, 201);
  EXPECT_EQ(held.answer().json["events"].size(), 1U);
  const Answer last = fleet.see("events?limit=1");
  EXPECT_EQ(last.json["events"].size(), 1U);
  EXPECT_EQ(last.integer("cursor"), head + 1);
}

TEST(Hold, ArrivalIsContact) {
  Fleet fleet;
  const Agent agent = fleet.join();
  fleet.clock.advance(std::chrono::seconds(250));
  Held held(fleet, held_target(fleet.core().window.head(), "1"), agent.token);
  EXPECT_EQ(held.answer().status, 200);
  fleet.pass(60);
  EXPECT_EQ(fleet.get(api("agent/session"), agent.token).text("status"), "active");
}

}  // namespace
}  // namespace robot_council::fleet::test
