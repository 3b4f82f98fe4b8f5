// The MCP endpoint (service contract, 6).

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fleet/fleet_fixture.hpp"

namespace robot_council::fleet::test {
namespace {

Answer rpc(Fleet& fleet, const Agent& agent, const std::string& message) {
  return fleet.post(api("mcp"), agent.token, message);
}

std::string request(const std::string& method, const std::string& params = "") {
  return R"({"jsonrpc":"2.0","id":7,"method":")" + method + "\"" +
         (params.empty() ? "" : ",\"params\":" + params) + "}";
}

TEST(Mcp, ListsThe21ToolsInOrderBare) {  // acceptance 47
  Fleet fleet;
  const Agent agent = fleet.join();
  const Answer answer = rpc(fleet, agent, request("tools/list", R"({"cursor":"x","per_page":3})"));
  EXPECT_EQ(answer.status, 200);
  std::vector<std::string> names;
  for (const auto& tool : answer.json["result"]["tools"]) {
    names.push_back(tool["name"]);
    EXPECT_EQ(keys_of(tool), (std::vector<std::string>{"annotations", "description", "inputSchema",
                                                       "name", "title"}));
    EXPECT_EQ(tool["inputSchema"]["type"], "object");
    EXPECT_TRUE(tool["inputSchema"]["properties"].is_object());
    EXPECT_FALSE(tool["description"].get<std::string>().empty());
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "task_list",    "sessions_list",  "task_create",        "task_claim",
                       "task_start",   "task_block",     "task_complete",      "task_fail",
                       "task_release", "task_reassign",  "task_cancel",        "lock_acquire",
                       "lock_renew",   "lock_release",   "lock_force_release", "task_branch",
                       "events_read",  "events_narrate", "directive_post",     "presence_heartbeat",
                       "session_move"}));
  EXPECT_FALSE(answer.json["result"].contains("nextCursor"));
}

TEST(Mcp, SpeaksJsonRpc) {  // acceptance 48
  Fleet fleet;
  const Agent agent = fleet.join();
  const Answer bare = rpc(fleet, agent, request("tools/call", R"({"name":"presence_heartbeat"})"));
  EXPECT_EQ(bare.json["result"]["structuredContent"]["status"], "active");
  EXPECT_EQ(bare.json["id"], 7);
  const Answer notification =
      rpc(fleet, agent, R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  EXPECT_EQ(notification.status, 202);
  EXPECT_EQ(notification.body, "");
  EXPECT_EQ(rpc(fleet, agent, request("ping")).body, R"({"jsonrpc":"2.0","id":7,"result":{}})");
  const Answer unknown = rpc(fleet, agent, request("resources/list"));
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(unknown.json["error"]["code"], -32601);
  const Answer no_tool = rpc(fleet, agent, request("tools/call", R"({"name":"lane_list"})"));
  EXPECT_EQ(no_tool.status, 400);
  EXPECT_EQ(no_tool.json["error"]["code"], -32602);
  const Answer broken = rpc(fleet, agent, "{");
  EXPECT_EQ(broken.status, 400);
  EXPECT_EQ(broken.json["error"]["code"], -32700);
  EXPECT_TRUE(broken.json["id"].is_null());
  EXPECT_EQ(rpc(fleet, agent, "[" + request("ping") + "]").json["error"]["code"], -32600);
  const Answer text_id = rpc(fleet, agent, R"({"jsonrpc":"2.0","id":"a\u0062","method":"ping"})");
  EXPECT_NE(text_id.body.find(R"("id":"a\u0062")"), std::string::npos);
}

TEST(Mcp, InitializeNegotiates) {  // acceptance 48
  Fleet fleet;
  const Agent agent = fleet.join();
  const auto version = [&](const std::string& asked) {
    return rpc(fleet, agent,
               request("initialize", R"({"protocolVersion":")" + asked + R"(","capabilities":{}})"))
        .json["result"]["protocolVersion"]
        .get<std::string>();
  };
  EXPECT_EQ(version("2025-06-18"), "2025-06-18");
  EXPECT_EQ(version("2025-11-25"), "2025-11-25");
  EXPECT_EQ(version("2024-11-05"), "2025-11-25");
  const Answer answer = rpc(fleet, agent, request("initialize"));
  EXPECT_EQ(answer.json["result"]["capabilities"],
            base::Json::parse(R"({"tools":{"listChanged":false}})"));
  EXPECT_FALSE(answer.json["result"]["instructions"].get<std::string>().empty());
  EXPECT_TRUE(answer.json["result"]["serverInfo"].is_object());
}

TEST(Mcp, ADemandedVersionIsRefusedAndOtherMetaIgnored) {
  Fleet fleet;
  const Agent agent = fleet.join();
  const Answer refused =
      rpc(fleet, agent,
          request("tools/list",
                  R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-03-01"}})"));
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.json["error"]["code"], -32022);
  EXPECT_NE(refused.body.find("2025-11-25"), std::string::npos);
  EXPECT_NE(refused.body.find("2025-06-18"), std::string::npos);
  EXPECT_EQ(rpc(fleet, agent, request("tools/list", R"({"_meta":{"progressToken":1}})")).status,
            200);
}

