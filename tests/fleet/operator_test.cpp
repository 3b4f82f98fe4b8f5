// The operator's interface (service contract, 8.6).

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fleet/fleet_fixture.hpp"

namespace robot_council::fleet::test {
namespace {

TEST(Operator, TokensOfOperatorAndAgentsRefuseEachOther) {  // acceptance 59
  Fleet fleet;
  const Agent agent = fleet.join();
  for (const std::string& token : {agent.token, agent.installation_token, std::string()}) {
    EXPECT_EQ(fleet.get(api("operator/overview"), token).status, 401);
    EXPECT_EQ(fleet.post(api("operator/directives"), token, R"({"body":"b"})").status, 401);
  }
  EXPECT_EQ(fleet.get(api("agent/session"), fleet.operator_token).status, 401);
  EXPECT_EQ(fleet.post(api("sessions"), fleet.operator_token).status, 401);
}

TEST(Operator, SignInChecksTheToken) {
  Settings settings = Fleet::default_settings();
  settings.rate_limits_for_loopback = true;
  Fleet fleet(settings);
  const Answer good =
      fleet.post(api("operator/sign-in"), "", R"({"token":")" + fleet.operator_token + "\"}");
  EXPECT_EQ(good.status, 204);
  EXPECT_EQ(good.body, "");
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(fleet.post(api("operator/sign-in"), "", R"({"token":"x"})").status, 401);
  }
  EXPECT_EQ(fleet.post(api("operator/sign-in"), "", R"({"token":"x"})").status, 429);
  EXPECT_EQ(fleet.post(api("operator/sign-in"), "", R"({"token":")" + fleet.operator_token + "\"}")
                .status,
            204)
      << "the right token still passes";
  EXPECT_EQ(fleet.get(api("operator/overview"), "x").status, 429);
  EXPECT_EQ(fleet.see("overview").status, 200);
}

TEST(Operator, ADirectiveHasThePersonAsItsActor) {  // acceptance 60
  Fleet fleet;
  const Agent agent = fleet.join();
  const Answer posted =
      fleet.act("directives", R"({"body":"go on","targets":[)" + std::to_string(agent.id) + "]}");
  EXPECT_EQ(posted.status, 201);
  EXPECT_EQ(posted.text("type"), "directive");
  const base::Json event = fleet.last_event();
  EXPECT_EQ(event["id"], posted.integer("event_id"));
  EXPECT_EQ(
      event["actor"],
      base::Json::parse(R"({"session_id":null,"github_login":"ana","coordinator_direct":true})"));
  EXPECT_EQ(event["meta"], base::Json::parse(R"({"targets":[)" + std::to_string(agent.id) + "]}"));
  EXPECT_EQ(fleet.act("directives", R"({"body":"b","targets":[99]})").status, 422);
  EXPECT_EQ(fleet.act("directives", "{}").status, 422);
}

TEST(Operator, EachActWritesItsEventWithThePerson) {  // acceptance 60
  Fleet fleet;
  const Agent agent = fleet.join("one");
  const std::string session = "sessions/" + std::to_string(agent.id);
  struct Act {
    std::string target;
    std::string body;
    std::string event;
  };
  const std::vector<Act> acts = {
      {session + "/role", R"({"role":"ci","how":"imposed"})", "session.role_changed"},
      {session + "/revoke", "{}", "session.gone"},
      {"installations/" + std::to_string(agent.installation_id) + "/revoke", "{}",
       "installation.revoked"}};
  for (const Act& act : acts) {
    const std::int64_t head = fleet.head();
    EXPECT_EQ(fleet.act(act.target, act.body).status, 200) << act.target;
    const auto events = fleet.feed(head);
    ASSERT_EQ(types_of(events), (std::vector<std::string>{act.event}));
    EXPECT_EQ(events[0]["performed_by"]["github_login"], "ana");
    EXPECT_EQ(events[0]["actor"]["github_login"], "ana");
  }
}

