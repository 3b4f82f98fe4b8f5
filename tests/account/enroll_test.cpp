#include "account/enroll.hpp"

#include <sys/stat.h>

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "account/enrolments.hpp"
#include "account/local_fleet.hpp"
#include "base/file_lock.hpp"
#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/mutex.hpp"
#include "base/sha256.hpp"
#include "net/http_server.hpp"
#include "tests/account/account_fixture.hpp"

namespace robot_council::test {

namespace {

constexpr const char* kCode =
    R"({"device_code":"dddd","user_code":"BCDFGHJK","verification_uri":"https://fleet.example.test/enroll","expires_in":600,"interval":5})";
constexpr const char* kGranted =
    R"({"installation_id":7,"token":"17|verysecret","abilities":["sessions:start"],"expires_in":2592000})";

net::ServerResponse answer(int status, const std::string& body) {
  net::ServerResponse response;
  response.status = status;
  response.body = body;
  return response;
}

net::ServerResponse grant_error(const std::string& code) {
  return answer(400, R"({"error":")" + code + R"("})");
}

}  // namespace

// A service that answers as told, in order; the last answer of a path repeats.
class Enroll : public AccountTest {
 protected:
  void SetUp() override {
    environment_.set("PATH", "/nonexistent");
    auto opened = net::HttpServer::open({}, log_);
    ASSERT_TRUE(opened.ok()) << opened.error().what;
    server_ = std::move(*opened);
    const auto handle = [this](const net::ServerRequest& request) -> net::HandlerResult {
      return next(request);
    };
    server_->route("POST", "/robot-council/api/device/code", handle);
    server_->route("POST", "/robot-council/api/device/token", handle);
    server_->route("POST", "/robot-council/api/operator/enrolments/{}/approve", handle);
    server_->not_found(handle);
    ASSERT_TRUE(server_->start().ok());
    options_.service = url();
    options_.harness.name = "claude";
    options_.harness.named = account::Named::yes;
    options_.machine_label = "bench";
    say("device/code", answer(201, kCode));
    say("device/token", answer(201, kGranted));
  }
  void TearDown() override {
    if (server_) {
      server_->stop(base::Milliseconds(1000));
    }
  }

  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(server_->port());
  }

  void say(const std::string& path, net::ServerResponse response) {
    const base::MutexLock lock(mu_);
    answers_["/robot-council/api/" + path] = {std::move(response)};
  }
  void then(const std::string& path, net::ServerResponse response) {
    const base::MutexLock lock(mu_);
    answers_["/robot-council/api/" + path].push_back(std::move(response));
  }

  net::ServerResponse next(const net::ServerRequest& request) {
    const base::MutexLock lock(mu_);
    requests_.push_back(request);
    auto& left = answers_[request.path];
    if (left.empty()) {
      return answer(404, R"({"message":"no"})");
    }
    auto response = left.front();
    if (left.size() > 1) {
      left.pop_front();
    }
    return response;
  }

  std::vector<net::ServerRequest> requests() {
    const base::MutexLock lock(mu_);
    return requests_;
  }

  // Runs the command with a clock that pauses move; waits_ = seconds waited before each further
  // request.
  int enroll() {
    account::ProgressLine progress(terminal_, [this](std::string_view text) { drawn_ += text; });
    account::EnrollIo io{
        [this](std::string_view text) -> base::Status {
          if (broken_out_) {
            return base::Error{base::Errc::io, "Broken pipe"};
          }
          out_ += text;
          return {};
        },
        [this](base::SteadyTime until) {
          const std::size_t made = requests().size();
          const auto step = std::chrono::duration_cast<base::Milliseconds>(until - clock_.steady());
          waits_[made] += step.count();
          clock_.advance(step);
          if (on_pause_) {
            on_pause_(made);
          }
          return !interrupted_;
        },
        [this] { return interrupted_.load(); }, progress, [](const std::function<void()>&) {}};
    return account::enroll(context_, options_, io);
  }

  // 44: text, exit 1, nothing stored.
  void expect_failure(const std::string& text) {
    EXPECT_EQ(enroll(), 1) << text;
    ASSERT_FALSE(log_.lines().empty()) << text;
    EXPECT_EQ(log_.lines().back(), text);
    EXPECT_FALSE(base::exists(config("credentials.json")));
    EXPECT_FALSE(base::exists(config("enrolments.json")));
  }

