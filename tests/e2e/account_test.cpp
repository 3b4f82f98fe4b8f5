#include <sys/stat.h>

#include <csignal>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/child.hpp"
#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::test {

// The real programs: a service of this user, and a person who enrols.
class Account : public ::testing::Test {
 protected:
  void SetUp() override { environment_ = {{"HOME", dir_.path()}, {"PATH", "/nonexistent"}}; }

  void start_service(const std::vector<std::string>& more = {}) {
    base::ChildOptions options;
    options.argv = {program("robot-council"), "serve", "--listen", "127.0.0.1:0"};
    options.argv.insert(options.argv.end(), more.begin(), more.end());
    options.environment = {"HOME=" + dir_.path(), "PATH=/usr/bin:/bin"};
    options.standard_out = base::Stdio::pipe;
    options.standard_err = base::Stdio::null;
    auto child = base::Child::start(options);
    ASSERT_TRUE(child.ok());
    serve_.emplace(std::move(*child));
    ASSERT_TRUE(wait_until([this] { return base::exists(data_ + "/service.url"); }));
    service_ = base::trim(read_text(data_ + "/service.url"));
  }

  Ran council(std::vector<std::string> words) const {
    words.insert(words.begin(), program("robot-council"));
    return run(words, environment_, {}, dir_.path());
  }

  TempDir dir_;
  std::string data_ = dir_ / ".local/share/robot-council/fleet";
  std::map<std::string, std::string> environment_;
  std::string service_;
  std::optional<base::Child> serve_;
};

// Account contract, 51, 49, 31, 53.
TEST_F(Account, EnrolLocalAgainstServeThenCallIt) {
  start_service();
  environment_["ROBOT_COUNCIL_HARNESS"] = "Claude";
  const Ran enrolled = council({"enroll", "--local"});
  ASSERT_EQ(enrolled.code, 0) << enrolled.err;
  EXPECT_EQ(enrolled.out.find("This machine is enrolled.\n  Credential stored in `" + dir_.path()),
            0U)
      << enrolled.out;
  EXPECT_EQ(enrolled.err, "");
  const std::string stored = read_text(dir_ / ".config/robot-council/credentials.json");
  ASSERT_NE(stored.find("\"" + service_ + "|claude\": \""), std::string::npos) << stored;
  const std::string token = stored.substr(stored.find("\": \"") + 4, 12);
  for (const auto& text :
       {enrolled.out, enrolled.err, read_text(dir_ / ".config/robot-council/enrolments.json")}) {
    EXPECT_EQ(text.find(token), std::string::npos);
  }
  environment_["ROBOT_COUNCIL_SERVICE"] = service_;
  const Ran tasks = council({"api", "get", "tasks"});
  EXPECT_EQ(tasks.code, 0) << tasks.err;
  EXPECT_EQ(tasks.err, "");
  EXPECT_EQ(tasks.out.find("{\"tasks\":[]"), 0U) << tasks.out;
  const Ran refused = council({"api", "post", "tasks", "--body", "{}"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.err, "robot-council: The service answered HTTP 422.\n");
}

// 52.
TEST_F(Account, EnrolLocalIsForAPersonWithTheTokenOfThisService) {
  start_service();
  const std::vector<std::string> local = {"enroll", "--local", "--harness", "claude"};
  environment_["CLAUDECODE"] = "1";
  EXPECT_EQ(council(local).code, 1);
  environment_.erase("CLAUDECODE");
  const std::string token = data_ + "/operator.token";
  const std::string good = read_text(token);
  ASSERT_EQ(::chmod(token.c_str(), 0644), 0);
  EXPECT_EQ(council(local).code, 1);
  ASSERT_EQ(::chmod(token.c_str(), 0600), 0);
  write_text(token, std::string(64, '0'));
  const Ran wrong = council(local);
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.err.find(token), std::string::npos) << wrong.err;
  EXPECT_NE(wrong.err.find("robot-council serve"), std::string::npos) << wrong.err;
  EXPECT_FALSE(base::exists(dir_ / ".config/robot-council/credentials.json"));
  write_text(token, good);
  EXPECT_EQ(council({"enroll", "--local", "--harness", "claude", "--service",
                     "https://fleet.example.test"})
                .code,
            2);
  EXPECT_EQ(council(local).code, 0);
}

