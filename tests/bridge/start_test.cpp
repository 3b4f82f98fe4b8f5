// Start-up, unjoined answers and the end of a bridge in this process (acceptance statements in the
// names' comments).

#include <sys/file.h>

#include <algorithm>

#include <gtest/gtest.h>

#include "base/file_lock.hpp"
#include "base/files.hpp"
#include "base/json.hpp"
#include "bridge/texts.hpp"
#include "tests/bridge/bridge_fixture.hpp"

namespace robot_council::test {
namespace {

namespace text = bridge::text;

using StartTest = BridgeTest;

// 1
TEST_F(StartTest, WithoutAServiceItSaysSoAndEnds) {
  options_.service.clear();
  start();
  EXPECT_EQ(finish(), 1);
  EXPECT_TRUE(said(std::string(text::kNoService)));
  EXPECT_TRUE(harness_->lines().empty());
}

// 2
TEST_F(StartTest, AnEmptyServiceFallsToTheVariableAndTrailingSlashesGo) {
  options_.service.clear();
  environment_.set("ROBOT_COUNCIL_SERVICE", fleet_.url() + "//");
  start_joined();
  EXPECT_EQ(finish(), 0);
  EXPECT_EQ(fleet_.count("POST sessions"), 1U);
}

// 4, 53
TEST_F(StartTest, NotEnrolledItStillServesAndSaysTheRemedy) {
  options_.harness = "goose";
  start();
  harness_->handshake();
  harness_->request("1", "ping");
  EXPECT_EQ(harness_->answer("1"), R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(join(),
            "Could not join the fleet: This machine is not enrolled as `goose` against that fleet. "
            "Enrolled here: cursor, claude, "
            "codex. Pass --harness=<name>, or set ROBOT_COUNCIL_HARNESS in this harness's "
            "configuration.");
  EXPECT_EQ(finish(), 0);
  EXPECT_TRUE(fleet_.requests().empty());
}

// 5
TEST_F(StartTest, TheLinesKeepTheirOrder) {
  options_.harness = "claude";
  options_.keep_warm = "soon";
  options_.role = "ci";
  options_.capacity = "2";
  environment_.set("ROBOT_COUNCIL_PROJECT", "other");
  ASSERT_TRUE(base::make_private_directory(files().folder).ok());
  base::Result<base::FileLock> lock = base::FileLock::try_acquire(files().seat());
  ASSERT_TRUE(lock.ok());
  ASSERT_TRUE(lock->write_owner().ok());
  start();
  harness_->handshake();
  EXPECT_EQ(finish(), 0);
  const std::vector<std::string> lines = log_.lines();
  const auto at = [&lines](const std::string& part) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].find(part) != std::string::npos) {
        return static_cast<int>(i);
      }
    }
    return -1;
  };
  EXPECT_EQ(at("ROBOT_COUNCIL_PROJECT is `other`"), 0);
  EXPECT_EQ(
      at("another bridge is running in this checkout (pid " + std::to_string(::getpid()) + ")"), 1);
  EXPECT_EQ(at("--keep-warm and --keep-warm-for take a whole number"), 2);
  EXPECT_EQ(at("stop hook: none found"), 3);
  EXPECT_EQ(at("--role applies only with --auto-join"), 4);
  EXPECT_EQ(at("--capacity applies only with --auto-join"), 5);
}

// 6
TEST_F(StartTest, ABadCapacityStopsTheAutomaticJoinOnly) {
  options_.auto_join = true;
  options_.capacity = "many";
  start();
  harness_->handshake();
  EXPECT_TRUE(said(std::string(text::kBadCapacityOption)));
  EXPECT_EQ(fleet_.count("POST sessions"), 0U);
  EXPECT_NE(join().find("Joined the fleet"), std::string::npos);
  EXPECT_EQ(finish(), 0);
}

// 7
TEST_F(StartTest, AutoJoinAndEndOfInputMakeOneSessionAndEndIt) {
  options_.auto_join = true;
  start();
  EXPECT_EQ(finish(), 0);
  EXPECT_EQ(fleet_.count("POST sessions"), 1U);
  EXPECT_EQ(fleet_.count("DELETE sessions/41"), 1U);
  EXPECT_EQ(times_said("Joined the fleet as session 41"), 1U);
}

// 8
TEST_F(StartTest, ARefusedAutoJoinIsSaidOnce) {
  options_.auto_join = true;
  fleet_.on("POST sessions", FleetReply{401, R"({"message":"no"})", {}});
  start();
  EXPECT_EQ(finish(), 0);
  EXPECT_EQ(
      times_said(
          "Could not join the fleet: This machine is not enrolled, or its credential was revoked."),
      1U);
  EXPECT_EQ(fleet_.count("DELETE sessions/41"), 0U);
}

