#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/child.hpp"
#include "tests/e2e/brake_world.hpp"

namespace robot_council {
namespace {

using test::brake_program;
using test::BrakeWorld;
using test::Ran;
using test::write_text;

constexpr const char* kCall =
    R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"ping"}})";
constexpr const char* kRefused =
    R"("error":{"code":-32000,"message":"stopped: wrong branch -- do not retry or work around this; only a person can lift it"}})";

// The server is cat: what comes back is what it was sent, byte for byte.
class BrakeGateway : public ::testing::Test {
 protected:
  Ran through(const std::string& input, std::vector<std::string> server = {"/bin/cat"}) {
    server.insert(server.begin(), {"gateway", "--repo", world_.repo, "--"});
    return world_.council(server, {}, input);
  }
  void stop(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"stop", "--reason", "wrong branch"});
    EXPECT_EQ(world_.council(more).code, 0);
  }

  BrakeWorld world_;
};

// 75
TEST_F(BrakeGateway, AllPassesByteForByteWithoutAStop) {
  const std::string input = std::string(kCall) +
                            "\n  {\"id\" : 1.0,\t\"x\":\"\\u00e9\"}\r\n\nnot json\n[]\n" +
                            std::string(200000, 'x') + "\nlast without newline";
  const Ran ran = through(input);
  EXPECT_EQ(ran.out, input);
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "");
}

// 75
TEST_F(BrakeGateway, CallsAreRefusedWithTheirIdAndAllElsePasses) {
  stop();
  const std::string list = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n";
  const std::string notice = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
  const std::string answer = "{\"jsonrpc\":\"2.0\",\"id\":\"s1\",\"result\":{}}\n";
  EXPECT_EQ(through(std::string(kCall) + "\n").out,
            std::string(R"({"jsonrpc":"2.0","id":7,)") + kRefused + "\n");
  EXPECT_EQ(through(R"({"id":"a\u00e9","method":"tools\/call","params":{}})"
                    "\n")
                .out,
            std::string(R"({"jsonrpc":"2.0","id":"a\u00e9",)") + kRefused + "\n");
  EXPECT_EQ(through(list + notice + answer).out, list + notice + answer);
  EXPECT_NE(world_.log().find(
                R"("policy_id":"brake","surface":"gateway","event":"tool_use","verdict":"block",)"
                R"("reason":"stopped","target":"mcp:ping")"),
            std::string::npos)
      << world_.log();
}

// 76
TEST_F(BrakeGateway, BatchesHiddenCallsAndBrokenLines) {
  const std::string odd = "{\"id\":2,\"method\":\"tools/call\",\"params\":[]}\n";
  EXPECT_EQ(through(odd).out,
            "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32000,\"message\":\"params of "
            "tools/call must be an "
            "object\"}}\n");
  EXPECT_EQ(through("{\"id\":2,\"method\":\"tools/call\"}\n")
                .out.find("{\"jsonrpc\":\"2.0\",\"id\":2,\"error\""),
            0U);
  stop();
  const std::string batch = std::string("[{\"id\":1,\"method\":\"ping\"},") + kCall +
                            ",{\"method\":\"n\"},{\"id\":9,\"result\":1}]\n";
  EXPECT_EQ(through(batch).out, std::string("[{\"jsonrpc\":\"2.0\",\"id\":1,") + kRefused +
                                    ",{\"jsonrpc\":\"2.0\",\"id\":7," + kRefused + "]\n");
  EXPECT_EQ(through("[{\"id\":1,\"method\":\"ping\"}]\n").out,
            "[{\"id\":1,\"method\":\"ping\"}]\n");
  EXPECT_EQ(through("{\"method\":\"tools/call\",\"params\":{}}\n").out, "")
      << "no id: dropped unanswered";
  const std::string twice =
      "{\"id\":3,\"method\":\"tools/call\",\"params\":{},\"method\":\"ping\"}\n";
  EXPECT_EQ(through(twice).out, std::string("{\"jsonrpc\":\"2.0\",\"id\":3,") + kRefused + "\n");
  const std::string escaped = "{\"id\":3,\"meth\\u006fd\":\"tools/call\",\"params\":{}}\n";
  EXPECT_EQ(through(escaped).out, std::string("{\"jsonrpc\":\"2.0\",\"id\":3,") + kRefused + "\n");
  for (const std::string& broken :
       {std::string("{\"method\":\"tools/call\"\n"), std::string("\xFF\n"),
        std::string(300, '[') + std::string(300, ']') + "\n"}) {
    EXPECT_EQ(through(broken).out,
              R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}})"
              "\n");
  }
}