TEST(Mcp, TheTextIsTheStructuredContent) {  // acceptance 49
  Fleet fleet;
  const Agent agent = fleet.join();
  for (const char* name : {"task_list", "sessions_list", "events_read", "presence_heartbeat"}) {
    const base::Json result = fleet.tool(agent, name);
    EXPECT_EQ(result["isError"], false);
    EXPECT_EQ(result["content"][0]["type"], "text");
    EXPECT_EQ(base::Json::parse(result["content"][0]["text"].get<std::string>()),
              result["structuredContent"])
        << name;
  }
}

TEST(Mcp, EachToolAndItsRestCallAgree) {  // acceptance 49
  Settings settings = Fleet::default_settings();
  settings.tasks_at_once = 16;
  // The same script once over REST and once over MCP: every answer and the whole feed are the same.
  struct Step {
    bool boss;
    std::string tool;
    std::string arguments;  // of the tool; REST gets them without task_id
    std::string method;
    std::string path;
  };
  const std::vector<Step> steps = {
      {false, "task_create", R"({"title":"t","priority":2})", "POST", "tasks"},
      {false, "task_create", R"({"title":""})", "POST", "tasks"},
      {false, "task_claim", R"({"task_id":1})", "POST", "tasks/1/claim"},
      {false, "task_start", R"({"task_id":1,"branch":"b"})", "POST", "tasks/1/start"},
      {false, "task_branch", R"({"task_id":1,"sub_label":"l"})", "POST", "tasks/1/branch"},
      {false, "task_block", R"({"task_id":1})", "POST", "tasks/1/block"},
      {false, "task_release", R"({"task_id":1})", "POST", "tasks/1/release"},
      {true, "task_reassign", R"({"task_id":1,"session_id":1,"directive":"d","hand_back":true})",
       "POST", "tasks/1/reassign"},
      {false, "task_complete", R"({"task_id":1,"result":{"k":1}})", "POST", "tasks/1/complete"},
      {false, "task_fail", R"({"task_id":1})", "POST", "tasks/1/fail"},
      {true, "task_cancel", R"({"task_id":9})", "POST", "tasks/9/cancel"},
      {false, "task_cancel", R"({"task_id":1})", "POST", "tasks/1/cancel"},
      {false, "lock_acquire", R"({"name":"n","ttl":60})", "POST", "locks/acquire"},
      {false, "lock_renew", R"({"name":"n","ttl":"60"})", "POST", "locks/renew"},
      {false, "lock_release", R"({"name":"n"})", "POST", "locks/release"},
      {true, "lock_force_release", R"({"name":"n"})", "POST", "locks/force-release"},
      {false, "events_narrate", R"({"body":"b","to":[2]})", "POST", "events"},
      {true, "directive_post", R"({"body":"b","targets":[1]})", "POST", "directives"},
      {false, "directive_post", R"({"body":"b"})", "POST", "directives"},
      {false, "session_move", R"({"repository":"o/n"})", "PATCH", "agent/session"},
      {false, "presence_heartbeat", "{}", "POST", "agent/heartbeat"},
      {false, "task_list", "{}", "GET", "tasks"},
      {false, "events_read", R"({"after":0})", "GET", "events?after=0"},
  };
  Fleet rest(settings);
  Fleet mcp(settings);
  const Agent rest_agent = rest.join("one", R"({"capacity":16})");
  const Agent mcp_agent = mcp.join("one", R"({"capacity":16})");
  const Agent rest_boss = rest.coordinator();
  const Agent mcp_boss = mcp.coordinator();
  for (const Step& step : steps) {
    base::Json arguments = base::Json::parse(step.arguments);
    arguments.erase("task_id");
    const Answer answer = rest.call(step.method, api(step.path),
                                    (step.boss ? rest_boss : rest_agent).token, arguments.dump());
    const base::Json result = mcp.tool(step.boss ? mcp_boss : mcp_agent, step.tool, step.arguments);
    EXPECT_EQ(result["isError"], answer.status >= 400)
        << step.tool << step.arguments << answer.body << result.dump();
    if (answer.status < 400) {
      base::Json structured = result["structuredContent"];
      base::Json body = answer.json;
      for (const char* own : {"epoch"}) {
        structured.erase(own);
        body.erase(own);
      }
      EXPECT_EQ(structured, body) << step.tool;
    } else {
      EXPECT_FALSE(result["content"][0]["text"].get<std::string>().empty()) << step.tool;
    }
  }
  EXPECT_EQ(rest.feed(), mcp.feed());
}