// 9
TEST_F(StartTest, ARoleIsAskedForAfterTheStart) {
  options_.auto_join = true;
  options_.role = "coordinator";
  start();
  EXPECT_EQ(finish(), 0);
  ASSERT_EQ(fleet_.count("POST agent/role"), 1U);
  EXPECT_EQ(fleet_.requests("POST agent/role").at(0).body, R"({"role":"coordinator"})");
  EXPECT_EQ(fleet_.requests("POST sessions").at(0).body.find("role"), std::string::npos);
}
TEST_F(StartTest, BuildIsNotAskedFor) {
  options_.auto_join = true;
  options_.role = "build";
  start();
  EXPECT_EQ(finish(), 0);
  EXPECT_EQ(fleet_.count("POST agent/role"), 0U);
}

// 10
TEST_F(StartTest, AHangingAutoJoinHoldsTheHandshakeOneSecondOnly) {
  options_.auto_join = true;
  options_.timings.call = base::Milliseconds(3000);
  fleet_.on("POST sessions", FleetReply{200, "", {}, false, true, false});
  start();
  const base::SteadyTime begun = std::chrono::steady_clock::now();
  harness_->request("1", "ping");
  harness_->request("2", "server/discover");
  EXPECT_NE(harness_->answer("2", base::Milliseconds(500)), "");
  EXPECT_NE(harness_->answer("1", base::Milliseconds(500)), "");
  harness_->request("3", "initialize");
  harness_->request("4", "tools/list");
  EXPECT_NE(harness_->answer("3"), "");
  EXPECT_NE(harness_->answer("4").find(R"("name":"join")"), std::string::npos);
  const auto took = std::chrono::steady_clock::now() - begun;
  EXPECT_GE(took, std::chrono::milliseconds(900));
  EXPECT_LT(took, test::allowed(std::chrono::milliseconds(1900)));
}

// 11, 37
TEST_F(StartTest, AShortAutoJoinIsWaitedFor) {
  options_.auto_join = true;
  options_.harness = "claude";
  options_.timings.launch_wait = base::Milliseconds(10000);
  Gate answer;
  fleet_.on("POST sessions", [&answer](const FleetRequest&) {
    EXPECT_TRUE(answer.wait());
    return std::optional<FleetReply>();
  });
  start();
  harness_->request("1", "initialize", R"({"protocolVersion":"2025-06-18"})");
  harness_->request("2", "tools/list");
  // The answer to a later request shows that the first two were read, and are held.
  harness_->request("3", "ping");
  EXPECT_NE(harness_->answer("3"), "");
  EXPECT_EQ(harness_->lines().size(), 1U);
  answer.open();
  EXPECT_NE(harness_->answer("2").find("task_list"), std::string::npos);
  const std::string initialized = harness_->answer("1");
  EXPECT_NE(initialized.find(R"("instructions":"Claim before work.\n\n)"), std::string::npos)
      << initialized;
  EXPECT_EQ(initialized.find("until then `join` is its only tool"), std::string::npos);
}

// 12, case M03
TEST_F(StartTest, ContentLengthFramingIsAnErrorAndNoHang) {
  start();
  harness_->send_raw("Content-Length: 40\r\n\r\n{}");
  thread_.join();
  EXPECT_EQ(code_, 1);
  EXPECT_TRUE(said(std::string(text::kContentLength)));
  EXPECT_TRUE(harness_->lines().empty());
}

// 13
TEST_F(StartTest, PlainHttpToAnotherHostIsRefusedAtTheJoin) {
  options_.service = "http://fleet.example.test";
  start();
  harness_->handshake();
  EXPECT_EQ(join(),
            "Could not join the fleet: The service must be reached over https. Only a loopback "
            "address may use http.");
}

// 26, 27
TEST_F(StartTest, IdsComeBackByteForByteAndANullIdIsNotAnswered) {
  start_joined();
  const std::vector<std::string> ids = {"1e999", "1234567890123456789012345678901234567890", "1.0",
                                        R"("\u0061")"};
  for (const std::string& id : ids) {
    harness_->request(id, "ping");
    EXPECT_EQ(harness_->answer(id), R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{}})");
  }
  for (const std::string& id : {std::string("1.50"), std::string(R"("\u0062")")}) {
    harness_->call(id, "task_list");
    EXPECT_NE(harness_->answer(id).find(R"("id":)" + id + ","), std::string::npos);
  }
  const std::size_t before = harness_->lines().size();
  harness_->send(R"({"jsonrpc":"2.0","id":null,"method":"ping"})");
  harness_->request("9", "ping");
  EXPECT_NE(harness_->answer("9"), "");
  EXPECT_EQ(harness_->lines().size(), before + 1);
}

