// The change feed and its cursor (service contract, 4).

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fleet/fleet_fixture.hpp"

namespace robot_council::fleet::test {
namespace {

// n narrations in one transaction, as one session of the developer posts them.
void narrate(Fleet& fleet, const Agent& agent, int n) {
  const Reply reply = fleet.core().write([&](Unit& unit) {
    const auto session = find_session(unit, agent.id);
    for (int i = 0; i < n; ++i) {
      EventDraft draft;
      draft.type = "narration";
      draft.body = "n" + std::to_string(i);
      draft.actor = session->actor();
      draft.developer_id = session->developer_id;
      unit.append(draft);
    }
    return ok({});
  });
  ASSERT_FALSE(reply.refused());
}

TEST(Feed, EachVisibleIdComesOnceAscendingForEveryLimit) {  // acceptance 25
  Fleet fleet;
  const Agent agent = fleet.join();
  narrate(fleet, agent, 30);
  const std::int64_t head = fleet.head();
  for (int limit = 1; limit <= 200; limit += limit < 12 ? 1 : 47) {
    std::int64_t after = 0;
    std::vector<std::int64_t> seen;
    for (;;) {
      const Answer page = fleet.read(agent, after, "&limit=" + std::to_string(limit));
      ASSERT_EQ(page.status, 200);
      const auto ids = ids_of(page.json["events"].get<std::vector<base::Json>>());
      if (static_cast<int>(ids.size()) == limit) {
        EXPECT_EQ(page.integer("cursor"), ids.back()) << "a full page ends at its last id";
      }
      if (page.integer("cursor") == after) {
        break;
      }
      seen.insert(seen.end(), ids.begin(), ids.end());
      after = page.integer("cursor");
    }
    ASSERT_EQ(seen.size(), static_cast<std::size_t>(head)) << "limit " << limit;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      EXPECT_EQ(seen[i], static_cast<std::int64_t>(i) + 1);
    }
  }
}

TEST(Feed, FifteenHundredUnseenEventsAreTwoEmptyPages) {  // acceptance 26
  Fleet fleet;
  const Agent ana = fleet.join();
  const Agent bea = fleet.foreign();
  const std::int64_t start = fleet.head();
  narrate(fleet, ana, 1500);
  for (int round = 0; round < 2; ++round) {  // from memory, then from the store
    const Answer first = fleet.read(bea, start, "&wait=25");
    EXPECT_TRUE(first.json["events"].empty());
    EXPECT_EQ(first.integer("cursor"), start + 1000)
        << "1000 ids examined and more left is answered at once";
    const Answer second = fleet.read(bea, start + 1000);
    EXPECT_TRUE(second.json["events"].empty());
    EXPECT_EQ(second.integer("cursor"), start + 1500);
    EXPECT_EQ(fleet.read(bea, start + 1500).integer("cursor"), start + 1500);
    fleet.restart();
  }
}

TEST(Feed, QueriesThatAreNotOfTheFormAre422) {  // acceptance 27, 50
  Fleet fleet;
  const Agent agent = fleet.join();
  for (const char* query : {"after=", "after=-1", "after=x", "acknowledge=yes", "acknowledge=",
                            "limit=201", "limit=0", "wait=abc", "wait=-1", "wait=1.5"}) {
    EXPECT_EQ(fleet.get(api("events?" + std::string(query)), agent.token).status, 422) << query;
  }
}

TEST(Feed, APlainReadStoresThePositionReadFrom) {  // acceptance 28
  Fleet fleet;
  const Agent agent = fleet.join();
  narrate(fleet, agent, 5);
  const auto stored = [&] {
    return fleet.get(api("agent/session"), agent.token).integer("feed_cursor");
  };
  const std::int64_t start = stored();
  EXPECT_EQ(start, agent.feed_cursor);
  fleet.read(agent, start + 3);
  EXPECT_EQ(stored(), start) << "acknowledge=false stores nothing";
  fleet.get(api("events?after=" + std::to_string(start + 3)), agent.token);
  EXPECT_EQ(stored(), start + 3);
  fleet.get(api("events?after=" + std::to_string(start + 1)), agent.token);
  EXPECT_EQ(stored(), start + 3) << "forward only";
  fleet.get(api("events?after=" + std::to_string(start + 50)), agent.token);
  EXPECT_EQ(stored(), start + 3) << "never past the head";
  const Answer page = fleet.get(api("events?acknowledge=0"), agent.token);
  EXPECT_EQ(page.json["events"].size(), 2U) << "without after it resumes from the stored position";
  fleet.tool(agent, "events_read", with_id("after", start + 5));
  EXPECT_EQ(stored(), start + 5) << "the tool acknowledges";
}

TEST(Feed, ThirtyTwoWritersAndFourCursorReadersMissNothing) {  // acceptance 29
  Fleet fleet;
  std::vector<Agent> agents;
  const Enrolled installation = fleet.enrol();
  for (int i = 0; i < 8; ++i) {
    agents.push_back(fleet.start(installation));
  }
  constexpr int kWriters = 32;
  constexpr int kEach = 4;
  const std::int64_t start = fleet.head();
  std::mutex mu;
  std::set<std::int64_t> written;
  std::atomic<bool> done{false};
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      for (int i = 0; i < kEach; ++i) {
        const Answer answer =
            fleet.post(api("events"), agents[static_cast<std::size_t>(w) % agents.size()].token,
                       R"({"body":"x"})");
        EXPECT_EQ(answer.status, 201) << answer.body;
        const std::scoped_lock lock(mu);
        written.insert(answer.integer("event_id"));
      }
    });
  }
  std::vector<std::set<std::int64_t>> seen(4);
  std::vector<std::thread> readers;
  for (std::size_t r = 0; r < seen.size(); ++r) {
    readers.emplace_back([&, r] {
      std::int64_t after = start;
      for (;;) {
        const bool last = done;
        const Answer page = fleet.read(agents[r], after, r % 2 == 0 ? "" : "&wait=1");
        for (const auto& event : page.json["events"]) {
          seen[r].insert(event["id"].get<std::int64_t>());
        }
        if (last && page.integer("cursor") == after) {
          return;
        }
        after = page.integer("cursor");
      }
    });
  }
  for (auto& writer : writers) {
    writer.join();
  }
  done = true;
  for (auto& reader : readers) {
    reader.join();
  }
  EXPECT_EQ(written.size(), std::size_t{kWriters * kEach});
  for (const auto& ids : seen) {
    EXPECT_EQ(ids, written);
  }
}