  std::unique_ptr<net::HttpServer> server_;
  account::EnrollOptions options_;
  base::Mutex mu_;
  std::map<std::string, std::deque<net::ServerResponse>> answers_ RC_GUARDED_BY(mu_);
  std::vector<net::ServerRequest> requests_ RC_GUARDED_BY(mu_);
  std::map<std::size_t, std::int64_t> waits_;
  std::function<void(std::size_t)> on_pause_;
  std::atomic<bool> interrupted_{false};
  bool terminal_ = false;
  bool broken_out_ = false;
  std::string drawn_;
  std::string out_;
};

// Account contract, 38.
TEST_F(Enroll, PrintsWhereTheCodeAndTheResultAndNothingElse) {
  EXPECT_EQ(enroll(), 0);
  EXPECT_EQ(out_,
            "Approve this machine at https://fleet.example.test/enroll\nYour code is "
            "BCDFGHJK\n\nThis machine is enrolled.\n"
            "  Credential stored in `" +
                config("credentials.json") +
                "`, readable only by you.\n"
                "  It expires on 2026-12-30; enroll again before then.\n");
  EXPECT_TRUE(log_.lines().empty());
  EXPECT_EQ(read("claude", account::Named::no).ok(), false);  // another service's key
  account::HarnessChoice claude{"claude", account::Named::yes, {}};
  const auto stored = account::read_credential(context_, service(url()), claude);
  ASSERT_TRUE(stored.ok());
  EXPECT_EQ(stored->token, "17|verysecret");
  EXPECT_EQ(stored->expires_ms, clock_.wall_ms() + 2592000000);
  const auto records = account::Enrolments(context_).read();
  const auto& record = records->at(url() + "|claude");
  EXPECT_EQ(record.machine_label, "bench");
  EXPECT_EQ(record.installation_id, 7);
  EXPECT_EQ(names_in(home_.path()), (std::vector<std::string>{".config"}));
}

TEST_F(Enroll, SendsTheChallengeFirstAndTheVerifierOnlyForTheToken) {
  ASSERT_EQ(enroll(), 0);
  const auto made = requests();
  ASSERT_EQ(made.size(), 2U);
  const auto first = base::parse_bounded(made[0].body, 10000);
  const auto second = base::parse_bounded(made[1].body, 10000);
  EXPECT_EQ(base::get_string(*first, "harness"), "claude");
  EXPECT_EQ(base::get_string(*first, "machine_label"), "bench");
  EXPECT_EQ(base::dump_safe(*base::get_array(*first, "requested_abilities")),
            R"(["tasks:create","tasks:claim","events:post"])");
  const std::string verifier = base::get_string(*second, "code_verifier").value_or("");
  EXPECT_EQ(verifier.size(), 64U);
  EXPECT_EQ(base::get_string(*first, "code_challenge"), base::sha256_hex(verifier));
  EXPECT_EQ(made[0].body.find(verifier), std::string::npos);
  EXPECT_EQ(base::get_string(*second, "device_code"), "dddd");
  EXPECT_FALSE(made[0].header("Authorization").has_value());
}

TEST_F(Enroll, AbilitiesGivenAreSentAsGiven) {
  options_.abilities = {"events:post"};
  ASSERT_EQ(enroll(), 0);
  EXPECT_NE(requests()[0].body.find(R"("requested_abilities":["events:post"])"), std::string::npos);
}

// 39.
TEST_F(Enroll, ThreePendingsAreThreeWaitsOfFiveSeconds) {
  say("device/token", grant_error("authorization_pending"));
  then("device/token", answer(200, R"({"error":"authorization_pending"})"));
  then("device/token", answer(503, R"({"error":"authorization_pending"})"));
  then("device/token", answer(201, kGranted));
  EXPECT_EQ(enroll(), 0);
  EXPECT_EQ(waits_, (std::map<std::size_t, std::int64_t>{{2, 5000}, {3, 5000}, {4, 5000}}));
}