// 18, 19 (the process's memory is looked at in process_test.cpp), 21-25, 30, 31
TEST_F(StartTest, UnjoinedAnswers) {
  start();
  harness_->send_raw(std::string((std::size_t{8} << 20U) + 1, 'x') + "\n");
  EXPECT_NE(harness_->line_with("The message is longer than 8 MiB."), "");
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"x",
       R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"That was not a JSON-RPC message."}})"},
      {"5",
       R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"That was not a JSON-RPC message."}})"},
      {"{}",
       R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"That was not a JSON-RPC message."}})"},
      {"[]",
       R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"This bridge does not accept a batch before joining the fleet."}})"},
      {std::string(129, '[') + std::string(129, ']'),
       R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"The message is nested deeper than 128 levels."}})"},
      {R"({"id":1,"method":"resources/list"})",
       R"({"jsonrpc":"2.0","id":1,"result":{"resources":[]}})"},
      {R"({"id":2,"method":"resources/templates/list"})",
       R"({"jsonrpc":"2.0","id":2,"result":{"resourceTemplates":[]}})"},
      {R"({"id":3,"method":"prompts/list"})",
       R"({"jsonrpc":"2.0","id":3,"result":{"prompts":[]}})"},
      {R"({"id":4,"method":"logging/setLevel"})",
       R"({"jsonrpc":"2.0","id":4,"error":{"code":-32002,"message":"This bridge has not joined the fleet. Call the `join` tool first."}})"},
      {R"({"id":5,"method":"server/discover"})",
       R"({"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"Method not found"}})"},
  };
  for (const auto& [sent, expected] : pairs) {
    const std::size_t before = harness_->lines().size();
    harness_->send(sent);
    ASSERT_TRUE(wait_until([&] { return harness_->lines().size() > before; })) << sent;
    EXPECT_EQ(harness_->lines().back(), expected);
  }
  const std::size_t before = harness_->lines().size();
  harness_->send(R"({"method":"notifications/progress"})");
  harness_->send(R"({"id":6,"result":{}})");
  harness_->request("7", "ping");
  EXPECT_NE(harness_->answer("7"), "");
  EXPECT_EQ(harness_->lines().size(), before + 1);
  EXPECT_EQ(finish(), 0);
  EXPECT_TRUE(fleet_.requests().empty());
}

// 22, 23, 21, 33: also once joined, and case M04: a bad line between two good ones harms neither
TEST_F(StartTest, WhatIsNoMessageIsAnsweredTheSameOnceJoined) {
  start_joined();
  const std::string parse =
      R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"That was not a JSON-RPC message."}})";
  const std::string invalid =
      R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"That was not a JSON-RPC message."}})";
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"garbage from a log", parse},
      {"\"\xff\"", parse},
      {"7", parse},
      {"true", parse},
      {"{}", invalid},
      {R"({"id":true,"method":"ping"})", invalid},
      {R"({"id":[1],"method":"ping"})", invalid},
      {std::string(129, '[') + std::string(129, ']'),
       R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"The message is nested deeper than 128 levels."}})"},
      {R"({"id":5,"method":"server/discover"})",
       R"({"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"Method not found"}})"},
  };
  const std::size_t upstream = fleet_.count("POST mcp");
  int id = 100;
  for (const auto& [sent, expected] : pairs) {
    const std::size_t before = harness_->lines().size();
    harness_->request(std::to_string(++id), "ping");
    harness_->send(sent);
    harness_->request(std::to_string(++id), "ping");
    ASSERT_TRUE(wait_until([&] { return harness_->lines().size() >= before + 3; })) << sent;
    EXPECT_EQ(harness_->lines().at(before + 1), expected);
    EXPECT_EQ(harness_->lines().size(), before + 3);
  }
  EXPECT_EQ(fleet_.count("POST mcp"), upstream);
}

