#include "wiring/online/api.hpp"

#include <sys/stat.h>

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/mutex.hpp"
#include "base/signals.hpp"
#include "net/http_server.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::test {

namespace {

// Signals that a test gives by itself.
class FakeInterrupt final : public account::Interrupt {
 public:
  [[nodiscard]] bool requested() const override {
    const base::MutexLock lock(mu_);
    return requested_;
  }
  [[nodiscard]] bool pause_until(base::SteadyTime /*until*/) override { return !requested(); }
  void on_request(std::function<void()> action) override {
    const base::MutexLock lock(mu_);
    action_ = std::move(action);
  }
  void interrupt() {
    const base::MutexLock lock(mu_);
    requested_ = true;
    if (action_) {
      action_();
    }
  }

 private:
  mutable base::Mutex mu_;
  bool requested_ RC_GUARDED_BY(mu_) = false;
  std::function<void()> action_ RC_GUARDED_BY(mu_);
};

net::ServerResponse answer(int status, const std::string& body) {
  net::ServerResponse response;
  response.status = status;
  response.body = body;
  return response;
}

constexpr const char* kStarted =
    R"({"session_id":9,"token":"session-token","abilities":[],"expires_in":3600})";

}  // namespace

class Api : public ::testing::Test {
 protected:
  void SetUp() override {
    base::ignore_sigpipe();
    environment_.set("HOME", home_.path());
    environment_.set("PATH", "/nonexistent");
    auto opened = net::HttpServer::open({}, log_);
    ASSERT_TRUE(opened.ok());
    server_ = std::move(*opened);
    server_->not_found([this](const net::ServerRequest& request) -> net::HandlerResult {
      return handle(request);
    });
    ASSERT_TRUE(server_->start().ok());
    const std::string config = home_ / ".config/robot-council";
    write_text(config + "/credentials.json", "{\"" + url() + "|claude\":\"installation-token\"}");
    ::chmod((config + "/credentials.json").c_str(), 0600);
    ::chmod(config.c_str(), 0700);
    options_.method = "get";
    options_.path = "tasks";
    options_.service = url();
    options_.harness = {"claude", account::Named::yes, {}};
    options_.folder = home_.path();
  }
  void TearDown() override {
    if (server_) {
      server_->stop(base::Milliseconds(1000));
    }
  }

  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(server_->port());
  }

  net::ServerResponse handle(const net::ServerRequest& request) {
    const base::MutexLock lock(mu_);
    requests_.push_back(request);
    if (request.path == "/robot-council/api/sessions") {
      const bool refuse = refuse_platform_ && request.body.find("platform") != std::string::npos;
      return refuse ? answer(422, R"({"message":"x","errors":{"platform.arch":["bad"]}})") : start_;
    }
    if (request.method == "DELETE" && request.path == "/robot-council/api/sessions/9") {
      return answer(200, R"({"session_id":9,"status":"gone"})");
    }
    if (on_call_) {
      on_call_();
    }
    return call_;
  }

  int api() {
    out_.clear();
    return wiring::online::api(
        context_, options_,
        [this](std::string_view text) -> base::Status {
          out_ += text;
          return {};
        },
        interrupt_);
  }

  std::vector<net::ServerRequest> requests() {
    const base::MutexLock lock(mu_);
    return requests_;
  }
  std::size_t ends() {
    std::size_t count = 0;
    for (const auto& request : requests()) {
      count +=
          request.method == "DELETE" && request.path == "/robot-council/api/sessions/9" ? 1U : 0U;
    }
    return count;
  }

  TempDir home_;
  FakeClock clock_;
  base::MapEnvironment environment_;
  base::MemoryLog log_;
  base::Context context_{clock_, environment_, log_};
  FakeInterrupt interrupt_;
  std::unique_ptr<net::HttpServer> server_;
  wiring::online::ApiOptions options_;
  base::Mutex mu_;
  std::vector<net::ServerRequest> requests_ RC_GUARDED_BY(mu_);
  net::ServerResponse start_ = answer(201, kStarted);
  net::ServerResponse call_ = answer(200, R"({"tasks":[]})");
  std::function<void()> on_call_;
  bool refuse_platform_ = false;
  std::string out_;
};

// Account contract, 53, 64.
TEST_F(Api, StdoutIsTheBodyAndOneLineEnd) {
  EXPECT_EQ(api(), 0);
  EXPECT_EQ(out_, "{\"tasks\":[]}\n");
  EXPECT_TRUE(log_.lines().empty());
  const auto made = requests();
  ASSERT_EQ(made.size(), 3U);
  EXPECT_EQ(made[0].header("Authorization"), "Bearer installation-token");
  EXPECT_EQ(made[1].header("Authorization"), "Bearer session-token");
  EXPECT_EQ(made[1].method, "GET");
  EXPECT_EQ(made[2].header("Authorization"), "Bearer installation-token");
}

// 54.
TEST_F(Api, OddBytesComeOutUnchanged) {
  call_.body = std::string("<info>\0\xff\xfe", 9);
  EXPECT_EQ(api(), 0);
  EXPECT_EQ(out_, call_.body + "\n");
}

// 55.
TEST_F(Api, AnotherStatusShowsTheBodyAndOneLine) {
  call_ = answer(422, R"({"message":"no"})");
  EXPECT_EQ(api(), 1);
  EXPECT_EQ(out_, "{\"message\":\"no\"}\n");
  EXPECT_EQ(log_.lines(), (std::vector<std::string>{"The service answered HTTP 422."}));
}

