// A judge over the network, asked by the real recorder through its real child.

#include <sys/stat.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/mutex.hpp"
#include "base/text.hpp"
#include "net/http_server.hpp"
#include "tests/e2e/stops_world.hpp"

namespace robot_council {
namespace {

using test::StopsWorld;
using test::told;
using test::Values;

constexpr const char* kKey = "a-key-that-nobody-else-may-see";
constexpr const char* kReply =
    R"({"model":"answered-by","choices":[{"finish_reason":"stop","message":{"role":"assistant",)"
    R"("content":"{\"asks_approval\":true,\"needs_input\":false,\"hard_to_undo\":false}"}}]})";

class StopsNet : public ::testing::Test {
 protected:
  void SetUp() override {
    auto server = net::HttpServer::open({}, log_);
    ASSERT_TRUE(server.ok());
    server_ = std::move(*server);
    server_->route("POST", "/v1/chat/completions", [this](const net::ServerRequest& request) {
      const base::MutexLock lock(mu_);
      bodies_.push_back(request.body);
      keys_.push_back(request.header("authorization").value_or(""));
      return net::ServerResponse{200, kReply, "application/json", {}};
    });
    ASSERT_TRUE(server_->start().ok());
    world_.user_policy();
  }
  void TearDown() override { server_->stop(base::Milliseconds(0)); }

  [[nodiscard]] Values settings() const {
    return {
        {"ROBOT_COUNCIL_STOP_JUDGE", "openai"},
        {"ROBOT_COUNCIL_STOP_OPENAI_URL", "http://127.0.0.1:" + std::to_string(server_->port())},
        {"ROBOT_COUNCIL_STOP_OPENAI_MODEL", "small-model"},
        {"ROBOT_COUNCIL_STOP_OPENAI_KEY", kKey}};
  }
  std::vector<std::string> bodies() {
    const base::MutexLock lock(mu_);
    return bodies_;
  }

  StopsWorld world_;
  base::MemoryLog log_;
  base::Mutex mu_;
  std::vector<std::string> bodies_ RC_GUARDED_BY(mu_);
  std::vector<std::string> keys_ RC_GUARDED_BY(mu_);
  std::unique_ptr<net::HttpServer> server_;
};

// 74: what leaves, and what is logged.
TEST_F(StopsNet, OnlyTextAndQuestionsLeave) {
  const auto line = world_.recorded(
      world_.stop("CI is green. The token is ghp_0123456789abcdefghijABCDEFGHIJ012345. Merge it?"),
      settings());
  EXPECT_EQ(told(line), "judged");
  EXPECT_EQ(line.verdict, stops::Verdict::carry_on);
  EXPECT_EQ(line.judge, "openai");
  EXPECT_EQ(line.model, "answered-by");
  EXPECT_EQ(line.endpoint, "127.0.0.1");
  EXPECT_EQ(line.p_kind, stops::PKind::boolean);
  ASSERT_EQ(bodies().size(), 1U);
  const std::string body = bodies()[0];
  EXPECT_NE(body.find("CI is green."), std::string::npos);
  EXPECT_NE(body.find("asks_approval"), std::string::npos);
  for (const std::string& hidden : {std::string("ghp_"), line.session_id, world_.home(),
                                    world_.repository(), std::string(kKey)}) {
    EXPECT_EQ(body.find(hidden), std::string::npos) << hidden;
  }
  EXPECT_EQ(world_.raw_lines().at(0).find(kKey), std::string::npos);
  const base::MutexLock lock(mu_);
  EXPECT_EQ(keys_, std::vector<std::string>{std::string("Bearer ") + kKey});
}

// 13
TEST_F(StopsNet, OnlyTheChildOpensASocket) {
  const std::string trace = world_.home() + "/trace";
  const auto ran =
      test::run({"/usr/bin/strace", "-f", "-qq", "-o", trace, "-e", "trace=socket,execve",
                 test::program("robot-council"), "stops", "record"},
                world_.environment(settings()), world_.stop("Shall I go on?"), world_.home());
  if (ran.code != 0 || !base::exists(trace)) {
    GTEST_SKIP() << "strace cannot trace here: " << ran.err;
  }
  EXPECT_EQ(told(world_.line()), "judged");
  std::string recorder;
  bool child_asked = false;
  for (const auto& call : base::split(test::read_text(trace), '\n')) {
    const std::string pid = call.substr(0, call.find(' '));
    recorder = recorder.empty() ? pid : recorder;
    if (call.find("socket(AF_INET") != std::string::npos) {
      child_asked = true;
      EXPECT_NE(pid, recorder) << call;
    }
    EXPECT_EQ(call.find(kKey), std::string::npos) << call;
  }
  EXPECT_TRUE(child_asked);
}

// 14
TEST_F(StopsNet, WithoutTheNetworkProgramItIsUnavailable) {
  const std::string copy = world_.home() + "/robot-council";
  test::write_text(copy, test::read_text(test::program("robot-council")));
  ASSERT_EQ(::chmod(copy.c_str(), 0755), 0);
  const auto ran = test::run({copy, "stops", "record"}, world_.environment(settings()),
                             world_.stop("Shall I go on?"), world_.home());
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out + ran.err, "");
  EXPECT_EQ(told(world_.line()), "error unavailable");
  EXPECT_TRUE(bodies().empty());
}

}  // namespace
}  // namespace robot_council