// 36: a notification that came with an id does its work and is answered, or its sender would wait
TEST_F(StartTest, ANotificationSentAsARequestIsAnswered) {
  start();
  harness_->request("1", "notifications/initialized");
  EXPECT_EQ(harness_->answer("1"), R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(harness_->count("list_changed"), 1U);
  harness_->request("2", "notifications/cancelled", R"({"requestId":"none"})");
  EXPECT_EQ(harness_->answer("2"), R"({"jsonrpc":"2.0","id":2,"result":{}})");
}

// 15, case M01: a request in three writes, two in one, a split inside a character
TEST_F(StartTest, RequestsInPiecesAreAnsweredOnce) {
  start_joined();
  const std::string line =
      R"({"jsonrpc":"2.0","id":"\u00e9 é","method":"tools/call","params":{"name":"task_list"}})";
  const std::size_t inside = line.find("é") + 1;
  for (const std::string& piece :
       {line.substr(0, 9), line.substr(9, inside - 9), line.substr(inside) + "\n"}) {
    harness_->send_raw(piece);
    harness_->send_raw("");
  }
  harness_->send_raw(
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"id\":2,"
      "\"method\":"
      "\"ping\"}\n");
  EXPECT_NE(harness_->answer(R"("\u00e9 é")"), "");
  EXPECT_NE(harness_->answer("1"), "");
  EXPECT_NE(harness_->answer("2"), "");
  for (const char* id : {R"("id":"\u00e9 é",)", R"("id":1,)", R"("id":2,)"}) {
    EXPECT_EQ(harness_->count(id), 1U) << id;
  }
  EXPECT_EQ(fleet_.requests("POST mcp").back().body, line);
}

// 32, 34, 35, 36
TEST_F(StartTest, InitializeTellsTheVersionAndTheCapabilities) {
  start();
  harness_->request("1", "initialize", R"({"protocolVersion":"2025-06-18"})");
  harness_->request("2", "initialize", R"({"protocolVersion":"1999-01-01"})");
  const std::string first = harness_->answer("1");
  EXPECT_NE(first.find(R"("protocolVersion":"2025-06-18")"), std::string::npos);
  EXPECT_NE(
      first.find(R"("capabilities":{"tools":{"listChanged":true},"resources":{},"prompts":{}})"),
      std::string::npos);
  EXPECT_NE(harness_->answer("2").find(R"("protocolVersion":"2025-11-25")"), std::string::npos);
  EXPECT_EQ(harness_->count("list_changed"), 0U);
  for (std::size_t n = 1; n <= 2; ++n) {
    harness_->send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    EXPECT_TRUE(wait_until([&] {
      return harness_->count(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})") ==
             n;
    }));
  }
}

// 35
TEST_F(StartTest, ClaudeIsToldOfChannels) {
  options_.harness = "claude";
  start();
  harness_->request("1", "initialize");
  EXPECT_NE(harness_->answer("1").find(R"("experimental":{"claude/channel":{}})"),
            std::string::npos);
}

// 20
TEST_F(StartTest, AStuckServiceHoldsTheInputUpAndNothingIsLost) {
  options_.timings.call = base::Milliseconds(1500);
  start_joined();
  std::atomic<bool> stuck{true};
  fleet_.on("POST mcp", [&stuck](const FleetRequest&) -> std::optional<FleetReply> {
    if (stuck) {
      return FleetReply{200, "", {}, false, true, false};
    }
    return std::nullopt;
  });
  std::string lines;
  const std::string pad(4000, 'x');
  constexpr int kCalls = 500;
  std::atomic<int> sent{0};
  std::thread sender([&] {
    for (int i = 0; i < kCalls; ++i, ++sent) {
      harness_->call(std::to_string(1000 + i), "task_list", "{\"x\":\"" + pad + "\"}");
    }
  });
  ASSERT_TRUE(fleet_.wait_for("POST mcp", 1 + 8));
  // 256 wait, 8 are in flight, the rest fills the pipe and the reader's buffer: about 300.
  EXPECT_FALSE(wait_until([&] { return sent > 400; }, base::Milliseconds(300)));
  stuck = false;
  sender.join();
  EXPECT_TRUE(wait_until([&] { return harness_->count(R"("id":1)") >= kCalls; },
                         base::Milliseconds(15000)));
}

// Case M08: the harness quits while its initialize still waits for a join at launch
TEST_F(StartTest, AHarnessThatQuitsDuringInitializeEndsTheBridge) {
  options_.auto_join = true;
  options_.timings.launch_wait = base::Milliseconds(5000);
  options_.timings.leave_wait = base::Milliseconds(200);
  options_.timings.delete_wait = base::Milliseconds(200);
  fleet_.on("POST sessions", FleetReply{200, "", {}, false, true, false});
  start();
  harness_->request("1", "initialize");
  ASSERT_TRUE(fleet_.wait_for("POST sessions", 1));
  const base::SteadyTime begun = std::chrono::steady_clock::now();
  harness_->close_output();
  harness_->close_input();
  thread_.join();
  EXPECT_EQ(code_, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begun,
            test::allowed(std::chrono::milliseconds(2000)));
  EXPECT_FALSE(*base::FileLock::held(files().seat()));
}

