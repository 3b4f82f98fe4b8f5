// What `doctor` says of services that are not as they should be, and of a well one.

#include <ctime>
#include <memory>
#include <mutex>
#include <optional>

#include "base/clock.hpp"
#include "base/signals.hpp"
#include "net/http_server.hpp"
#include "tests/e2e/doctor_fixture.hpp"

namespace robot_council::test {

class DoctorService : public Doctor {
 protected:
  // A server of our own takes the place of the service.
  void serve(const net::ServerResponse& answer) {
    base::ignore_sigpipe();
    {
      const std::lock_guard<std::mutex> lock(mu_);
      answer_ = answer;
    }
    if (server_) {
      return;
    }
    auto opened = net::HttpServer::open({}, log_);
    ASSERT_TRUE(opened.ok());
    server_ = std::move(*opened);
    server_->not_found([this](const net::ServerRequest&) -> net::HandlerResult {
      const std::lock_guard<std::mutex> lock(mu_);
      return answer_;
    });
    ASSERT_TRUE(server_->start().ok());
    service_ = "http://127.0.0.1:" + std::to_string(server_->port());
    wire();
  }
  void TearDown() override {
    if (server_) {
      server_->stop(base::Milliseconds(1000));
    }
  }

  // 401 as the contract asks, with this Date.
  static net::ServerResponse unauthorized(const std::optional<std::string>& date) {
    net::ServerResponse answer;
    answer.status = 401;
    answer.body = R"({"message":"Unauthenticated."})";
    answer.headers.emplace_back("WWW-Authenticate", "Bearer");
    if (date) {
      answer.headers.emplace_back("Date", *date);
    }
    return answer;
  }
  static std::string http_date(std::int64_t seconds_from_now) {
    const std::time_t at =
        static_cast<std::time_t>(base::SystemClock().wall_ms() / 1000 + seconds_from_now);
    std::tm parts{};
    EXPECT_NE(::gmtime_r(&at, &parts), nullptr);
    std::array<char, 64> text{};
    EXPECT_GT(std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts), 0U);
    return text.data();
  }

 private:
  base::MemoryLog log_;
  std::mutex mu_;
  net::ServerResponse answer_;
  std::unique_ptr<net::HttpServer> server_;
};

// 92: the row "clock".
TEST_F(DoctorService, TheClockIsComparedWithTheDateOfTheAnswer) {
  serve(unauthorized(http_date(0)));
  EXPECT_EQ(doctor(1, {"--harness", "claude"}).at("clock"), "ok") << last_;
  EXPECT_NE(last_.find("within a minute of the service's"), std::string::npos) << last_;
  for (const std::int64_t apart : {300, -300}) {
    serve(unauthorized(http_date(apart)));
    const auto checks = doctor(1);
    EXPECT_EQ(checks.at("clock"), "warning") << apart << last_;
    EXPECT_EQ(checks.at("service"), "ok") << last_;
    // A second or two pass between the two looks at the clock.
    EXPECT_NE(last_.find("this clock and the service's are "), std::string::npos) << last_;
    EXPECT_NE(last_.find("Set the clock."), std::string::npos) << last_;
  }
  serve(unauthorized(http_date(50)));
  EXPECT_EQ(doctor(1).at("clock"), "ok") << last_;
  serve(unauthorized("half past nine"));
  EXPECT_EQ(doctor(1).at("clock"), "unknown") << last_;
  serve(unauthorized(std::nullopt));
  EXPECT_EQ(doctor(1).at("clock"), "ok") << last_;
  EXPECT_NE(last_.find("the service runs on this machine"), std::string::npos) << last_;
}

// 99: HTML.
TEST_F(DoctorService, AWebSiteDoesNotSpeakTheContract) {
  net::ServerResponse page;
  page.content_type = "text/html; charset=utf-8";
  page.body = "<!doctype html><title>Welcome</title><p>Sign in";
  serve(page);
  const auto checks = doctor(1);
  EXPECT_EQ(checks.at("service"), "failed") << last_;
  EXPECT_NE(last_.find(service_ + " does not speak the contract (HTTP 200)"), std::string::npos)
      << last_;
  EXPECT_NE(last_.find("Check the --service URL."), std::string::npos) << last_;
  EXPECT_EQ(last_.find("Welcome"), std::string::npos) << last_;
  EXPECT_EQ(checks.at("coordinator"), "unknown");
  // Local checks still answer.
  for (const char* id : {"binary", "script", "state-dir", "file-system", "sqlite", "proof"}) {
    EXPECT_EQ(checks.at(id), "ok") << id << last_;
  }
  // Neither does one that asks for another kind of credential, or for none.
  auto basic = unauthorized(std::nullopt);
  basic.headers = {{"WWW-Authenticate", "Basic realm=\"x\""}};
  serve(basic);
  EXPECT_EQ(doctor(1).at("service"), "failed") << last_;
  EXPECT_NE(last_.find("does not speak the contract (HTTP 401)"), std::string::npos) << last_;
  basic.headers.clear();
  serve(basic);
  EXPECT_EQ(doctor(1).at("service"), "failed") << last_;
}

// 92: the rows "service" and "coordinator" when all is well.
TEST_F(DoctorService, ACoordinatorIsSeen) {
  start_service();
  wire();
  start_bridge(environment_);
  auto checks = doctor(0);
  EXPECT_EQ(checks.at("coordinator"), "warning") << last_;
  EXPECT_NE(last_.find("No coordinator session; a quiet fleet is expected without one."),
            std::string::npos);
  const Ran status = council({"status", "--json"});
  const auto shown = base::parse_bounded(status.out, 1U << 20U);
  ASSERT_TRUE(shown.ok()) << status.out << status.err;
  const std::string session = std::to_string((*shown)["seats"][0]["session"]["id"].get<int>());
  const Ran role = council({"fleet", "role", session, "coordinator", "--data", data_});
  ASSERT_EQ(role.code, 0) << role.err;
  checks = doctor(0);
  EXPECT_EQ(checks.at("service"), "ok") << last_;
  EXPECT_NE(last_.find(service_ + " answers"), std::string::npos) << last_;
  EXPECT_EQ(checks.at("coordinator"), "ok") << last_;
  EXPECT_NE(last_.find("a coordinator session is there"), std::string::npos) << last_;
}

// 92: the row "file-system", on a file system that nobody can write to.
TEST_F(DoctorService, AReadOnlyStateFolderIsNamed) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can mount a file system";
  }
  wire();
  const std::string state = dir_ / "state";
  ASSERT_EQ(::mkdir(state.c_str(), 0700), 0);
  environment_["XDG_STATE_HOME"] = state;
  EXPECT_EQ(doctor(1).at("file-system"), "ok") << last_;
  const Ran ran = run({"unshare", "-m", "/bin/sh", "-c",
                       "mount -t tmpfs -o ro,mode=700 none \"$1\" || exit 77; shift; exec \"$@\"",
                       "sh", state, program("robot-council"), "doctor"},
                      environment_, {}, dir_ / "work", base::Milliseconds(90000));
  if (ran.code == 77 || ran.err.find("unshare") != std::string::npos) {
    GTEST_SKIP() << "nothing can be mounted here: " << ran.err;
  }
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.out.find("  failed   file-system: " + state +
                         " is on a file system that nobody can write to\n"),
            std::string::npos)
      << ran.out << ran.err;
  EXPECT_NE(ran.out.find("  failed   state-dir: "), std::string::npos) << ran.out;
}

}  // namespace robot_council::test