// 40.
TEST_F(Enroll, SlowDownLastsFromThenOn) {
  say("device/token", grant_error("slow_down"));
  then("device/token", grant_error("slow_down"));
  then("device/token", grant_error("authorization_pending"));
  then("device/token", answer(201, kGranted));
  EXPECT_EQ(enroll(), 0);
  EXPECT_EQ(waits_, (std::map<std::size_t, std::int64_t>{{2, 10000}, {3, 15000}, {4, 15000}}));
}

// 41.
TEST_F(Enroll, TooManyWaitsAsLongAsTheServiceSays) {
  auto busy = answer(429, R"({"message":"slow"})");
  busy.headers.emplace_back("Retry-After", "7");
  say("device/token", busy);
  then("device/token", answer(429, "{}"));
  auto odd = answer(429, "{}");
  odd.headers.emplace_back("Retry-After", "soon");
  then("device/token", odd);
  then("device/token", answer(201, kGranted));
  EXPECT_EQ(enroll(), 0);
  EXPECT_EQ(waits_, (std::map<std::size_t, std::int64_t>{{2, 7000}, {3, 10000}, {4, 10000}}));
}

// 42, with the service gone and back on its port.
TEST_F(Enroll, LostConnectionsWhilePollingAreTriedAgain) {
  say("device/token", grant_error("authorization_pending"));
  then("device/token", answer(201, kGranted));
  const auto port = server_->port();
  int pauses = 0;
  on_pause_ = [&](std::size_t) {
    ++pauses;
    if (pauses == 5) {
      server_->stop(base::Milliseconds(100));
      server_.reset();
    } else if (pauses == 15) {
      net::ServerOptions same;
      same.port = port;
      auto again = net::HttpServer::open(same, log_);
      ASSERT_TRUE(again.ok()) << again.error().what;
      server_ = std::move(*again);
      server_->route("POST", "/robot-council/api/device/token",
                     [this](const net::ServerRequest& request) -> net::HandlerResult {
                       return next(request);
                     });
      ASSERT_TRUE(server_->start().ok());
    }
  };
  EXPECT_EQ(enroll(), 0);
  EXPECT_EQ(pauses, 15);
}

// 43.
TEST_F(Enroll, UnreachableToTheDeadlineIsSaidAsThat) {
  say("device/token", answer(502, "<html>"));
  expect_failure("Could not reach the service.");
  EXPECT_EQ(requests().size(), 122U);  // the code, at once, and every 5 s for 600 s
}

// 44.
TEST_F(Enroll, FailureNoHarness) {
  options_.harness.name = "";
  expect_failure("Could not tell what harness this is. Pass --harness, such as --harness=claude.");
  EXPECT_TRUE(requests().empty());
}
TEST_F(Enroll, FailureUnreachable) {
  server_->stop(base::Milliseconds(100));
  expect_failure("Could not reach the service.");
}
TEST_F(Enroll, FailureUnusableCode) {
  for (const char* body : {"{}", R"({"device_code":"d","user_code":"","verification_uri":"u"})",
                           "[]", R"({"device_code":1,"user_code":"U","verification_uri":"u"})"}) {
    say("device/code", answer(201, body));
    expect_failure("The service did not return a usable device code.");
  }
}
TEST_F(Enroll, FailureNotJson) {
  say("device/token", answer(200, "<html>"));
  expect_failure("The service answered with something that is not JSON. Check the --service URL.");
  say("device/code", answer(200, "<html>"));
  expect_failure("The service answered with something that is not JSON. Check the --service URL.");
}
TEST_F(Enroll, FailureDenied) {
  say("device/token", grant_error("access_denied"));
  expect_failure("The enrollment was denied.");
}
TEST_F(Enroll, FailureExpired) {
  say("device/token", grant_error("expired_token"));
  expect_failure("The code expired before it was approved. Run enroll again.");
}
TEST_F(Enroll, FailureNeverApproved) {
  say("device/token", grant_error("authorization_pending"));
  expect_failure("The code expired before it was approved. Run enroll again.");
}
TEST_F(Enroll, FailureRejectedCode) {
  say("device/token", grant_error("invalid_grant"));
  expect_failure("The service rejected this code. Run enroll again.");
}
TEST_F(Enroll, FailureInvalidRequest) {
  say("device/code",
      answer(422, R"({"message":"The harness is wrong.","errors":{"harness":["x"]}})"));
  expect_failure(
      "The service refused the request as invalid. Check the harness and machine label.");
}
TEST_F(Enroll, AnAbilityThatTheFleetDoesNotKnowIsNamed) {
  say("device/code", answer(422, R"({"message":"x","errors":{"requested_abilities.0":["x"]}})"));
  options_.abilities = {"nope"};
  EXPECT_EQ(enroll(), 1);
  EXPECT_TRUE(log_.contains("The service refused the request as invalid."));
  EXPECT_TRUE(
      log_.contains("asked for the abilities nope; without --ability it is asked for "
                    "tasks:create, tasks:claim, events:post."));
}
TEST_F(Enroll, FailureRateLimited) {
  say("device/code", answer(429, R"({"message":"slow"})"));
  expect_failure("The service is rate limiting this machine. Wait a moment and try again.");
}
TEST_F(Enroll, FailureOtherErrorAndOtherStatus) {
  say("device/token", grant_error("lunch_break"));
  expect_failure("The service answered `lunch_break`.");
  say("device/token", answer(418, "{}"));
  expect_failure("The service answered HTTP 418.");
  say("device/code", answer(302, ""));
  expect_failure("The service answered HTTP 302.");
}
TEST_F(Enroll, FailureNoToken) {
  for (const char* body :
       {"{}", R"({"token":""})", R"({"token":5})", "{\"token\":\"a\\u0000b\"}"}) {
    say("device/token", answer(201, body));
    expect_failure("The service approved this machine but returned no credential.");
  }
}

