// Calls between harness and service.

#include <algorithm>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "base/json_scan.hpp"
#include "bridge/texts.hpp"
#include "tests/bridge/bridge_fixture.hpp"

namespace robot_council::test {
namespace {

namespace text = bridge::text;
using ForwardTest = BridgeTest;

FleetReply hanging() {
  return {200, "", {}, false, true, false};
}

// 66, service contract 63: nothing of our own is added
TEST_F(ForwardTest, TheLinesBytesGoOutWithTheSessionsToken) {
  start_joined();
  const std::string line =
      R"({"method":"tools/call", "jsonrpc":"2.0",  "id":1.0,"params":{"name":"task_list","arguments":{"x":1e400}}})";
  harness_->send(line);
  EXPECT_NE(harness_->answer("1.0"), "");
  const FleetRequest call = fleet_.requests("POST mcp").back();
  EXPECT_EQ(call.body, line);
  EXPECT_EQ(call.token, "S|1");
  EXPECT_EQ(call.headers.at("accept"), "application/json, text/event-stream");
  EXPECT_EQ(call.headers.at("content-type"), "application/json");
  for (const auto& [name, value] : call.headers) {
    EXPECT_NE(name.rfind("mcp", 0), 0U) << name;
  }
  for (const FleetRequest& request : fleet_.requests()) {
    const bool by_installation = request.path.rfind("sessions", 0) == 0;
    EXPECT_EQ(request.token.substr(0, 1), by_installation ? "I" : "S") << request.path;
  }
}

// 67, 68, case M09
TEST_F(ForwardTest, EightStuckCallsLeaveTheNinthWaitingAndNothingElse) {
  options_.timings.heartbeat = base::Milliseconds(100);
  start_joined();
  fleet_.on("POST mcp", [](const FleetRequest& request) -> std::optional<FleetReply> {
    return request.body.find("\"stuck\"") == std::string::npos ? std::optional<FleetReply>()
                                                               : hanging();
  });
  const std::size_t before = fleet_.count("POST mcp");
  for (int i = 0; i < 9; ++i) {
    harness_->call(std::to_string(100 + i), "stuck");
  }
  ASSERT_TRUE(fleet_.wait_for("POST mcp", before + 8));
  harness_->request("1", "ping");
  EXPECT_NE(harness_->answer("1"), "");
  fleet_.directive();
  EXPECT_TRUE(wait_rows(1));
  EXPECT_TRUE(fleet_.wait_for("POST agent/heartbeat", 2));
  std::vector<FleetRequest> calls = fleet_.requests("POST mcp");
  ASSERT_EQ(calls.size(), before + 8);
  std::sort(calls.begin(), calls.end(), [](const FleetRequest& a, const FleetRequest& b) {
    return a.connection < b.connection;
  });
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(base::json_member(calls.at(before + i).body, "id"), std::to_string(100 + i));
  }
  // 80: a cancelled call closes its connection and gives its place free
  harness_->send(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":103}})");
  EXPECT_TRUE(fleet_.wait_for("POST mcp", before + 9));
  EXPECT_EQ(harness_->count(R"("id":103)"), 0U);
  EXPECT_EQ(fleet_.requests("POST mcp").back().body.find("cancelled"), std::string::npos);
}

// 68: one stuck call delays no other
TEST_F(ForwardTest, AnswersComeAsTheyAreReady) {
  start_joined();
  fleet_.on("POST mcp", [](const FleetRequest& request) -> std::optional<FleetReply> {
    return request.body.find("\"stuck\"") == std::string::npos ? std::optional<FleetReply>()
                                                               : hanging();
  });
  harness_->call("1", "stuck");
  harness_->call("2", "task_list");
  EXPECT_EQ(harness_->text_of("2"), "ok");
  EXPECT_EQ(harness_->count(R"("id":1,)"), 0U);
}

// 80: a waiting call
TEST_F(ForwardTest, AnUnknownIdInACancelIsIgnored) {
  start_joined();
  harness_->send(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"nobody"}})");
  harness_->call("2", "task_list");
  EXPECT_EQ(harness_->text_of("2"), "ok");
  EXPECT_EQ(fleet_.requests("POST mcp").size(), 2U);
}

// 69
TEST_F(ForwardTest, ARefusedTokenIsRenewedOnceAndTheCallSentAgain) {
  start_joined();
  fleet_.expire_token();
  harness_->call("2", "task_list");
  EXPECT_EQ(harness_->text_of("2"), "ok");
  EXPECT_EQ(fleet_.count("POST sessions/41/renew"), 1U);
  EXPECT_EQ(fleet_.requests("POST mcp").back().token, "S|2");
}