// 56.
TEST_F(Api, TheBodyIsSentByteForByte) {
  options_.method = "POST";
  for (const char* body : {"{}", R"({"a":{}})", R"({"n": 1.0,"e":1e2 })", "[ ]"}) {
    options_.body = body;
    EXPECT_EQ(api(), 0);
    const auto made = requests();
    EXPECT_EQ(made[made.size() - 2].body, body);
  }
  write_text(home_ / "body.json", "{\"from\":\"a file\"}\n");
  options_.body = "@" + (home_ / "body.json");
  EXPECT_EQ(api(), 0);
  const auto made = requests();
  EXPECT_EQ(made[made.size() - 2].body, "{\"from\":\"a file\"}\n");
}

// 57.
TEST_F(Api, ABodyThatIsNoneMakesNoRequest) {
  options_.method = "POST";
  for (const char* body : {"5", "{", "\"text\"", "null"}) {
    options_.body = body;
    EXPECT_EQ(api(), 1);
    EXPECT_EQ(log_.lines().back(), "--body must be valid JSON.");
  }
  options_.body = "@" + (home_ / "missing");
  EXPECT_EQ(api(), 1);
  EXPECT_TRUE(requests().empty());
}

// 58.
TEST_F(Api, ThreeSpellingsOfAPathAreOne) {
  for (const char* path : {"tasks?limit=5", "/tasks?limit=5", "/robot-council/api/tasks?limit=5"}) {
    EXPECT_EQ(wiring::online::api_target(path).value_or(""), "/robot-council/api/tasks?limit=5");
  }
}

// 59.
TEST_F(Api, APathThatLeavesTheServiceIsUsage) {
  for (const char* path :
       {"../x", "a/../b", "a/%2e%2E/b", "//evil", "http://evil", "a#b", "a b", "a\tb", ""}) {
    options_.path = path;
    EXPECT_EQ(api(), 2) << path;
  }
  options_.path = "tasks";
  for (const char* method : {"", "GE T", "ABCDEFGHIJKLMNOPQ", "G3T"}) {
    options_.method = method;
    EXPECT_EQ(api(), 2) << method;
  }
  EXPECT_TRUE(requests().empty());
}

// 60.
TEST_F(Api, ARedirectIsNotFollowed) {
  call_ = answer(302, "");
  call_.headers.emplace_back("Location", url() + "/elsewhere");
  EXPECT_EQ(api(), 1);
  EXPECT_EQ(requests().size(), 3U);
  EXPECT_EQ(log_.lines().back(), "The service answered HTTP 302.");
}

// 61.
TEST_F(Api, TheSessionIsEndedOnceWhateverHappens) {
  call_ = answer(500, "{}");
  EXPECT_EQ(api(), 1);
  EXPECT_EQ(ends(), 1U);
  on_call_ = [this] { interrupt_.interrupt(); };
  EXPECT_EQ(api(), 130);
  EXPECT_EQ(ends(), 2U);
}

TEST_F(Api, AnAnswerOverTheLimitEndsTheSessionToo) {
  call_.body = std::string((std::size_t{16} << 20U) + 1, 'x');
  EXPECT_EQ(api(), 1);
  EXPECT_EQ(out_, "");
  EXPECT_EQ(log_.lines().back(), "The call did not complete.");
  EXPECT_EQ(ends(), 1U);
}

// 62.
TEST_F(Api, OnlyAGetIsEphemeralAndARefusedPlatformIsLeftOut) {
  EXPECT_EQ(api(), 0);
  EXPECT_NE(requests()[0].body.find("\"ephemeral\":true"), std::string::npos);
  EXPECT_NE(requests()[0].body.find("\"platform\":{\"os_family\":"), std::string::npos);
  options_.method = "POST";
  refuse_platform_ = true;
  EXPECT_EQ(api(), 0);
  const auto made = requests();
  ASSERT_EQ(made.size(), 7U);
  EXPECT_EQ(made[3].body.find("ephemeral"), std::string::npos);
  EXPECT_EQ(made[4].body, "{}");
}

// 63.
TEST_F(Api, ARevokedCredentialIsNamedOnStderrOnly) {
  start_ = answer(401, R"({"message":"no"})");
  EXPECT_EQ(api(), 1);
  EXPECT_EQ(out_, "");
  EXPECT_EQ(
      log_.lines().back(),
      "This machine is not enrolled, or its credential was revoked. Run `robot-council enroll`.");
  start_ = answer(503, "");
  EXPECT_EQ(api(), 1);
  EXPECT_EQ(log_.lines().back(), "The service refused to start a session (HTTP 503).");
  start_ = answer(201, "{}");
  EXPECT_EQ(api(), 1);
  EXPECT_EQ(log_.lines().back(), "The service started a session but did not describe it usably.");
  EXPECT_EQ(ends(), 0U);
  server_->stop(base::Milliseconds(100));
  EXPECT_EQ(api(), 1);
  EXPECT_EQ(log_.lines().back(), "Could not start a session.");
}

// 31, 38: no token in anything a person or a log sees.
TEST_F(Api, TheTokensAreNeverShown) {
  call_ = answer(418, "{}");
  (void)api();
  EXPECT_FALSE(log_.contains("-token"));
  EXPECT_EQ(out_.find("-token"), std::string::npos);
}

TEST_F(Api, WithoutACredentialNoRequestIsMade) {
  options_.harness.name = "goose";
  EXPECT_EQ(api(), 1);
  EXPECT_EQ(
      log_.lines().back().find("This machine is not enrolled as `goose` against that fleet. "), 0U);
  EXPECT_TRUE(requests().empty());
}

}  // namespace robot_council::test