// 77
TEST_F(BrakeGateway, StopAndLiftCountAtTheNextCall) {
  base::ChildOptions options;
  options.argv =
      world_.as_user({brake_program(), "gateway", "--repo", world_.repo, "--", "/bin/cat"});
  for (const auto& [name, value] : world_.environment()) {
    options.environment.push_back(name + "=" + value);
  }
  options.standard_in = base::Stdio::pipe;
  options.standard_out = base::Stdio::pipe;
  auto child = base::Child::start(options);
  ASSERT_TRUE(child.ok());
  const auto ask = [&child] {
    EXPECT_TRUE(
        base::write_all(child->standard_in.get(), std::string(kCall) + "\n", test::in_time()).ok());
    std::string line;
    std::vector<char> block(4096);
    while (line.find('\n') == std::string::npos) {
      const auto got = base::read_some(child->standard_out.get(), block);
      if (!got.ok() || got.value() == 0) {
        break;
      }
      line.append(block.data(), got.value());
    }
    return line;
  };
  EXPECT_EQ(ask(), std::string(kCall) + "\n");
  stop();
  EXPECT_NE(ask().find("-32000"), std::string::npos);
  std::filesystem::remove(world_.home_copy());
  EXPECT_NE(ask().find("-32000"), std::string::npos) << "one copy is left";
  std::filesystem::remove(world_.checkout_copy());
  EXPECT_EQ(ask(), std::string(kCall) + "\n");
  EXPECT_EQ(world_.council({"stop", "--everywhere"}).code, 0);
  EXPECT_NE(ask().find("-32000"), std::string::npos);
  std::filesystem::remove(world_.stops() + "/_everywhere.json");
  // 79: the folder as it was at the start is gone
  std::filesystem::rename(world_.repo, world_.folder / "moved");
  EXPECT_NE(ask().find("stopped: the stop check could not run"), std::string::npos);
  child->standard_in.reset();
  const auto ended = child->wait(test::in_time());
  ASSERT_TRUE(ended.ok());
  EXPECT_EQ(ended->code, 0);
}

// 78
TEST_F(BrakeGateway, ScopeGoesByTheClientsName) {
  stop({"--agent", "cursor"});
  const auto named = [](const std::string& name) {
    return R"({"id":0,"method":"initialize","params":{"clientInfo":{"name":")" + name + "\"}}}\n" +
           kCall + "\n";
  };
  for (const char* name : {"claude-code", "codex-mcp-client", "gemini-cli-mcp-client"}) {
    EXPECT_EQ(through(named(name)).out, named(name)) << name;
  }
  for (const char* name : {"cursor-vscode", "something", "Claude-Code"}) {
    EXPECT_NE(through(named(name)).out.find("-32000"), std::string::npos) << name;
  }
  EXPECT_NE(through(std::string(kCall) + "\n").out.find("-32000"), std::string::npos)
      << "no name at all";
}

// 79
TEST_F(BrakeGateway, ExitCodeAndErrorsOfTheServerComeThrough) {
  const Ran ran = through("", {"/bin/sh", "-c", "echo words >&2; exit 7"});
  EXPECT_EQ(ran.code, 7);
  EXPECT_EQ(ran.err, "words\n");
  EXPECT_EQ(through("", {"/bin/sh", "-c", "kill -9 $$"}).code, 137);
  EXPECT_EQ(through("x\n", {"/bin/sh", "-c", "exec 0<&-; exit 3"}).code, 3);
  const std::string nowhere = world_.folder / "nowhere";
  EXPECT_EQ(through("", {nowhere + "/server"}).code, 1);
  EXPECT_EQ(world_.council({"gateway", "--repo", nowhere, "--", "/bin/cat"}).code, 2);
  EXPECT_EQ(world_.council({"gateway"}).code, 2);
}

// The server ends though the client's pipe stays open.
TEST_F(BrakeGateway, EndsWithTheServerAndHandsSignalsOn) {
  base::ChildOptions options;
  options.argv = {brake_program(),
                  "gateway",
                  "--repo",
                  world_.repo,
                  "--",
                  "/bin/sh",
                  "-c",
                  "trap 'exit 5' TERM; echo ready; while :; do sleep 0.05; done"};
  for (const auto& [name, value] : world_.environment()) {
    options.environment.push_back(name + "=" + value);
  }
  options.standard_in = base::Stdio::pipe;
  options.standard_out = base::Stdio::pipe;
  auto child = base::Child::start(options);
  ASSERT_TRUE(child.ok());
  std::vector<char> block(64);
  ASSERT_TRUE(base::read_some(child->standard_out.get(), block).ok());
  ::kill(child->pid(), SIGTERM);
  const auto ended = child->wait(test::in_time());
  ASSERT_TRUE(ended.ok());
  EXPECT_EQ(ended->code, 5);
}

}  // namespace
}  // namespace robot_council