// 10: nobody approves, the person gives up.
TEST_F(Account, EnrolInterruptedIs130AndStoresNothing) {
  start_service();
  base::ChildOptions options;
  options.argv = {program("robot-council"), "enroll", "--harness", "claude", "--service", service_};
  options.environment = {"HOME=" + dir_.path(), "PATH=/nonexistent"};
  options.standard_out = base::Stdio::pipe;
  options.standard_err = base::Stdio::pipe;
  auto child = base::Child::start(options);
  ASSERT_TRUE(child.ok());
  ASSERT_TRUE(base::wait_readable(child->standard_out.get(), test::in_time()).ok());
  child->send_signal(SIGINT);
  const auto ended = child->wait(test::in_time());
  ASSERT_TRUE(ended.ok());
  EXPECT_EQ(ended->code, 130);
  const auto out = base::read_all(child->standard_out.get(), 1U << 20U, test::in_time());
  const auto err = base::read_all(child->standard_err.get(), 1U << 20U, test::in_time());
  EXPECT_EQ(out.value_or("").find("Approve this machine at " + service_ + "/robot-council/enroll"),
            0U)
      << out.value_or("");
  EXPECT_EQ(err.value_or("?"), "");  // 46: no terminal, no countdown
  EXPECT_FALSE(base::exists(dir_ / ".config/robot-council/credentials.json"));
}

// 34, with the real program.
TEST_F(Account, EnrolmentsAtOnceLoseNoKey) {
  start_service({"--auto-approve", "--no-rate-limit"});
  std::vector<base::Child> children;
  for (int i = 0; i < 8; ++i) {
    base::ChildOptions options;
    options.argv = {program("robot-council"),   "enroll", "--service", service_, "--harness",
                    "agent" + std::to_string(i)};
    options.environment = {"HOME=" + dir_.path(), "PATH=/nonexistent"};
    auto child = base::Child::start(options);
    ASSERT_TRUE(child.ok());
    children.push_back(std::move(*child));
  }
  for (auto& child : children) {
    const auto ended = child.wait(base::deadline_in(base::Milliseconds(30000)));
    ASSERT_TRUE(ended.ok());
    EXPECT_EQ(ended->code, 0);
  }
  const std::string stored = read_text(dir_ / ".config/robot-council/credentials.json");
  const std::string records = read_text(dir_ / ".config/robot-council/enrolments.json");
  for (int i = 0; i < 8; ++i) {
    EXPECT_NE(stored.find("|agent" + std::to_string(i) + "\""), std::string::npos);
    EXPECT_NE(records.find("|agent" + std::to_string(i) + "\""), std::string::npos);
  }
}

// 107, 7: status opens no socket, writes nothing, and needs no network executable.
TEST_F(Account, StatusOpensNoSocketAndMakesNothing) {
  EXPECT_EQ(council({"status"}).out, "No seat is known for this checkout.\n");
  EXPECT_EQ(base::list_directory(dir_.path()).value_or({"?"}), std::vector<std::string>{});
  if (!base::exists("/usr/bin/strace")) {
    GTEST_SKIP() << "strace is not installed";
  }
  const TempDir out;
  const Ran ran = run({"/usr/bin/strace", "-f", "-qq", "-e", "trace=socket,openat", "-o",
                       out / "trace", program("robot-council"), "status", "--service",
                       "http://127.0.0.1:9", "--harness", "claude"},
                      environment_, {}, dir_.path());
  const std::string trace = base::exists(out / "trace") ? read_text(out / "trace") : "";
  if (trace.find("openat(") == std::string::npos) {
    GTEST_SKIP() << "strace cannot trace here: " << ran.err;
  }
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(trace.find("socket("), std::string::npos) << trace;
  EXPECT_EQ(trace.find("O_CREAT"), std::string::npos) << trace;
}

}  // namespace robot_council::test