TEST(Feed, NarrationIsForItsDeveloperCoordinatorsAreForAll) {  // acceptance 31
  Fleet fleet;
  const Agent ana = fleet.join();
  const Agent boss = fleet.coordinator();
  const Agent bea = fleet.foreign("bea");
  const Agent bea2 = fleet.start({bea.installation_id, bea.installation_token});
  const std::int64_t start = fleet.head();
  const auto post = [&](const Agent& agent, const std::string& more) {
    const Answer answer = fleet.post(api("events"), agent.token, R"({"body":"b")" + more + "}");
    EXPECT_EQ(answer.status, 201) << answer.body;
    return answer.integer("event_id");
  };
  const std::int64_t plain = post(ana, "");
  const std::int64_t open = post(boss, "");
  const std::int64_t addressed = post(ana, R"(,"to":[)" + std::to_string(bea.id) + "]");
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(ids_of(fleet.all_events(bea, start)), (std::vector<std::int64_t>{open, addressed}));
    EXPECT_EQ(ids_of(fleet.all_events(bea2, start)), (std::vector<std::int64_t>{open}))
        << "only the named session";
    EXPECT_EQ(ids_of(fleet.all_events(ana, start)),
              (std::vector<std::int64_t>{plain, open, addressed}));
    EXPECT_EQ(ids_of(fleet.all_events(boss, start)),
              (std::vector<std::int64_t>{plain, open, addressed}));
    fleet.restart();  // then the same from the store
  }
}

