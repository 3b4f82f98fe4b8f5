// Ground rules of the wire: tokens, errors, limits (service contract, 1).

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fleet/fleet_fixture.hpp"

namespace robot_council::fleet::test {
namespace {

Settings with_rates() {
  Settings settings = Fleet::default_settings();
  settings.rate_limits_for_loopback = true;
  return settings;
}

TEST(Ground, NoTokenAStrangerAndTheWrongKindAre401) {  // acceptance 1
  Fleet fleet;
  const Agent agent = fleet.join();
  struct Case {
    const char* method;
    std::string target;
    std::string token;
  };
  const std::vector<Case> cases = {
      {"GET", api("agent/session"), ""},
      {"GET", api("agent/session"), "rcs|" + std::string(64, '0')},
      {"GET", api("agent/session"), agent.installation_token},
      {"POST", api("sessions"), agent.token},
      {"POST", api("mcp"), agent.installation_token},
      {"GET", api("events"), ""},
      {"GET", api("operator/overview"), agent.token},
  };
  for (const Case& one : cases) {
    const Answer answer = fleet.call(one.method, one.target, one.token, "{}");
    EXPECT_EQ(answer.status, 401) << one.target << " " << one.token;
    EXPECT_EQ(answer.header("WWW-Authenticate"), "Bearer");
    EXPECT_FALSE(answer.text("message").empty());
  }
}

TEST(Ground, BuildMayNotDirect) {  // acceptance 2
  Fleet fleet;
  const Agent agent = fleet.join();
  const std::int64_t head = fleet.head();
  EXPECT_EQ(fleet.post(api("directives"), agent.token, R"({"body":"go"})").status, 403);
  const base::Json result = fleet.tool(agent, "directive_post", R"({"body":"go"})");
  EXPECT_EQ(base::get_bool(result, "isError"), true);
  EXPECT_NE(result["content"][0]["text"].get<std::string>().find("coordinator:direct"),
            std::string::npos);
  EXPECT_EQ(fleet.head(), head);
}

TEST(Ground, IdsInAPathAreOneToEighteenDigits) {  // acceptance 3
  Fleet fleet;
  const Agent agent = fleet.join();
  for (const char* id : {"abc", "1234567890123456789", "-1", "1.0"}) {
    EXPECT_EQ(fleet.post(api("tasks/" + std::string(id) + "/claim"), agent.token).status, 404)
        << id;
    EXPECT_EQ(
        fleet.call("DELETE", api("sessions/" + std::string(id)), agent.installation_token).status,
        404)
        << id;
  }
}

TEST(Ground, TwelveIsTheSameTaskInEverySpelling) {  // acceptance 3
  Fleet fleet;
  const Agent agent = fleet.join();
  ASSERT_EQ(fleet.post(api("tasks"), agent.token, R"({"title":"t"})").integer("task_id"), 1);
  for (const char* id : {"1", "1.0", "\"1\"", "\"1.0\""}) {
    const base::Json claimed =
        fleet.tool(agent, "task_claim", R"({"task_id":)" + std::string(id) + "}");
    EXPECT_EQ(base::get_integer(claimed["structuredContent"], "task_id"), 1)
        << id << claimed.dump();
    EXPECT_EQ(fleet.post(api("tasks/1/release"), agent.token).status, 200);
  }
  EXPECT_EQ(fleet.get(api("events?after=1.0&limit=1.0"), agent.token).status, 200);
}

TEST(Ground, The121stAgentCallInAMinuteIs429AndNoContact) {  // acceptance 4
  Fleet fleet(with_rates());
  const Agent agent = fleet.join("one");
  const Agent other = fleet.join("two");
  for (int i = 0; i < 120; ++i) {
    ASSERT_EQ(fleet.post(api("agent/heartbeat"), agent.token).status, 200) << i;
  }
  fleet.clock.advance(std::chrono::seconds(30));
  const Answer refused = fleet.post(api("agent/heartbeat"), agent.token);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.header("Retry-After"), "30");
  EXPECT_EQ(refused.header("X-RateLimit-Limit"), "120");
  EXPECT_EQ(refused.header("X-RateLimit-Remaining"), "0");
  EXPECT_EQ(
      fleet.post(api("mcp"), agent.token, R"({"jsonrpc":"2.0","id":1,"method":"ping"})").status,
      429);
  EXPECT_EQ(fleet.post(api("agent/heartbeat"), other.token).status, 200);
  EXPECT_LT(*fleet.core().presence.of(agent.id).contact, fleet.core().now())
      << "a refused call is no contact";
  fleet.clock.advance(std::chrono::seconds(31));
  EXPECT_EQ(fleet.post(api("agent/heartbeat"), agent.token).status, 200);
}

TEST(Ground, EachRateHasItsOwnCount) {
  Fleet fleet(with_rates());
  const Agent agent = fleet.join();
  for (int i = 0; i < 5; ++i) {
    EXPECT_NE(fleet.post(api("agent/role"), agent.token, R"({"role":"ci"})").status, 429);
  }
  EXPECT_EQ(fleet.post(api("agent/role"), agent.token, R"({"role":"ci"})").status, 429);
  EXPECT_EQ(fleet.post(api("agent/heartbeat"), agent.token).status, 200);
  for (int i = 0; i < 9; ++i) {  // one was spent by join()
    EXPECT_EQ(fleet.post(api("device/code"), "", "{}").status, 422);
  }
  EXPECT_EQ(fleet.post(api("device/code"), "", "{}").status, 429);
  const std::string pair = R"({"device_code":"x","code_verifier":")" + std::string(43, 'v') + "\"}";
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(fleet.post(api("device/token"), "", pair).status, 400);
  }
  EXPECT_EQ(fleet.post(api("device/token"), "", pair).status, 429);
  for (int i = 0; i < 59; ++i) {
    EXPECT_EQ(
        fleet.post(api("sessions/" + std::to_string(agent.id) + "/renew"), agent.installation_token)
            .status,
        200);
  }
  EXPECT_EQ(fleet.post(api("sessions"), agent.installation_token).status, 429);
}

