// Sessions, presence, roles (service contract, 3).

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fleet/fleet_fixture.hpp"

namespace robot_council::fleet::test {
namespace {

TEST(Sessions, ABareStartIsBuildAndStandsAtItsOwnJoining) {  // acceptance 13
  Fleet fleet;
  const Agent first = fleet.join("one");
  const Enrolled installation = fleet.enrol("two");
  const Answer started = fleet.post(api("sessions"), installation.token, "");
  EXPECT_EQ(started.status, 201);
  EXPECT_EQ(keys_of(started.json),
            (std::vector<std::string>{"abilities", "capacity", "declared_capacity", "expires_in",
                                      "feed_cursor", "session_id", "token"}));
  EXPECT_EQ(started.json["abilities"],
            base::Json::parse(R"(["tasks:create","tasks:claim","locks:acquire","events:post"])"));
  EXPECT_EQ(started.integer("expires_in"), 3600);
  EXPECT_TRUE(started.json["declared_capacity"].is_null());
  const base::Json joined = fleet.last_event();
  EXPECT_EQ(type_of(joined), "session.joined");
  EXPECT_EQ(started.integer("feed_cursor"), base::get_integer(joined, "id"));
  EXPECT_EQ(joined["body"], "claude on two started a session.");
  EXPECT_EQ(keys_of(joined["meta"]),
            (std::vector<std::string>{"arch", "declared_capacity", "installation_id", "os_family",
                                      "repository", "work_location"}));
  const Agent second{started.integer("session_id"), started.text("token"), 0, "",
                     started.integer("feed_cursor")};
  EXPECT_TRUE(fleet.all_events(second, second.feed_cursor).empty());
  EXPECT_EQ(types_of(fleet.all_events(first, first.feed_cursor)),
            (std::vector<std::string>{"session.joined"}));
}

TEST(Sessions, CapacityIsCutAt16AndAtTheSeat) {  // acceptance 14
  Settings settings = Fleet::default_settings();
  settings.tasks_at_once = 3;
  Fleet fleet(settings);
  const Enrolled installation = fleet.enrol();
  const auto start = [&](const std::string& capacity) {
    return fleet.post(api("sessions"), installation.token, R"({"capacity":)" + capacity + "}");
  };
  EXPECT_EQ(start("99").integer("declared_capacity"), 16);
  EXPECT_EQ(start("99").integer("capacity"), 3);
  EXPECT_EQ(start("2").integer("capacity"), 2);
  EXPECT_EQ(start("0").status, 422);
  EXPECT_EQ(start("1.5").status, 422);
}

TEST(Sessions, AnEphemeralOneLeavesNoTraceInTheFeedOrTheList) {  // acceptance 15
  Fleet fleet;
  const Agent watcher = fleet.join("one");
  const Enrolled installation = fleet.enrol("two");
  EXPECT_EQ(fleet.post(api("sessions"), installation.token, R"({"ephemeral":"true"})").status, 422);
  EXPECT_EQ(fleet.post(api("sessions"), installation.token, R"({"ephemeral":null})").status, 422);
  const std::int64_t head = fleet.head();
  for (const char* yes : {"true", "1", "\"1\""}) {
    const Agent ghost = fleet.start(installation, R"({"ephemeral":)" + std::string(yes) + "}");
    EXPECT_EQ(ghost.feed_cursor, head);
    EXPECT_EQ(
        fleet.call("PATCH", api("agent/session"), ghost.token, R"({"repository":"o/n"})").status,
        200);
    EXPECT_EQ(
        fleet.call("DELETE", api("sessions/" + std::to_string(ghost.id)), ghost.installation_token)
            .status,
        200);
  }
  const Agent silent = fleet.start(installation, R"({"ephemeral":true})");
  EXPECT_EQ(fleet.head(), head);
  const base::Json listed = fleet.tool(watcher, "sessions_list");
  EXPECT_EQ(listed["structuredContent"]["sessions"].size(), 1U);
  fleet.post(api("agent/heartbeat"), watcher.token);
  fleet.pass(3600);
  EXPECT_EQ(fleet.get(api("agent/session"), silent.token).status, 401);
  for (const auto& event : fleet.feed(head)) {
    EXPECT_EQ(event["actor"]["session_id"], watcher.id) << event.dump();
  }
}

TEST(Sessions, RenewReplacesTheToken) {  // acceptance 16
  Fleet fleet;
  const Agent agent = fleet.join("one");
  const Agent other = fleet.join("two");
  const std::string path = api("sessions/" + std::to_string(agent.id));
  const Answer renewed = fleet.post(path + "/renew", agent.installation_token);
  EXPECT_EQ(renewed.status, 200);
  EXPECT_EQ(
      keys_of(renewed.json),
      (std::vector<std::string>{"abilities", "expires_in", "feed_cursor", "session_id", "token"}));
  EXPECT_EQ(fleet.get(api("agent/session"), agent.token).status, 401);
  EXPECT_EQ(fleet.get(api("agent/session"), renewed.text("token")).status, 200);
  EXPECT_EQ(fleet.post(path + "/renew", other.installation_token).status, 403);
  EXPECT_EQ(fleet.post(api("sessions/999/renew"), agent.installation_token).status, 404);
  EXPECT_EQ(fleet.call("DELETE", path, agent.installation_token).status, 200);
  EXPECT_EQ(fleet.post(path + "/renew", agent.installation_token).status, 409);
}

TEST(Sessions, DeleteFreesEverythingBeforeItsAnswer) {  // acceptance 17
  Fleet fleet;
  const Agent agent = fleet.join("one");
  const Agent other = fleet.join("two");
  ASSERT_EQ(fleet.post(api("tasks"), agent.token, R"({"title":"t"})").integer("task_id"), 1);
  ASSERT_EQ(fleet.post(api("tasks/1/claim"), agent.token).status, 200);
  ASSERT_EQ(fleet.post(api("locks/acquire"), agent.token, R"({"name":"n","ttl":60})").status, 200);
  const std::int64_t head = fleet.head();
  const std::string path = api("sessions/" + std::to_string(agent.id));
  EXPECT_EQ(fleet.call("DELETE", path, other.installation_token).status, 403);
  const Answer ended = fleet.call("DELETE", path, agent.installation_token);
  EXPECT_EQ(ended.body, R"({"session_id":)" + std::to_string(agent.id) + R"(,"status":"gone"})");
  EXPECT_EQ(fleet.get(api("agent/session"), agent.token).status, 401);
  EXPECT_EQ(fleet.post(api("tasks/1/claim"), other.token).status, 200);
  EXPECT_EQ(fleet.post(api("locks/acquire"), other.token, R"({"name":"n","ttl":60})").status, 200);
  EXPECT_EQ(fleet.call("DELETE", path, agent.installation_token).body, ended.body);
  const auto events = fleet.feed(head);
  ASSERT_EQ(types_of(events),
            (std::vector<std::string>{"session.gone", "task.released", "lock.released",
                                      "task.claimed", "lock.acquired"}));
  EXPECT_EQ(events[0]["meta"]["reason"], "ended");
  EXPECT_EQ(events[1]["meta"]["released_from"], agent.id);
  EXPECT_EQ(events[1]["actor"]["session_id"], nullptr);
  EXPECT_EQ(events[1]["actor"]["github_login"], nullptr);
  EXPECT_EQ(events[2]["meta"]["released_from"], agent.id);
}

TEST(Presence, SilenceMakesStaleThenGone) {  // acceptance 18
  Fleet fleet;
  const Agent agent = fleet.join();
  ASSERT_EQ(fleet.post(api("tasks"), agent.token, R"({"title":"t"})").status, 201);
  ASSERT_EQ(fleet.post(api("tasks/1/claim"), agent.token).status, 200);
  std::int64_t head = fleet.head();
  fleet.pass(240);
  EXPECT_EQ(fleet.head(), head);
  fleet.pass(60);
  auto events = fleet.feed(head);
  ASSERT_EQ(types_of(events), (std::vector<std::string>{"session.stale"}));
  EXPECT_EQ(events[0]["meta"]["quiet_since"], "2026-11-30T06:00:00+00:00");
  EXPECT_EQ(events[0]["actor"]["session_id"], agent.id);
  EXPECT_EQ(fleet.see("overview").json["tasks"][0]["status"], "claimed")
      << "a stale session keeps what it holds";
  const Answer beat = fleet.post(api("agent/heartbeat"), agent.token);
  EXPECT_EQ(beat.text("status"), "active");
  EXPECT_EQ(beat.integer("stale_in"), 300);
  EXPECT_EQ(beat.integer("gone_in"), 1800);
  EXPECT_EQ(type_of(fleet.last_event()), "session.resumed");
  head = fleet.head();
  fleet.pass(1740);
  EXPECT_EQ(types_of(fleet.feed(head)), (std::vector<std::string>{"session.stale"}));
  fleet.pass(60);
  events = fleet.feed(head);
  ASSERT_EQ(types_of(events),
            (std::vector<std::string>{"session.stale", "session.gone", "task.released"}));
  EXPECT_EQ(events[1]["meta"]["reason"], "timeout");
  EXPECT_EQ(fleet.get(api("agent/session"), agent.token).status, 401);
  fleet.pass(120);
  EXPECT_EQ(fleet.feed(head).size(), 3U) << "sweeps repeat safely";
}

TEST(Presence, OneSilentForHalfAnHourIsGoneWithoutBeingStaleInThatSweep) {  // acceptance 18
  Fleet fleet;
  const Agent agent = fleet.join();
  const std::int64_t head = fleet.head();
  (void)fleet.core().write([](Unit& unit) {
    unit.tx.execute("UPDATE sessions SET contact_at = ?", {unit.now - 1900 * kSecond});
    return ok({});
  });
  fleet.upkeep().sweep();
  EXPECT_EQ(types_of(fleet.feed(head)), (std::vector<std::string>{"session.gone"}));
  EXPECT_EQ(fleet.get(api("agent/session"), agent.token).status, 401);
}

TEST(Presence, OneFailingReleaseDoesNotKeepTheOthers) {  // acceptance 19
  Fleet fleet;
  const Agent bad = fleet.join("one");
  const Agent good = fleet.join("two");
  for (const Agent* agent : {&bad, &good}) {
    ASSERT_EQ(fleet
                  .post(api("locks/acquire"), agent->token,
                        R"({"name":"n)" + std::to_string(agent->id) + R"(","ttl":60})")
                  .status,
              200);
  }
  fleet.upkeep().flush_contacts();
  (void)fleet.core().write([&](Unit& unit) {
    unit.tx.execute("CREATE TRIGGER broken BEFORE UPDATE ON locks WHEN OLD.name = 'n" +
                        std::to_string(bad.id) + "' BEGIN SELECT RAISE(ABORT, 'broken'); END",
                    {});
    unit.tx.execute("UPDATE sessions SET contact_at = ?", {unit.now - 1900 * kSecond});
    return ok({});
  });
  fleet.upkeep().sweep();
  const base::Json locks = fleet.see("overview").json["locks"];
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks[0]["session_id"], bad.id);
  EXPECT_TRUE(fleet.log.contains("the next sweep tries again"));
  (void)fleet.core().write([](Unit& unit) {
    unit.tx.execute("DROP TRIGGER broken", {});
    return ok({});
  });
  fleet.upkeep().sweep();
  EXPECT_TRUE(fleet.see("overview").json["locks"].empty());
}

TEST(Presence, PatchOfTheSamePlaceWritesNoEvent) {  // acceptance 20
  Fleet fleet;
  const Agent agent = fleet.join("laptop", R"({"repository":"o/n","work_location":"main"})");
  const std::int64_t head = fleet.head();
  const auto patch = [&](const std::string& body) {
    return fleet.call("PATCH", api("agent/session"), agent.token, body);
  };
  const Answer same = patch(R"({"repository":"o/n"})");
  EXPECT_EQ(same.status, 200);
  EXPECT_EQ(same.json["applied"], true);
  EXPECT_EQ(fleet.head(), head);
  for (const char* body :
       {R"({"repository":null})", R"({"repository":" "})", "{}", R"({"work_location":"A/b"})"}) {
    EXPECT_EQ(patch(body).status, 422) << body;
  }
  EXPECT_EQ(patch(R"({"work_location":"other"})").text("repository"), "o/n");
  const base::Json moved = fleet.last_event();
  EXPECT_EQ(type_of(moved), "session.moved");
  EXPECT_EQ(moved["meta"]["from_work_location"], "main");
  EXPECT_EQ(moved["meta"]["to_work_location"], "other");
  EXPECT_EQ(moved["meta"]["to_repository"], "o/n");
}

TEST(Sessions, ShowsWhatItIs) {
  Fleet fleet;
  const Agent agent = fleet.join(
      "laptop",
      R"({"project_id":"o/n/loc","platform":{"os_family":"Linux","arch":null},"capacity":4})");
  const Answer shown = fleet.get(api("agent/session"), agent.token);
  EXPECT_EQ(keys_of(shown.json),
            (std::vector<std::string>{"abilities", "capacity", "declared_capacity", "feed_cursor",
                                      "fleet_can_direct", "installation_id", "repository",
                                      "requested_role", "role", "session_id", "status",
                                      "work_location"}));
  EXPECT_EQ(shown.text("repository"), "o/n");
  EXPECT_EQ(shown.text("work_location"), "loc");
  EXPECT_EQ(shown.integer("declared_capacity"), 4);
  EXPECT_EQ(shown.integer("capacity"), 1);
  EXPECT_EQ(shown.json["fleet_can_direct"], false);
  fleet.coordinator();
  EXPECT_EQ(fleet.get(api("agent/session"), agent.token).json["fleet_can_direct"], true);
}

TEST(Sessions, AStartWithAWrongPlatformNamesTheField) {
  Fleet fleet;
  const Enrolled installation = fleet.enrol();
  const Answer refused =
      fleet.post(api("sessions"), installation.token, R"({"platform":{"os_family":"linux"}})");
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(keys_of(refused.json["errors"]), (std::vector<std::string>{"platform.os_family"}));
  EXPECT_EQ(fleet
                .post(api("sessions"), installation.token,
                      R"({"platform":{"os_family":"Linux","kernel":"6"}})")
                .status,
            422);
  EXPECT_EQ(
      fleet.post(api("sessions"), installation.token, R"({"project_id":"just-a-name"})").status,
      201);
}

TEST(Roles, ApprovalReachesTheLiveToken) {  // acceptance 21
  Fleet fleet;
  const Agent agent = fleet.join();
  const Answer asked = fleet.post(api("agent/role"), agent.token, R"({"role":"coordinator"})");
  EXPECT_EQ(asked.status, 202);
  EXPECT_EQ(asked.json,
            base::Json::parse(R"({"session_id":)" + std::to_string(agent.id) +
                              R"(,"pending":true,"requested_role":"coordinator","role":"build"})"));
  EXPECT_EQ(type_of(fleet.last_event()), "session.role_requested");
  EXPECT_EQ(fleet.post(api("directives"), agent.token, R"({"body":"go"})").status, 403)
      << "asking changes nothing";
  const std::string path = "sessions/" + std::to_string(agent.id) + "/role";
  const Answer approved = fleet.act(path, R"({"role":"coordinator","how":"approved"})");
  EXPECT_EQ(approved.json["applied"], true);
  const base::Json changed = fleet.last_event();
  EXPECT_EQ(type_of(changed), "session.role_changed");
  EXPECT_EQ(changed["meta"]["how"], "approved");
  EXPECT_EQ(changed["performed_by"]["github_login"], "ana");
  EXPECT_EQ(fleet.post(api("directives"), agent.token, R"({"body":"go"})").status, 201)
      << "the same token directs";
  EXPECT_EQ(fleet.act(path, R"({"role":"coordinator","how":"approved"})").json["applied"], false);
  const Answer unknown = fleet.post(api("agent/role"), agent.token, R"({"role":"boss"})");
  EXPECT_EQ(unknown.status, 422);
  for (const char* role : {"build", "ci", "coordinator"}) {
    EXPECT_NE(unknown.text("message").find(role), std::string::npos);
  }
}

TEST(Roles, AskingForTheHeldRoleWithdraws) {  // acceptance 22
  Fleet fleet;
  const Agent agent = fleet.join();
  const std::string path = "sessions/" + std::to_string(agent.id) + "/role";
  ASSERT_EQ(fleet.post(api("agent/role"), agent.token, R"({"role":"ci"})").status, 202);
  const Answer withdrawn = fleet.post(api("agent/role"), agent.token, R"({"role":"build"})");
  EXPECT_EQ(withdrawn.status, 200);
  EXPECT_EQ(withdrawn.json["pending"], false);
  EXPECT_TRUE(withdrawn.json["requested_role"].is_null());
  const base::Json event = fleet.last_event();
  EXPECT_EQ(type_of(event), "session.role_withdrawn");
  EXPECT_EQ(event["meta"]["withdrawn"], "ci");
  EXPECT_EQ(event["meta"]["stays"], "build");
  EXPECT_EQ(fleet.act(path, R"({"role":"ci","how":"approved"})").status, 409);
  ASSERT_EQ(fleet.post(api("agent/role"), agent.token, R"({"role":"ci"})").status, 202);
  ASSERT_EQ(fleet.post(api("agent/role"), agent.token, R"({"role":"coordinator"})").status, 202);
  EXPECT_EQ(fleet.act(path, R"({"role":"ci","how":"approved"})").status, 409)
      << "only the role shown";
}

TEST(Roles, DenialSaysWhatStays) {  // acceptance 23
  Fleet fleet;
  const Agent agent = fleet.join();
  ASSERT_EQ(fleet.post(api("agent/role"), agent.token, R"({"role":"coordinator"})").status, 202);
  const std::string path = "sessions/" + std::to_string(agent.id) + "/role/deny";
  EXPECT_EQ(fleet.act(path).status, 200);
  const base::Json denied = fleet.last_event();
  EXPECT_EQ(type_of(denied), "session.role_requested");
  EXPECT_EQ(denied["meta"]["refused"], "coordinator");
  EXPECT_EQ(denied["meta"]["stays"], "build");
  EXPECT_FALSE(denied["meta"].contains("from"));
  EXPECT_EQ(fleet.act(path).status, 409);
  const Agent again = fleet.start({agent.installation_id, agent.installation_token});
  EXPECT_EQ(fleet.get(api("agent/session"), again.token).text("role"), "build");
}

TEST(Presence, AfterTwoHoursStoppedSessionsSurviveTheFirstSweep) {  // acceptance 24
  Fleet fleet;
  const Agent agent = fleet.join();
  (void)fleet.core().write([](Unit& unit) {
    unit.tx.execute("UPDATE sessions SET token_expires_at = ?", {unit.now + kDay});
    return ok({});
  });
  fleet.clock.advance(std::chrono::hours(2));
  fleet.restart();
  fleet.upkeep().sweep();
  EXPECT_EQ(fleet.get(api("agent/session"), agent.token).status, 200);
}

TEST(Presence, AMachineThatSleptEndsNoSession) {
  Fleet fleet;
  const Agent agent = fleet.join();
  fleet.upkeep().sweep();
  const std::int64_t head = fleet.head();
  fleet.clock.sleep_machine(std::chrono::minutes(50));
  fleet.upkeep().sweep();
  EXPECT_EQ(fleet.head(), head);
  EXPECT_EQ(fleet.get(api("agent/session"), agent.token).status, 200);
}

TEST(Presence, ContactWaitsInMemoryAndIsWrittenByTheTimer) {
  Fleet fleet;
  const Agent agent = fleet.join();
  fleet.clock.advance(std::chrono::seconds(100));
  ASSERT_EQ(fleet.post(api("agent/heartbeat"), agent.token).status, 200);
  const auto stored = [&] {
    std::int64_t at = 0;
    (void)fleet.core().read([&](Unit& unit) {
      at = unit.tx.first("SELECT contact_at FROM sessions WHERE id = ?", {agent.id})->integer(0);
      return ok({});
    });
    return at;
  };
  EXPECT_LT(stored(), fleet.core().now());
  EXPECT_TRUE(fleet.core().presence.dirty());
  fleet.upkeep().flush_contacts();
  EXPECT_EQ(stored(), fleet.core().now());
  EXPECT_FALSE(fleet.core().presence.dirty());
}

TEST(Presence, AWatcherIsShownToTheOperator) {
  Fleet fleet;
  const Agent agent = fleet.join();
  const auto state = [&] {
    return fleet.see("overview").json["sessions"][0]["watcher"].get<std::string>();
  };
  EXPECT_EQ(state(), "absent");
  const Answer watching = fleet.post(api("agent/watcher"), agent.token);
  EXPECT_EQ(watching.json["watching"], true);
  EXPECT_EQ(state(), "alive");
  fleet.clock.advance(std::chrono::seconds(91));
  EXPECT_EQ(state(), "stale");
  fleet.clock.advance(std::chrono::minutes(15));
  EXPECT_EQ(state(), "unknown");
  fleet.read(agent, 0);
  EXPECT_EQ(state(), "alive") << "feed reads count too";
}

}  // namespace
}  // namespace robot_council::fleet::test