TEST(Feed, APlacementInstructionIsForTheAssigneeAndTheCoordinatorsDeveloper) {  // acceptance 32
  Fleet fleet;
  const Agent boss = fleet.coordinator();
  const Agent bea = fleet.foreign("bea");
  const Agent cem = fleet.foreign("cem");
  ASSERT_EQ(fleet.post(api("tasks"), boss.token, R"({"title":"t"})").status, 201);
  const std::int64_t start = fleet.head();
  ASSERT_EQ(
      fleet
          .post(api("tasks/1/reassign"), boss.token,
                R"({"session_id":)" + std::to_string(bea.id) + R"(,"directive":"secret words"})")
          .status,
      200);
  const std::vector<std::string> all = {"task.reassigned", "placement.instruction", "directive"};
  EXPECT_EQ(types_of(fleet.all_events(boss, start)), all);
  EXPECT_EQ(types_of(fleet.all_events(bea, start)), all);
  EXPECT_EQ(types_of(fleet.all_events(cem, start)),
            (std::vector<std::string>{"task.reassigned", "directive"}));
}

TEST(Feed, AnAddresseeThatIsUnknownOrGoneIs422) {  // acceptance 33
  Fleet fleet;
  const Agent boss = fleet.coordinator("desk");
  const Agent gone = fleet.join("gone");
  const Agent quiet = fleet.join("quiet");
  ASSERT_EQ(
      fleet.call("DELETE", api("sessions/" + std::to_string(gone.id)), gone.installation_token)
          .status,
      200);
  ASSERT_EQ(fleet.post(api("tasks"), boss.token, R"({"title":"t"})").status, 201);
  const std::int64_t head = fleet.head();
  const std::string id = std::to_string(gone.id);
  EXPECT_EQ(fleet.post(api("events"), boss.token, R"({"body":"b","to":[)" + id + "]}").status, 422);
  EXPECT_EQ(fleet.post(api("events"), boss.token, R"({"body":"b","to":[999]})").status, 422);
  EXPECT_EQ(fleet.post(api("events"), boss.token, R"({"body":"b","to":[0]})").status, 422);
  EXPECT_EQ(fleet.post(api("events"), boss.token, R"({"body":"b","to_tasks":[1]})").status, 422);
  EXPECT_EQ(fleet.post(api("events"), boss.token, R"({"body":"b","to_tasks":[99]})").status, 422);
  EXPECT_EQ(
      fleet.post(api("directives"), boss.token, R"({"body":"b","targets":[)" + id + "]}").status,
      422);
  EXPECT_EQ(fleet.head(), head);
  fleet.core().presence.contact(boss.id, fleet.core().now() + 300 * kSecond);
  fleet.pass(300);
  EXPECT_EQ(type_of(fleet.last_event()), "session.stale");
  EXPECT_EQ(fleet
                .post(api("events"), boss.token,
                      R"({"body":"b","to":[)" + std::to_string(quiet.id) + "]}")
                .status,
            201)
      << "stale counts as live";
}

TEST(Feed, AddressesAreFilledIn) {  // acceptance 34
  Fleet fleet;
  const Agent one = fleet.join("one");
  const Agent two = fleet.join("two");
  ASSERT_EQ(fleet.post(api("tasks"), one.token, R"({"title":"t"})").status, 201);
  ASSERT_EQ(fleet.post(api("tasks/1/claim"), two.token).status, 200);
  ASSERT_EQ(
      fleet
          .post(
              api("events"), one.token,
              R"({"type":"directive","body":"b","meta":{"b":1.0,"a":{}},"to":["1"],"to_tasks":[1.0,1]})")
          .status,
      201);
  const base::Json event = fleet.last_event();
  EXPECT_EQ(type_of(event), "narration") << "a type is ignored";
  EXPECT_EQ(event["meta"]["to"], base::Json::array({one.id, two.id}));
  EXPECT_EQ(event["meta"]["to_tasks"],
            base::Json::parse(R"([{"task_id":1,"session_id":)" + std::to_string(two.id) + "}]"));
  const Answer raw = fleet.see("events?limit=1");
  EXPECT_NE(raw.body.find(R"("client":{"b":1.0,"a":{}})"), std::string::npos)
      << "the poster's bytes are kept";
}