// 45.
TEST_F(Enroll, ALostApprovalIsNamed) {
  say("device/token", answer(504, ""));
  then("device/token", grant_error("expired_token"));
  expect_failure("An answer was lost on the way and the code is used up. Run enroll again.");
}

// 46, 9.
TEST_F(Enroll, OnlyATerminalSeesTheCountdown) {
  say("device/token", grant_error("authorization_pending"));
  then("device/token", answer(201, kGranted));
  EXPECT_EQ(enroll(), 0);
  EXPECT_EQ(drawn_, "");
  say("device/token", grant_error("authorization_pending"));
  then("device/token", answer(201, kGranted));
  terminal_ = true;
  EXPECT_EQ(enroll(), 0);
  EXPECT_EQ(drawn_.find("\rWaiting for approval, 600 s left\rWaiting for approval, 599 s left"), 0U)
      << drawn_;
  const std::string gone = "\r" + std::string(32, ' ') + "\r";
  ASSERT_GT(drawn_.size(), gone.size());
  EXPECT_EQ(drawn_.substr(drawn_.size() - gone.size()), gone);
  EXPECT_EQ(drawn_.find('\x1b'), std::string::npos);
}

// 47.
TEST_F(Enroll, UnknownFieldsOfAnAnswerAreIgnored) {
  say("device/token",
      answer(
          201,
          R"({"installation_id":7.0,"token":"t","granted_abilities":["x"],"expires_in":2592000.9})"));
  EXPECT_EQ(enroll(), 0);
  EXPECT_NE(out_.find("It expires on 2026-12-30"), std::string::npos);
}

// 48.
TEST_F(Enroll, ForeignTextReachesNoTerminalRaw) {
  say("device/code",
      answer(
          201,
          R"({"device_code":"d","user_code":"AB\u001b[31m\nC","verification_uri":"https://x\u0007/","interval":5})"));
  say("device/token", grant_error(R"(bad\u001b[2J\nline)"));
  EXPECT_EQ(enroll(), 1);
  EXPECT_EQ(out_, "Approve this machine at https://x/\nYour code is AB[31mC\n\n");
  EXPECT_EQ(log_.lines().back(), "The service answered `bad[2Jline`.");
}

// 50.
TEST_F(Enroll, AnApprovedMachineWithoutAPlaceForItsCredentialIsTold) {
  // A keyring that passes the test entry and then takes nothing.
  add_program("secret-tool", R"(
verb=$1; shift
case $1 in --label=*) shift;; esac
case $2 in robot-council-probe*) ;; *) cat >/dev/null; exit 1;; esac
f=$HOME/probe
case $verb in
  store) cat >"$f";;
  lookup) [ -f "$f" ] && cat "$f" || exit 1;;
  clear) rm -f "$f";;