TEST(Ground, AChosenRateReplacesTheDefault) {
  Settings settings = with_rates();
  settings.rates["agent"] = 2;
  Fleet fleet(settings);
  const Agent agent = fleet.join();
  EXPECT_EQ(fleet.post(api("agent/heartbeat"), agent.token).status, 200);
  EXPECT_EQ(fleet.post(api("agent/heartbeat"), agent.token).status, 200);
  EXPECT_EQ(fleet.post(api("agent/heartbeat"), agent.token).status, 429);
}

std::string object_of(std::size_t bytes) {
  const std::string frame = R"({"a":""})";
  return R"({"a":")" + std::string(bytes - frame.size(), 'x') + R"("})";
}

std::string nested(int levels) {
  std::string text;
  for (int i = 0; i < levels; ++i) {
    text += "{\"a\":";
  }
  return text + "1" + std::string(static_cast<std::size_t>(levels), '}');
}

TEST(Ground, SizesOfMetaAndBody) {  // acceptance 5
  Fleet fleet;
  const Agent agent = fleet.join();
  const auto narrate = [&](const std::string& meta) {
    return fleet.post(api("events"), agent.token, R"({"body":"b","meta":)" + meta + "}").status;
  };
  EXPECT_EQ(narrate(object_of(4096)), 201);
  EXPECT_EQ(narrate(object_of(4097)), 422);
  EXPECT_EQ(narrate(nested(8)), 201);
  EXPECT_EQ(narrate(nested(9)), 422);
  EXPECT_EQ(narrate("{}"), 201);
  EXPECT_TRUE(fleet.last_event()["meta"].is_null()) << "an empty meta is absent";
  std::string faces;
  for (int i = 0; i < 4000; ++i) {
    faces += "\xF0\x9F\x98\x80";
  }
  EXPECT_EQ(fleet.post(api("events"), agent.token, R"({"body":")" + faces + "\"}").status, 201);
  EXPECT_EQ(fleet.post(api("events"), agent.token, R"({"body":")" + faces + "x\"}").status, 422);
}

TEST(Ground, McpTakesPostOnlyAndWhatTheClientNeverCallsIsNotThere) {  // acceptance 6
  Fleet fleet;
  const Agent agent = fleet.join();
  for (const char* method : {"GET", "DELETE"}) {
    const Answer answer = fleet.call(method, api("mcp"), agent.token);
    EXPECT_EQ(answer.status, 405);
    EXPECT_EQ(answer.header("Allow"), "POST");
    EXPECT_EQ(fleet.call(method, api("mcp"), "").status, 401) << "the token comes first";
  }
  for (const char* path : {"lanes", "shortlist", "developers/settings", "owed-items", "gates/run",
                           "backlog/readings"}) {
    EXPECT_EQ(fleet.get(api(path), agent.token).status, 404) << path;
  }
}