TEST(Feed, AfterPruningOldCursorsWorkAndOldestTells) {  // acceptance 35, 65
  Fleet fleet;
  const Agent agent = fleet.join();
  narrate(fleet, agent, 10);
  const std::int64_t old_head = fleet.head();
  fleet.clock.advance(std::chrono::hours(24 * 20));
  (void)fleet.core().write([](Unit& unit) {
    unit.tx.execute("UPDATE sessions SET token_expires_at = ?", {unit.now + 100 * kDay});
    return ok({});
  });
  narrate(fleet, agent, 3);
  fleet.clock.advance(std::chrono::hours(24 * 11));
  fleet.upkeep().retain();
  for (int round = 0; round < 2; ++round) {
    const Answer page = fleet.read(agent, 2);
    EXPECT_EQ(page.json["events"].size(), 3U);
    EXPECT_EQ(page.integer("oldest"), old_head + 1);
    EXPECT_EQ(page.integer("cursor"), old_head + 3);
    fleet.restart();
  }
  fleet.clock.advance(std::chrono::hours(24 * 31));
  fleet.upkeep().retain();
  const Answer empty = fleet.read(agent, 2);
  EXPECT_TRUE(empty.json["events"].empty());
  EXPECT_EQ(empty.integer("oldest"), old_head + 4) << "head + 1 when nothing is kept";
  fleet.restart();
  EXPECT_EQ(fleet.read(agent, old_head + 3).integer("cursor"), old_head + 3);
  narrate(fleet, agent, 1);
  EXPECT_EQ(fleet.head(), old_head + 4) << "new ids are higher";
}

TEST(Feed, AStartBeyondTheHeadIsAnsweredAtOnceWithTheHead) {  // acceptance 65
  Fleet fleet;
  const Agent agent = fleet.join();
  const std::int64_t head = fleet.head();
  for (const char* more : {"", "&wait=25"}) {
    const auto began = std::chrono::steady_clock::now();
    const Answer page = fleet.read(agent, head + 7, more);
    EXPECT_TRUE(page.json["events"].empty());
    EXPECT_EQ(page.integer("cursor"), head);
    EXPECT_LT(std::chrono::steady_clock::now() - began,
              robot_council::test::allowed(std::chrono::seconds(5)));
  }
}

TEST(Feed, ARestoredStoreHasAnotherEpochBelowTheReadersPosition) {  // acceptance 66
  Fleet fleet;
  const Agent agent = fleet.join();
  std::filesystem::copy_file(fleet.store_path(), fleet.directory / "copy.db");
  narrate(fleet, agent, 5);
  const Answer before = fleet.read(agent, 0);
  const std::int64_t position = before.integer("cursor");
  fleet.restart();
  const Answer plain = fleet.read(agent, position);
  EXPECT_NE(plain.integer("epoch"), before.integer("epoch"));
  EXPECT_GE(plain.integer("epoch_head"), position) << "a plain restart loses nothing";
  std::filesystem::copy_file(fleet.directory / "copy.db", fleet.store_path(),
                             std::filesystem::copy_options::overwrite_existing);
  fleet.restart();
  narrate(fleet, agent, 20);
  const Answer after = fleet.read(agent, position);
  EXPECT_NE(after.integer("epoch"), before.integer("epoch"));
  EXPECT_LT(after.integer("epoch_head"), position);
  EXPECT_GT(after.integer("cursor"), position) << "new events have taken the lost ids";
}

TEST(Feed, TheWindowInMemoryAndTheStoreTellTheSame) {
  Fleet fleet;
  const Agent agent = fleet.join();
  const Agent bea = fleet.foreign();
  narrate(fleet, agent, 40);
  fleet.post(api("directives"), fleet.coordinator().token,
             R"({"body":"go","meta":{"z":1,"a":[1,2]}})");
  const std::string near = fleet.read(bea, 0).body;
  fleet.restart();
  const std::string far = fleet.read(bea, 0).body;
  EXPECT_EQ(near.substr(0, near.find("\"epoch\"")), far.substr(0, far.find("\"epoch\"")));
}

}  // namespace
}  // namespace robot_council::fleet::test