esac
)");
  environment_.set("PATH", home_ / "bin");
  EXPECT_EQ(enroll(), 1);
  ASSERT_GE(log_.lines().size(), 2U);
  const auto lines = log_.lines();
  EXPECT_EQ(lines[lines.size() - 2], "The credential could not be stored in the Secret Service.");
  EXPECT_EQ(lines.back(),
            "This machine was approved, but without its credential it cannot join. Run "
            "`robot-council enroll` again; enrolling "
            "again replaces the approval.");
  for (const auto& line : lines) {
    EXPECT_EQ(line.find("verysecret"), std::string::npos);
  }
  EXPECT_EQ(out_.find("verysecret"), std::string::npos);
}

// 35: a broken file is set aside, its bytes kept.
TEST_F(Enroll, ABrokenCredentialFileIsSetAside) {
  write_credentials({});
  write_text(config("credentials.json"), "not json");
  EXPECT_EQ(enroll(), 0);
  EXPECT_EQ(read_text(config("credentials.json.corrupt-20261130T060000Z")), "not json");
}

// 32, before a request is made.
TEST_F(Enroll, AFileOthersMayReadEndsItBeforeAnyRequest) {
  write_credentials({{"x", "y"}});
  ASSERT_TRUE(base::set_mode(config("credentials.json"), 0640).ok());
  EXPECT_EQ(enroll(), 1);
  EXPECT_TRUE(requests().empty());
  EXPECT_NE(log_.lines().back().find("Run: chmod 600"), std::string::npos);
}

// 26.
TEST_F(Enroll, ANamedStoreThatIsNotUsableEndsItBeforeAnyRequest) {
  options_.store = "secret-service";
  EXPECT_EQ(enroll(), 1);
  EXPECT_TRUE(requests().empty());
  options_.store = "pocket";
  EXPECT_EQ(enroll(), 2);
}

TEST_F(Enroll, ReplacingACredentialIsSaid) {
  ASSERT_EQ(enroll(), 0);
  ASSERT_TRUE(log_.lines().empty());
  EXPECT_EQ(enroll(), 0);
  EXPECT_EQ(log_.lines().back(), "This replaces the credential of claude at " + url() +
                                     "; its running sessions end when the new one is issued.");
}

// 20.
TEST_F(Enroll, PlainHttpElsewhereIsRefusedBeforeAStoreIsTouched) {
  add_program("secret-tool", "touch \"$HOME/asked\"\n");
  environment_.set("PATH", home_ / "bin");
  options_.service = "http://fleet.example.test";
  EXPECT_EQ(enroll(), 1);
  EXPECT_EQ(log_.lines().back(),
            "The service must be reached over https. Only a loopback address may use http.");
  EXPECT_FALSE(base::exists(home_ / "asked"));
}

TEST_F(Enroll, AClosedStdoutEndsItBeforeTheCodeIsUsed) {
  broken_out_ = true;
  EXPECT_EQ(enroll(), 1);
  EXPECT_EQ(requests().size(), 1U);
}

// 10.
TEST_F(Enroll, AnInterruptWhileWaitingIs130AndStoresNothing) {
  say("device/token", grant_error("authorization_pending"));
  on_pause_ = [this](std::size_t) { interrupted_ = true; };
  EXPECT_EQ(enroll(), 130);
  EXPECT_TRUE(log_.lines().empty());
  EXPECT_FALSE(base::exists(config("credentials.json")));
}

// 51, 52.
class EnrollLocal : public Enroll {
 protected:
  void SetUp() override {
    Enroll::SetUp();
    data_ = home_ / "fleet";
    write_text(data_ + "/operator.token", std::string(64, 'a') + "\n");
    write_text(data_ + "/service.url", url() + "\n");
    ASSERT_TRUE(base::set_mode(data_, 0700).ok());
    ASSERT_TRUE(base::set_mode(data_ + "/operator.token", 0600).ok());
    options_.service = "";
    options_.local = account::Local::yes;
    options_.data = data_;
    say("operator/enrolments/BCDFGHJK/approve", answer(200, "{}"));
    auto lock = base::FileLock::try_acquire(data_ + "/serve.lock");
    ASSERT_TRUE(lock.ok());
    lock_.emplace(std::move(*lock));
  }
  std::string data_;
  std::optional<base::FileLock> lock_;
};