TEST(Ground, ABodyThatIsNoJsonObjectIs422WithTheFieldsOfValidation) {
  Fleet fleet;
  const Agent agent = fleet.join();
  std::string deep = std::string(33, '[') + std::string(33, ']');
  for (const std::string& body :
       {std::string("{"), std::string("[1]"), std::string("7"), R"({"a":)" + deep + "}"}) {
    const Answer answer = fleet.post(api("tasks"), agent.token, body);
    EXPECT_EQ(answer.status, 422) << body;
    EXPECT_EQ(keys_of(answer.json), (std::vector<std::string>{"errors", "message"}));
  }
  EXPECT_EQ(fleet.post(api("agent/heartbeat"), agent.token, "").status, 200)
      << "an empty body is {}";
  const Answer two = fleet.post(api("locks/acquire"), agent.token, "{}");
  EXPECT_EQ(two.status, 422);
  EXPECT_NE(two.text("message").find("(and 1 more error)"), std::string::npos);
  EXPECT_EQ(keys_of(two.json["errors"]), (std::vector<std::string>{"name", "ttl"}));
}

TEST(Ground, ADeveloperTakenOffTheListIs403AtTheNextRequest) {
  Fleet fleet;
  const Agent agent = fleet.join();
  (void)fleet.core().write([](Unit& unit) {
    unit.tx.execute("UPDATE developers SET allowed = 0", {});
    return ok({});
  });
  EXPECT_EQ(fleet.get(api("agent/session"), agent.token).status, 403);
  EXPECT_EQ(fleet.post(api("sessions"), agent.installation_token).status, 403);
}

TEST(Ground, TokensExpire) {
  Fleet fleet;
  const Agent agent = fleet.join();
  fleet.clock.advance(std::chrono::seconds(3599));
  EXPECT_EQ(fleet.get(api("agent/session"), agent.token).status, 200);
  fleet.clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(fleet.get(api("agent/session"), agent.token).status, 401);
  fleet.clock.advance(std::chrono::hours(24 * 30));
  EXPECT_EQ(fleet.post(api("sessions"), agent.installation_token).status, 401);
}

TEST(Ground, HealthNeedsNoToken) {
  Fleet fleet;
  const Answer health = fleet.get("/healthz", "");
  EXPECT_EQ(health.status, 200);
  EXPECT_EQ(health.text("status"), "ok");
  EXPECT_EQ(health.json["store"]["kind"], "sqlite");
  EXPECT_EQ(health.json["store"]["state"], "ok");
}

TEST(Ground, TheHeadIsGuarded) {  // acceptance 56
  Fleet fleet;
  const std::string host = "Host: 127.0.0.1:" + std::to_string(fleet.port()) + "\r\n";
  const auto status = [&](const std::string& request) { return fleet.raw(request).substr(9, 3); };
  EXPECT_EQ(status("GET /healthz HTTP/1.1\r\n" + host + "\r\n"), "200");
  EXPECT_EQ(status("GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n"), "421");
  EXPECT_EQ(status("POST /robot-council/api/sessions HTTP/1.1\r\n" + host +
                   "Origin: http://evil.example\r\nContent-Length: 2\r\n\r\n{}"),
            "403");
  EXPECT_EQ(status("POST /robot-council/api/sessions HTTP/1.1\r\n" + host +
                   "Content-Length: 65537\r\n\r\n"),
            "413");
  EXPECT_EQ(status("POST /robot-council/api/sessions HTTP/1.1\r\n" + host +
                   "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            "501");
}

TEST(Ground, NoExceptionTextLeaves) {
  Fleet fleet;
  const Agent agent = fleet.join();
  (void)fleet.core().write([](Unit& unit) {
    unit.tx.execute("DROP TABLE locks", {});
    return ok({});
  });
  const Answer answer = fleet.post(api("locks/acquire"), agent.token, R"({"name":"n","ttl":60})");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body.find("locks"), std::string::npos);
  EXPECT_TRUE(fleet.log.contains("no such table")) << "the reason is in the log";
}

TEST(Ground, TimesHaveWholeSecondsAndANumericOffset) {
  Fleet fleet;
  fleet.join();
  EXPECT_EQ(fleet.last_event()["created_at"], "2026-11-30T06:00:00+00:00");
}

}  // namespace
}  // namespace robot_council::fleet::test