// 70
TEST_F(ForwardTest, EightCallsRefusedAtOnceShareOneRenewal) {
  options_.timings.heartbeat = base::Milliseconds(600000);
  start_joined();
  // None is refused before all eight were sent with the old token.
  const std::size_t before = fleet_.count("POST mcp");
  fleet_.on("POST mcp", [this, before](const FleetRequest& request) -> std::optional<FleetReply> {
    if (request.token != "S|1") {
      return std::nullopt;
    }
    EXPECT_TRUE(fleet_.wait_for("POST mcp", before + 8));
    return FleetReply{401, R"({"message":"expired"})", {}};
  });
  for (int i = 0; i < 8; ++i) {
    harness_->call(std::to_string(100 + i), "task_list");
  }
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(harness_->text_of(std::to_string(100 + i)), "ok");
  }
  EXPECT_EQ(fleet_.count("POST mcp"), before + 16);
  EXPECT_EQ(fleet_.count("POST sessions/41/renew"), 1U);
}

// 71
TEST_F(ForwardTest, ASecondRefusalIsToldAndTheNextCallWorks) {
  start_joined();
  fleet_.once("POST mcp", FleetReply{401, "{}", {}}, 2);
  harness_->call("2", "task_list");
  EXPECT_NE(harness_->answer("2").find(text::kRefusedAgain), std::string::npos);
  harness_->call("3", "task_list");
  EXPECT_EQ(harness_->text_of("3"), "ok");
}

// 76
TEST_F(ForwardTest, ABusyServiceIsAskedOnceMore) {
  start_joined();
  fleet_.once("POST mcp", FleetReply{429, "{}", {{"Retry-After", "1"}}});
  const base::SteadyTime begun = std::chrono::steady_clock::now();
  harness_->call("2", "task_list");
  EXPECT_EQ(harness_->text_of("2"), "ok");
  EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(950));
  fleet_.once("POST mcp", FleetReply{503, "{}", {{"Retry-After", "60"}}});
  harness_->call("3", "task_list");
  EXPECT_NE(harness_->answer("3", base::Milliseconds(900)).find("The service answered HTTP 503."),
            std::string::npos);
}

// 80: also while it waits for a busy service or for a new token
TEST_F(ForwardTest, ACallThatWaitsToBeSentAgainCanBeCancelled) {
  start_joined();
  fleet_.once("POST mcp", FleetReply{503, "{}", {{"Retry-After", "5"}}});
  harness_->call("2", "task_list");
  ASSERT_TRUE(fleet_.wait_for("POST mcp", 2));
  harness_->send(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})");
  fleet_.on("POST sessions/41/renew", hanging());
  fleet_.expire_token();
  harness_->call("3", "task_list");
  ASSERT_TRUE(fleet_.wait_for("POST sessions/41/renew", 1));
  harness_->send(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}})");
  harness_->request("4", "ping");
  EXPECT_NE(harness_->answer("4"), "");
  const base::SteadyTime begun = std::chrono::steady_clock::now();
  EXPECT_EQ(finish(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begun,
            test::allowed(std::chrono::milliseconds(900)));
  EXPECT_EQ(harness_->count(R"("id":2,)") + harness_->count(R"("id":3,)"), 0U);
}

// 75: no redirect is followed
TEST_F(ForwardTest, ARedirectIsNotFollowed) {
  start_joined();
  fleet_.once("POST mcp",
              FleetReply{302, "", {{"Location", fleet_.url() + "/robot-council/api/elsewhere"}}});
  harness_->call("2", "task_list");
  EXPECT_NE(harness_->answer("2").find("The service answered HTTP 302."), std::string::npos);
  EXPECT_EQ(fleet_.count("POST elsewhere") + fleet_.count("GET elsewhere"), 0U);
}

// 77
TEST_F(ForwardTest, AnEmptyAnswerToANotificationIsFine) {
  start_joined();
  const std::size_t before = harness_->lines().size();
  harness_->send(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{}})");
  ASSERT_TRUE(fleet_.wait_for("POST mcp", 2));
  fleet_.on("POST mcp", FleetReply{200, "", {}});
  harness_->call("2", "task_list");
  EXPECT_NE(harness_->answer("2").find(text::kAnswerEmpty), std::string::npos);
  EXPECT_EQ(harness_->lines().size(), before + 1);
}

// 25: a response is forwarded and its answer dropped
TEST_F(ForwardTest, AResponseIsForwardedAndNeverAnswered) {
  start_joined();
  const std::size_t before = harness_->lines().size();
  harness_->send(R"({"jsonrpc":"2.0","id":77,"result":{"roots":[]}})");
  ASSERT_TRUE(fleet_.wait_for("POST mcp", 2));
  harness_->request("2", "ping");
  EXPECT_NE(harness_->answer("2"), "");
  EXPECT_EQ(harness_->lines().size(), before + 1);
}