TEST(Mcp, ARefusalNamesTheFieldOrTheAbility) {
  Fleet fleet;
  const Agent agent = fleet.join();
  const auto text = [&](const std::string& tool, const std::string& arguments) {
    const base::Json result = fleet.tool(agent, tool, arguments);
    EXPECT_EQ(result["isError"], true);
    EXPECT_FALSE(result.contains("structuredContent"));
    return result["content"][0]["text"].get<std::string>();
  };
  EXPECT_NE(text("lock_acquire", R"({"ttl":60})").find("name"), std::string::npos);
  EXPECT_NE(text("task_claim", "{}").find("task id"), std::string::npos);
  EXPECT_NE(text("task_cancel", R"({"task_id":1})").find("coordinator:direct"), std::string::npos);
}

TEST(Mcp, SessionsListFiltersAndPages) {
  Fleet fleet;
  const Agent one =
      fleet.join("one", R"({"repository":"Owner/Name","platform":{"os_family":"Linux"}})");
  const Agent two = fleet.join("two");
  const Agent boss = fleet.coordinator("three");
  ASSERT_EQ(fleet.post(api("tasks"), one.token, R"({"title":"t"})").status, 201);
  ASSERT_EQ(fleet.post(api("tasks/1/claim"), one.token).status, 200);
  const auto list = [&](const std::string& arguments) {
    return fleet.tool(two, "sessions_list", arguments)["structuredContent"];
  };
  const base::Json first = list(R"({"limit":2})");
  ASSERT_EQ(first["sessions"].size(), 2U);
  EXPECT_EQ(first["sessions"][0]["id"], boss.id) << "newest first";
  EXPECT_EQ(first["cursor"], two.id);
  const base::Json second = list(R"({"limit":2,"after":)" + std::to_string(two.id) + "}");
  ASSERT_EQ(second["sessions"].size(), 1U);
  EXPECT_TRUE(second["cursor"].is_null());
  EXPECT_EQ(keys_of(second["sessions"][0]),
            (std::vector<std::string>{"arch", "capacity", "github_login", "harness", "id",
                                      "last_seen_at", "machine_label", "os_family", "repository",
                                      "role", "status", "tasks", "work_location"}));
  EXPECT_EQ(second["sessions"][0]["tasks"][0]["title"], "t");
  EXPECT_EQ(list(R"({"repository":"owner/name"})")["sessions"][0]["id"], one.id) << "without case";
  EXPECT_EQ(list(R"({"role":"coordinator"})")["sessions"].size(), 1U);
  EXPECT_EQ(list(R"({"os_family":"Linux"})")["sessions"].size(), 1U);
  EXPECT_EQ(list(R"({"role":"ci"})")["sessions"].size(), 0U);
}

}  // namespace
}  // namespace robot_council::fleet::test