// 139
TEST_F(StartTest, EndOfInputLetsCallsInFlightAnswer) {
  start_joined();
  Gate answer;
  fleet_.on("POST mcp", [&answer](const FleetRequest&) {
    EXPECT_TRUE(answer.wait());
    return std::optional<FleetReply>();
  });
  const std::size_t before = fleet_.count("POST mcp");
  harness_->call("1", "task_list");
  harness_->call("2", "task_list");
  ASSERT_TRUE(fleet_.wait_for("POST mcp", before + 2));
  harness_->close_input();
  answer.open();
  EXPECT_EQ(finish(), 0);
  EXPECT_NE(harness_->answer("1"), "");
  EXPECT_NE(harness_->answer("2"), "");
  EXPECT_EQ(fleet_.count("DELETE sessions/41"), 1U);
  EXPECT_EQ(rows_of("bridge.session-ended"), 0U);
}

// 140
TEST_F(StartTest, AStopBeforeTheLoopForwardsNothing) {
  options_.auto_join = true;
  waiting_input_ =
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"join","arguments":{}}})"
      "\n"
      R"({"jsonrpc":"2.0","id":2,"method":"ping"})"
      "\n";
  stopped_at_start_ = true;
  start();
  thread_.join();
  EXPECT_EQ(code_, 0);
  EXPECT_TRUE(fleet_.requests().empty());
  EXPECT_TRUE(harness_->lines().empty());
  EXPECT_FALSE(*base::FileLock::held(files().seat()));
}

// 141
TEST_F(StartTest, ASilentStdinIsNoEndAndTimersRun) {
  options_.timings.heartbeat = base::Milliseconds(50);
  options_.timings.watcher = base::Milliseconds(50);
  options_.timings.capacity = base::Milliseconds(50);
  start_joined();
  ASSERT_TRUE(fleet_.wait_for("POST agent/heartbeat", 5));
  ASSERT_TRUE(fleet_.wait_for("POST agent/watcher", 5));
  ASSERT_TRUE(fleet_.wait_for("GET agent/session", 5));
  fleet_.directive();
  EXPECT_TRUE(wait_rows(1));
  EXPECT_EQ(fleet_.count("DELETE sessions/41"), 0U);
  harness_->request("9", "ping");
  EXPECT_NE(harness_->answer("9"), "");
}

// 144
TEST_F(StartTest, AClosedStdoutEndsTheBridge) {
  start_joined();
  harness_->close_output();
  harness_->request("1", "ping");
  thread_.join();
  EXPECT_EQ(code_, 0);
  EXPECT_EQ(fleet_.count("DELETE sessions/41"), 1U);
}

// A harness that does not read its input stops neither the heartbeat nor the feed, and the bridge
// still ends.
TEST_F(StartTest, ABlockedStdoutHoldsUpNobodyElse) {
  options_.timings.heartbeat = base::Milliseconds(50);
  start_joined();
  harness_->close_output();  // stops reading; the test keeps its end open below
  const std::size_t beats = fleet_.count("POST agent/heartbeat");
  fleet_.directive();
  EXPECT_TRUE(wait_rows(1));
  EXPECT_TRUE(fleet_.wait_for("POST agent/heartbeat", beats + 2));
}

// 142 (the process's signal is in process_test.cpp)
TEST_F(StartTest, AStopDuringAStartAwaitsItAndEndsTheSession) {
  options_.auto_join = true;
  Gate answer;
  fleet_.on("POST sessions", [&answer](const FleetRequest&) {
    EXPECT_TRUE(answer.wait());
    return std::optional<FleetReply>();
  });
  start();
  ASSERT_TRUE(fleet_.wait_for("POST sessions", 1));
  stop_.write_end.reset();
  answer.open();
  thread_.join();
  EXPECT_EQ(fleet_.count("DELETE sessions/41"), 1U);
}

// 143
TEST_F(StartTest, AHangingServiceDoesNotHoldTheEnd) {
  start_joined();
  for (const char* key : {"DELETE sessions/41", "POST mcp", "POST agent/heartbeat"}) {
    fleet_.on(key, FleetReply{200, "", {}, false, true, false});
  }
  harness_->call("1", "task_list");
  ASSERT_TRUE(fleet_.wait_for("POST mcp", 2));
  const base::SteadyTime begun = std::chrono::steady_clock::now();
  stop_.write_end.reset();
  thread_.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begun,
            test::allowed(std::chrono::milliseconds(4000)));
  EXPECT_EQ(harness_->count(R"("id":1,)"), 0U);
}

}  // namespace
}  // namespace robot_council::test