TEST(Operator, RevokingAnswersTheSameAgain) {
  Fleet fleet;
  const Agent agent = fleet.join();
  const Agent second = fleet.start({agent.installation_id, agent.installation_token});
  ASSERT_EQ(fleet.post(api("locks/acquire"), agent.token, R"({"name":"n","ttl":60})").status, 200);
  const std::int64_t head = fleet.head();
  const std::string target = "installations/" + std::to_string(agent.installation_id) + "/revoke";
  const Answer revoked = fleet.act(target);
  EXPECT_EQ(revoked.json,
            base::Json::parse(R"({"installation_id":)" + std::to_string(agent.installation_id) +
                              R"(,"revoked":true,"sessions":[)" + std::to_string(agent.id) + "," +
                              std::to_string(second.id) + "]}"));
  EXPECT_EQ(types_of(fleet.feed(head)),
            (std::vector<std::string>{"installation.revoked", "session.gone", "lock.released",
                                      "session.gone"}));
  fleet.clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(fleet.act(target).body, revoked.body);
  const std::string session = "sessions/" + std::to_string(agent.id) + "/revoke";
  EXPECT_EQ(fleet.act(session).body,
            R"({"session_id":)" + std::to_string(agent.id) + R"(,"status":"gone"})");
  EXPECT_EQ(fleet.act("sessions/99/revoke").status, 404);
  EXPECT_EQ(fleet.act("installations/99/revoke").status, 404);
  EXPECT_EQ(fleet.act("sessions/abc/revoke").status, 404);
  EXPECT_EQ(
      fleet
          .act("sessions/" + std::to_string(agent.id) + "/role", R"({"role":"ci","how":"imposed"})")
          .status,
      409);
}

TEST(Operator, TheOverviewShowsTheFleet) {
  Fleet fleet;
  const Agent agent = fleet.join("one", R"({"repository":"o/n","capacity":2})");
  const Enrolled installation = fleet.enrol("two");
  fleet.start(installation, R"({"ephemeral":true})");
  const Answer code = fleet.post(
      api("device/code"), "",
      R"({"harness":"claude","machine_label":"one","requested_abilities":["tasks:create","events:post"],)"
      R"("code_challenge":")" +
          std::string(64, 'a') + "\"}");
  ASSERT_EQ(fleet.post(api("agent/role"), agent.token, R"({"role":"ci"})").status, 202);
  ASSERT_EQ(fleet.post(api("tasks"), agent.token, R"({"title":"t"})").status, 201);
  ASSERT_EQ(fleet.post(api("tasks/1/claim"), agent.token).status, 200);
  ASSERT_EQ(fleet.post(api("locks/acquire"), agent.token, R"({"name":"n","ttl":60})").status, 200);
  const Answer seen = fleet.see("overview");
  ASSERT_EQ(seen.status, 200);
  const base::Json& all = seen.json;
  EXPECT_EQ(keys_of(all), (std::vector<std::string>{
                              "counts", "cursor", "enrolments", "events", "installations", "locks",
                              "login", "role_requests", "sessions", "tasks", "time", "version"}));
  EXPECT_EQ(all["login"], "ana");
  ASSERT_EQ(all["sessions"].size(), 2U);
  const base::Json& session = all["sessions"][1];
  EXPECT_EQ(session["requested_role"], "ci");
  EXPECT_EQ(session["locks"], base::Json::parse(R"(["n"])"));
  EXPECT_EQ(session["tasks"][0]["title"], "t");
  EXPECT_EQ(session["declared_capacity"], 2);
  EXPECT_EQ(session["ephemeral"], false);
  EXPECT_EQ(all["sessions"][0]["ephemeral"], true);
  EXPECT_EQ(all["installations"].size(), 2U);
  ASSERT_EQ(all["enrolments"].size(), 1U);
  EXPECT_EQ(all["enrolments"][0]["user_code"], code.text("user_code"));
  EXPECT_EQ(all["enrolments"][0]["supersedes"], base::Json::array({agent.installation_id}));
  EXPECT_EQ(all["enrolments"][0]["requested_abilities"],
            base::Json::parse(R"(["tasks:create","events:post"])"));
  EXPECT_EQ(all["role_requests"][0]["to"], "ci");
  EXPECT_EQ(all["tasks"][0]["status"], "claimed");
  EXPECT_EQ(all["locks"][0]["name"], "n");
  EXPECT_EQ(all["counts"]["sessions"], 2);
  EXPECT_EQ(all["counts"]["tasks"]["claimed"], 1);
  EXPECT_EQ(all["counts"]["locks"], 1);
  EXPECT_EQ(all["events"].size(), static_cast<std::size_t>(all["cursor"].get<std::int64_t>()));
  EXPECT_EQ(seen.body.find(agent.token), std::string::npos);
}

TEST(Operator, ApproveAndDenyAreCountedForThePerson) {
  Settings settings = Fleet::default_settings();
  settings.rate_limits_for_loopback = true;
  Fleet fleet(settings);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(fleet.act("enrolments/BBBBBBBB/approve").status, 404);
  }
  EXPECT_EQ(fleet.act("enrolments/BBBBBBBB/approve").status, 429);
  EXPECT_EQ(fleet.see("overview").status, 200);
}

}  // namespace
}  // namespace robot_council::fleet::test
