// What the daily work keeps (service contract, 4.4, "Retention"), and the bounds of the operator's
// reads.

#include <string>

#include <gtest/gtest.h>

#include "tests/fleet/fleet_fixture.hpp"

namespace robot_council::fleet::test {
namespace {

std::int64_t count(Fleet& fleet, std::string_view sql) {
  std::int64_t n = -1;
  (void)fleet.core().read([&](Unit& unit) {
    n = unit.tx.first(sql, {})->integer(0);
    return ok({});
  });
  return n;
}

// Sessions whose tokens outlast the test.
void make_tokens_last(Fleet& fleet) {
  (void)fleet.core().write([](Unit& unit) {
    unit.tx.execute("UPDATE sessions SET token_expires_at = ?", {unit.now + 1000 * kDay});
    return ok({});
  });
}

TEST(Retention, FinishedTasksGoAfterTheirDaysOpenOnesStay) {
  Fleet fleet;
  const Agent agent = fleet.join();
  make_tokens_last(fleet);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(fleet.post(api("tasks"), agent.token, R"({"title":"t"})").status, 201);
  }
  ASSERT_EQ(fleet.post(api("tasks/1/claim"), agent.token).status, 200);
  ASSERT_EQ(fleet.post(api("tasks/1/complete"), agent.token).status, 200);
  fleet.clock.advance(std::chrono::hours(24 * 89));
  fleet.upkeep().retain();
  EXPECT_EQ(count(fleet, "SELECT COUNT(*) FROM tasks"), 2);
  fleet.clock.advance(std::chrono::hours(24 * 2));
  fleet.upkeep().retain();
  EXPECT_EQ(count(fleet, "SELECT MIN(id) FROM tasks"), 2);
}

TEST(Retention, EndedSessionsGoUnlessTheyStillHoldSomething) {
  Fleet fleet;
  const Agent ended = fleet.join("one");
  const Agent live = fleet.join("two");
  const Agent holder = fleet.join("three");
  ASSERT_EQ(
      fleet.call("DELETE", api("sessions/" + std::to_string(ended.id)), ended.installation_token)
          .status,
      200);
  ASSERT_EQ(
      fleet.call("DELETE", api("sessions/" + std::to_string(holder.id)), holder.installation_token)
          .status,
      200);
  (void)fleet.core().write([&](Unit& unit) {
    unit.tx.execute(
        "INSERT INTO locks(name, developer_id, holder, fence, acquired_at, expires_at) VALUES('n', "
        "1, ?, 1, 1, 1)",
        {holder.id});
    return ok({});
  });
  fleet.clock.advance(std::chrono::hours(24 * 31));
  fleet.upkeep().retain();
  EXPECT_EQ(count(fleet, "SELECT COUNT(*) FROM sessions WHERE id = " + std::to_string(ended.id)),
            0);
  EXPECT_EQ(count(fleet, "SELECT COUNT(*) FROM sessions WHERE id = " + std::to_string(live.id)), 1);
  EXPECT_EQ(count(fleet, "SELECT COUNT(*) FROM sessions WHERE id = " + std::to_string(holder.id)),
            1);
}

TEST(Retention, ZeroDaysKeepForEver) {
  Settings settings = Fleet::default_settings();
  settings.keep_events = 0;
  Fleet fleet(settings);
  fleet.join();
  fleet.clock.advance(std::chrono::hours(24 * 3650));
  fleet.upkeep().retain();
  EXPECT_EQ(count(fleet, "SELECT COUNT(*) FROM events"), 1);
}

TEST(Retention, ManyEventsGoInBatchesWithTheirAddressees) {
  Fleet fleet;
  const Agent agent = fleet.join();
  (void)fleet.core().write([&](Unit& unit) {
    for (int i = 0; i < 1200; ++i) {
      EventDraft draft;
      draft.type = "narration";
      draft.developer_id = 1;
      draft.addressees = {{agent.id, 1}};
      unit.append(draft);
    }
    return ok({});
  });
  fleet.clock.advance(std::chrono::hours(24 * 31));
  fleet.upkeep().retain();
  EXPECT_EQ(count(fleet, "SELECT COUNT(*) FROM events"), 0);
  EXPECT_EQ(count(fleet, "SELECT COUNT(*) FROM event_addressees"), 0);
}

TEST(Retention, AFullStoreIs503AndNothingIsWritten) {
  Fleet fleet;
  const Agent agent = fleet.join();
  const std::int64_t head = fleet.head();
  (void)fleet.core().read([](Unit& unit) {
    const std::int64_t pages = unit.tx.first("PRAGMA page_count", {})->integer(0);
    unit.tx.query("PRAGMA max_page_count = " + std::to_string(pages), {});
    return ok({});
  });
  int refused = 0;
  for (int i = 0; i < 40 && refused == 0; ++i) {
    const Answer answer =
        fleet.post(api("events"), agent.token, R"({"body":")" + std::string(4000, 'x') + "\"}");
    if (answer.status == 503) {
      ++refused;
      EXPECT_EQ(answer.header("Retry-After"), "5");
    } else {
      ASSERT_EQ(answer.status, 201) << answer.body;
    }
  }
  EXPECT_EQ(refused, 1);
  const std::int64_t full = fleet.head();
  (void)fleet.core().read([](Unit& unit) {
    unit.tx.query("PRAGMA max_page_count = 1000000", {});
    return ok({});
  });
  const Answer after = fleet.post(api("events"), agent.token, R"({"body":"again"})");
  EXPECT_EQ(after.status, 201);
  EXPECT_EQ(after.integer("event_id"), full + 1) << "the refused write left nothing, from " << head;
}

}  // namespace
}  // namespace robot_council::fleet::test