// 78
TEST_F(ForwardTest, ACutConnectionIsToldWithTheId) {
  start_joined();
  fleet_.once("POST mcp", FleetReply{0, "", {}, true, false, false});
  harness_->call("\"x\"", "task_list");
  EXPECT_EQ(
      harness_->answer("\"x\"").find(
          R"({"jsonrpc":"2.0","id":"x","error":{"code":-32603,"message":"The fleet could not be reached: )"),
      0U);
  EXPECT_TRUE(wait_said("The fleet could not be reached: "));
}

// 79
TEST_F(ForwardTest, AnAnswerOver16MebibytesIsRefused) {
  start_joined();
  fleet_.once("POST mcp", FleetReply{200, std::string(std::size_t{17} << 20U, ' '), {}});
  harness_->call("2", "task_list");
  EXPECT_NE(harness_->answer("2").find(text::kAnswerTooLarge), std::string::npos);
}

// A service that drips is cut at the call's deadline.
TEST_F(ForwardTest, ADrippingServiceEndsAtTheDeadline) {
  options_.timings.call = base::Milliseconds(400);
  start_joined();
  fleet_.once("POST mcp", FleetReply{200, "", {}, false, false, true});
  harness_->call("2", "task_list");
  EXPECT_NE(
      harness_->answer("2", base::Milliseconds(3000)).find("The fleet could not be reached: "),
      std::string::npos);
}

// 24
TEST_F(ForwardTest, ABatchIsForwardedWhole) {
  start_joined();
  fleet_.once("POST mcp", FleetReply{200, "[{\"id\":1,\n\"result\":{}}]", {}});
  harness_->send(R"([{"jsonrpc":"2.0","id":1,"method":"x"}])");
  EXPECT_NE(harness_->line_with(R"([{"id":1, "result":{}}])"), "");
  harness_->send("[]");
  EXPECT_TRUE(fleet_.wait_for("POST mcp", 3));
}

// 28
TEST_F(ForwardTest, ParallelAnswersAndNoticesAreWholeLines) {
  options_.harness = "claude";
  start_joined();
  const std::string big(20000, 'y');
  fleet_.on("POST mcp", [&](const FleetRequest& request) -> std::optional<FleetReply> {
    return FleetReply{200,
                      R"({"jsonrpc":"2.0","id":)" +
                          std::string(base::json_member(request.body, "id")) +
                          R"(,"result":{"t":")" + big + "\"}}",
                      {}};
  });
  for (int i = 0; i < 64; ++i) {
    harness_->call(std::to_string(1000 + i), "task_list");
    if (i % 8 == 0) {
      fleet_.directive();
    }
  }
  EXPECT_TRUE(wait_until([&] { return harness_->count(R"("id":10)") >= 64; }));
  for (const std::string& line : harness_->lines()) {
    EXPECT_TRUE(base::validate_json(line, 128).ok()) << line.substr(0, 200);
  }
}

// 81, 82, 83
TEST_F(ForwardTest, TheBrakeRefusesToolsAndNothingElse) {
  options_.harness = "claude";
  start_joined();
  stop_file(dir_ / "work");
  harness_->call("2", "task_list");
  const std::string refusal = harness_->answer("2");
  EXPECT_NE(refusal.find(R"("code":-32000,"message":"stopped: wrong branch -- do not retry)"),
            std::string::npos)
      << refusal;
  harness_->call("3", "leave");
  EXPECT_NE(harness_->answer("3").find("-32000"), std::string::npos);
  harness_->call("4", "join");
  EXPECT_NE(harness_->answer("4").find("-32000"), std::string::npos);
  harness_->request("5", "tools/list");
  EXPECT_NE(harness_->answer("5").find("task_list"), std::string::npos);
  harness_->send(
      R"([{"jsonrpc":"2.0","id":61,"method":"x"},{"jsonrpc":"2.0","id":62,"method":"tools/call","params":{"name":"task_list"}}])");
  EXPECT_NE(harness_->answer("61").find("-32000"), std::string::npos);
  EXPECT_NE(harness_->answer("62").find("-32000"), std::string::npos);
  fleet_.directive();
  fleet_.directive();
  EXPECT_TRUE(wait_rows(2));
  EXPECT_EQ(harness_->count("claude/channel\""), 0U + harness_->count("experimental"));
  const std::string decisions = read_text(dir_ / "state/robot-council/decisions.jsonl");
  EXPECT_NE(decisions.find(R"("surface":"bridge")"), std::string::npos);
  EXPECT_NE(decisions.find("mcp:task_list"), std::string::npos);
}

}  // namespace
}  // namespace robot_council::test
