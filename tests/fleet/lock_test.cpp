// Locks (service contract, 5.4).

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fleet/locks.hpp"
#include "tests/fleet/fleet_fixture.hpp"

namespace robot_council::fleet::test {
namespace {

Answer on_lock(Fleet& fleet, const Agent& agent, const std::string& action, const std::string& name,
               std::int64_t ttl = 0) {
  return fleet.post(api("locks/" + action), agent.token,
                    R"({"name":")" + name + "\"" +
                        (ttl > 0 ? ",\"ttl\":" + std::to_string(ttl) : std::string()) + "}");
}

TEST(Locks, AnswersTheFieldsOfTheContract) {
  Fleet fleet;
  const Agent agent = fleet.join();
  const Answer taken = on_lock(fleet, agent, "acquire", "a/b:c", 60);
  EXPECT_EQ(
      taken.body,
      R"({"name":"a/b:c","held":true,"fence":1,"expires_at":"2026-11-30T06:01:00+00:00","expires_in":60})");
  EXPECT_EQ(fleet.last_event()["meta"], base::Json::parse(R"({"lock":"a/b:c","fence":1})"));
  EXPECT_EQ(on_lock(fleet, agent, "release", "a/b:c").body, R"({"name":"a/b:c","held":false})");
  EXPECT_EQ(fleet.last_event()["meta"], base::Json::parse(R"({"lock":"a/b:c"})"));
}

TEST(Locks, ARunningLeaseIsTakenAlsoForItsOwner) {  // acceptance 43
  Fleet fleet;
  const Agent agent = fleet.join("one");
  const Agent other = fleet.join("two");
  ASSERT_EQ(on_lock(fleet, agent, "acquire", "n", 60).status, 200);
  const Answer again = on_lock(fleet, agent, "acquire", "n", 60);
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(again.body, R"({"name":"n","held":false})");
  EXPECT_EQ(on_lock(fleet, other, "acquire", "n", 60).status, 409);
}

TEST(Locks, The21stLiveLeaseIsRefused) {  // acceptance 43
  Fleet fleet;
  const Agent agent = fleet.join();
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(on_lock(fleet, agent, "acquire", "n" + std::to_string(i), i == 0 ? 10 : 900).status,
              200);
  }
  EXPECT_EQ(on_lock(fleet, agent, "acquire", "one-more", 60).status, 409);
  fleet.clock.advance(std::chrono::seconds(10));
  EXPECT_EQ(on_lock(fleet, agent, "acquire", "one-more", 60).status, 200)
      << "a lapsed lease does not count";
}

TEST(Locks, EachWayOfNotHoldingHasItsCode) {  // acceptance 44
  Fleet fleet;
  const Agent agent = fleet.join("one");
  const Agent other = fleet.join("two");
  const Agent third = fleet.join("three");
  for (const char* action : {"renew", "release"}) {
    const std::string name = std::string("n-") + action;
    const std::int64_t ttl = std::string(action) == "renew" ? 60 : 0;
    EXPECT_EQ(on_lock(fleet, agent, action, name, ttl).status, 404) << "never taken";
    ASSERT_EQ(on_lock(fleet, agent, "acquire", name, 60).status, 200);
    EXPECT_EQ(on_lock(fleet, other, action, name, ttl).status, 403) << "another's";
    fleet.clock.advance(std::chrono::seconds(60));
    EXPECT_EQ(on_lock(fleet, agent, action, name, ttl).status, 409) << "lapsed";
    EXPECT_EQ(on_lock(fleet, other, action, name, ttl).status, 409) << "lapsed, never the other's";
    ASSERT_EQ(on_lock(fleet, other, "acquire", name, 60).status, 200);
    const base::Json event = fleet.last_event();
    EXPECT_EQ(type_of(event), "lock.taken_over");
    EXPECT_EQ(event["meta"]["taken_from"], agent.id);
    EXPECT_EQ(on_lock(fleet, agent, action, name, ttl).status, 409) << "taken from me";
    EXPECT_EQ(on_lock(fleet, third, action, name, ttl).status, 403);
  }
}

TEST(Locks, ALapsedLeaseMayBeTakenOverByItsOwnHolder) {
  Fleet fleet;
  const Agent agent = fleet.join();
  ASSERT_EQ(on_lock(fleet, agent, "acquire", "n", 10).status, 200);
  fleet.clock.advance(std::chrono::seconds(10));
  EXPECT_EQ(on_lock(fleet, agent, "acquire", "n", 10).integer("fence"), 2);
  EXPECT_EQ(fleet.last_event()["meta"]["taken_from"], agent.id);
  EXPECT_EQ(on_lock(fleet, agent, "renew", "n", 10).status, 200);
}