TEST_F(EnrollLocal, ApprovesItselfAndPrintsNoCode) {
  EXPECT_EQ(enroll(), 0) << (log_.lines().empty() ? "" : log_.lines().back());
  EXPECT_EQ(out_.find("This machine is enrolled.\n"), 0U);
  EXPECT_EQ(out_.find("BCDFGHJK"), std::string::npos);
  const auto made = requests();
  ASSERT_EQ(made.size(), 3U);
  EXPECT_EQ(made[1].path, "/robot-council/api/operator/enrolments/BCDFGHJK/approve");
  EXPECT_EQ(made[1].header("Authorization"), "Bearer " + std::string(64, 'a'));
  EXPECT_FALSE(made[2].header("Authorization").has_value());
}

TEST_F(EnrollLocal, ACodeThatTheServiceDecidedByItselfIsExchanged) {
  say("operator/enrolments/BCDFGHJK/approve", answer(409, R"({"message":"decided"})"));
  EXPECT_EQ(enroll(), 0) << (log_.lines().empty() ? "" : log_.lines().back());
  say("device/token", grant_error("access_denied"));
  EXPECT_EQ(enroll(), 1);
  EXPECT_EQ(log_.lines().back(), "The enrollment was denied.");
}

TEST_F(EnrollLocal, AnUnusableOperatorTokenEndsItWithItsPath) {
  const std::string path = data_ + "/operator.token";
  ASSERT_TRUE(base::set_mode(path, 0644).ok());
  EXPECT_EQ(enroll(), 1);
  EXPECT_NE(log_.lines().back().find(path), std::string::npos);
  EXPECT_NE(log_.lines().back().find("robot-council serve"), std::string::npos);
  ASSERT_TRUE(base::remove_file(path).ok());
  EXPECT_EQ(enroll(), 1);
  EXPECT_NE(log_.lines().back().find("`" + path + "` is not there"), std::string::npos);
  EXPECT_TRUE(requests().empty());
}

TEST_F(EnrollLocal, AWrongTokenIsRefusedWithItsPath) {
  say("operator/enrolments/BCDFGHJK/approve", answer(401, R"({"message":"no"})"));
  EXPECT_EQ(enroll(), 1);
  EXPECT_NE(log_.lines().back().find(data_ + "/operator.token"), std::string::npos);
  EXPECT_NE(log_.lines().back().find("robot-council serve"), std::string::npos);
  EXPECT_EQ(log_.lines().back().find("aaaa"), std::string::npos);
  EXPECT_FALSE(base::exists(config("credentials.json")));
}

TEST_F(EnrollLocal, AnAgentIsRefusedAndARemoteServiceIsUsage) {
  options_.agent_marker = "CLAUDECODE";
  EXPECT_EQ(enroll(), 1);
  EXPECT_EQ(log_.lines().back(),
            "only a person may do this (seen: CLAUDECODE); use a terminal that no agent started");
  options_.agent_marker = "";
  options_.service = "https://fleet.example.test";
  EXPECT_EQ(enroll(), 2);
  EXPECT_TRUE(requests().empty());
}

TEST_F(EnrollLocal, TheTokenIsNotSentToAnAddressNobodyServes) {
  lock_->release();
  EXPECT_EQ(enroll(), 1);
  EXPECT_TRUE(requests().empty());
  EXPECT_NE(log_.lines().back().find("no `serve` runs on"), std::string::npos);
}

TEST(LocalFleet, TheAddressComesFromTheFolderElseTheDefault) {
  TempDir home;
  FakeClock clock;
  base::MapEnvironment environment;
  environment.set("HOME", home.path());
  base::MemoryLog log;
  const base::Context context{clock, environment, log};
  EXPECT_EQ(account::find_local_fleet(context, "", "").service, "http://127.0.0.1:8787");
  EXPECT_EQ(account::find_local_fleet(context, "", "").data,
            home / ".local/share/robot-council/fleet");
  write_text(home / ".local/share/robot-council/fleet/service.url", "http://127.0.0.1:9999/\n");
  EXPECT_EQ(account::find_local_fleet(context, "", "").service, "http://127.0.0.1:9999");
  EXPECT_EQ(account::find_local_fleet(context, "", "http://localhost:1/").service,
            "http://localhost:1");
}

}  // namespace robot_council::test