TEST(Locks, FencesStrictlyRiseOverAThousandAcquires) {  // acceptance 45
  Fleet fleet;
  const Agent one = fleet.join("one");
  const Agent two = fleet.join("two");
  (void)fleet.core().write([](Unit& unit) {
    unit.tx.execute("UPDATE sessions SET token_expires_at = ?", {unit.now + 1000 * kDay});
    return ok({});
  });
  std::int64_t last = 0;
  const auto rounds = [&](int n) {
    // Many acquires a transaction: the fence is drawn for each, and the test need not sync 1,000
    // times.
    const Reply done = fleet.core().write([&](Unit& unit) {
      for (int i = 0; i < n; ++i) {
        const auto session = find_session(unit, i % 2 == 0 ? one.id : two.id);
        const auto input =
            Input::from_json(R"({"name":"n)" + std::to_string(i % 7) + R"(","ttl":1})");
        unit.now += 2 * kSecond;  // so each acquire is free or a takeover of a lapsed lease
        const Reply taken = acquire_lock(unit, *session, *input);
        EXPECT_EQ(taken.status, 200) << taken.body;
        const auto json = base::parse_bounded(taken.body, 1000);
        const std::int64_t fence = base::get_integer(*json, "fence").value_or(-1);
        EXPECT_GT(fence, last);
        last = fence;
      }
      return ok({});
    });
    ASSERT_FALSE(done.refused()) << done.body;
    fleet.clock.advance(std::chrono::seconds(2 * n + 2));
  };
  rounds(400);
  fleet.restart();
  rounds(300);
  ASSERT_EQ(on_lock(fleet, fleet.coordinator(), "force-release", "n0").status, 200);
  fleet.clock.advance(std::chrono::hours(24 * 8));
  fleet.upkeep().retain();
  rounds(300);
  EXPECT_GE(last, 1000);
}

TEST(Locks, PruningDropsFreeLocksOnly) {
  Fleet fleet;
  const Agent agent = fleet.join();
  ASSERT_EQ(on_lock(fleet, agent, "acquire", "free", 60).status, 200);
  ASSERT_EQ(on_lock(fleet, agent, "release", "free").status, 200);
  ASSERT_EQ(on_lock(fleet, agent, "acquire", "held", 60).status, 200);
  fleet.clock.advance(std::chrono::hours(24 * 8));
  fleet.upkeep().retain();
  std::vector<std::string> names;
  (void)fleet.core().read([&](Unit& unit) {
    for (const Row& row : unit.tx.query("SELECT name FROM locks", {})) {
      names.push_back(row.text(0));
    }
    return ok({});
  });
  EXPECT_EQ(names, (std::vector<std::string>{"held"}));
}

TEST(Locks, RenewTwiceKeepsTheFenceUntilFourHoursAreOver) {  // acceptance 46
  Fleet fleet;
  const Agent agent = fleet.join();
  (void)fleet.core().write([](Unit& unit) {
    unit.tx.execute("UPDATE sessions SET token_expires_at = ?", {unit.now + kDay});
    return ok({});
  });
  ASSERT_EQ(on_lock(fleet, agent, "acquire", "n", 900).integer("fence"), 1);
  const std::int64_t head = fleet.head();
  for (int i = 0; i < 2; ++i) {
    const Answer renewed = on_lock(fleet, agent, "renew", "n", 900);
    EXPECT_EQ(renewed.status, 200);
    EXPECT_EQ(renewed.integer("fence"), 1);
  }
  EXPECT_EQ(types_of(fleet.feed(head)), (std::vector<std::string>{"lock.renewed", "lock.renewed"}));
  for (std::int64_t t = 900; t < 14400 - 900; t += 890) {
    fleet.clock.advance(std::chrono::seconds(890));
    ASSERT_EQ(on_lock(fleet, agent, "renew", "n", 900).status, 200) << t;
  }
  fleet.clock.advance(std::chrono::seconds(890));
  EXPECT_EQ(on_lock(fleet, agent, "renew", "n", 900).status, 409) << "past 14400 s";
  EXPECT_EQ(on_lock(fleet, agent, "renew", "n", 10).status, 200);
}

TEST(Locks, ForceReleaseOfALapsedLeaseThenNothing) {  // acceptance 46
  Fleet fleet;
  const Agent agent = fleet.join();
  const Agent boss = fleet.coordinator();
  EXPECT_EQ(on_lock(fleet, boss, "force-release", "n").status, 404);
  ASSERT_EQ(on_lock(fleet, agent, "acquire", "n", 10).status, 200);
  EXPECT_EQ(on_lock(fleet, agent, "force-release", "n").status, 403);
  fleet.clock.advance(std::chrono::seconds(20));
  EXPECT_EQ(on_lock(fleet, boss, "force-release", "n").status, 200);
  EXPECT_EQ(fleet.last_event()["meta"]["taken_from"], agent.id);
  EXPECT_EQ(on_lock(fleet, boss, "force-release", "n").status, 409);
  EXPECT_EQ(on_lock(fleet, agent, "renew", "n", 10).status, 409);
}

TEST(Locks, TheTtlBelongsToAcquireAndRenewOnly) {  // acceptance 41
  Fleet fleet;
  const Agent agent = fleet.join();
  EXPECT_EQ(on_lock(fleet, agent, "acquire", "n").status, 422);
  EXPECT_EQ(on_lock(fleet, agent, "acquire", "n", 901).status, 422);
  EXPECT_EQ(on_lock(fleet, agent, "acquire", "a b", 60).status, 422);
  EXPECT_EQ(on_lock(fleet, agent, "release", "n", 60).status, 422);
  EXPECT_EQ(fleet.post(api("locks/steal"), agent.token, R"({"name":"n"})").status, 404);
}

}  // namespace
}  // namespace robot_council::fleet::test
