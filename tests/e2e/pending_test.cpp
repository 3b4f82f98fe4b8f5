#include <algorithm>
#include <chrono>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "sink/seat.hpp"
#include "tests/lib/sink_fixture.hpp"

namespace robot_council {
namespace {

using test::event;
using test::line_of_event;

// The real `robot-council pending` in real checkouts.
class PendingProgram : public ::testing::Test {
 protected:
  std::string repository(const std::string& name) {
    const std::string path = home_.dir / name;
    std::filesystem::create_directories(path);
    EXPECT_EQ(test::run({"git", "init", "-q"},
                        {{"HOME", home_.dir.path()}, {"GIT_CONFIG_GLOBAL", "/dev/null"}}, {}, path)
                  .code,
              0);
    return path;
  }
  sink::Seat seat(const std::string& folder, const std::string& harness = "claude") {
    return *sink::resolve_seat({test::kService, harness, ""}, folder, home_.environment);
  }
  void store(const std::string& folder, std::int64_t id) {
    auto bridge = sink::BridgeStore::open(seat(folder).files, home_.join(), home_.context());
    ASSERT_TRUE(bridge.ok());
    ASSERT_TRUE(bridge->append({{event(id)}, id, {}, sink::Renumber::no}).ok());
  }
  std::map<std::string, std::string> environment() const {
    return {{"HOME", home_.dir.path()},
            {"XDG_STATE_HOME", home_.dir / "state"},
            {"ROBOT_COUNCIL_SERVICE", test::kService},
            {"ROBOT_COUNCIL_HARNESS", "claude"}};
  }
  test::Ran pending(const std::string& folder, std::vector<std::string> words = {}) {
    std::vector<std::string> argv = {test::program("robot-council"), "pending"};
    argv.insert(argv.end(), words.begin(), words.end());
    return test::run(argv, environment(), {}, folder);
  }
  // The system calls of one run, or nothing where strace cannot be used.
  std::optional<std::string> trace(const std::string& folder, const std::string& calls) {
    const std::string path = home_.dir / "trace";
    const auto ran = test::run({"strace", "-f", "-o", path, "-e", "trace=" + calls,
                                test::program("robot-council"), "pending"},
                               environment(), {}, folder);
    return ran.code == 0 && base::exists(path) ? std::optional(test::read_text(path))
                                               : std::nullopt;
  }

  test::SinkHome home_;
};

TEST_F(PendingProgram, AFullDiskBehindStdoutIsToldToThePersonWhoLooks) {
  const std::string one = repository("one");
  store(one, 1);
  for (const char* look : {"--peek", "--history"}) {
    const auto ran = test::run({"/bin/sh", "-c", "exec \"$1\" pending $2 >/dev/full", "sh",
                                test::program("robot-council"), look},
                               environment(), {}, one);
    const bool shows =
        std::string(look) == "--peek";  // the history is empty: there is nothing to write
    EXPECT_EQ(ran.code, shows ? 1 : 0) << look;
    EXPECT_EQ(ran.err.find("cannot write the answer to stdout") != std::string::npos, shows)
        << ran.err;
  }
}

// 5, 6, 7, 71
TEST_F(PendingProgram, S005EachCheckoutReadsItsOwnEvents) {
  const std::string one = repository("one");
  const std::string two = repository("two");
  std::filesystem::create_directories(one + "/below/deep");
  store(one, 1);
  store(two, 2);
  EXPECT_EQ(pending(one + "/below/deep").out, line_of_event(1) + "\n");
  EXPECT_EQ(pending(two).out, line_of_event(2) + "\n");
  const auto quiet = pending(one);
  EXPECT_EQ(quiet.code, 0);
  EXPECT_EQ(quiet.out + quiet.err, "");
}

// 15, 16
TEST_F(PendingProgram, S016NeitherGitNorAnyChildIsStarted) {
  const std::string one = repository("one");
  store(one, 1);
  const auto calls = trace(one, "process");
  if (!calls) {
    GTEST_SKIP() << "strace cannot be used here";
  }
  for (const char* call : {"fork(", "vfork(", "clone(", "clone3("}) {
    EXPECT_EQ(calls->find(call), std::string::npos) << *calls;
  }
  EXPECT_EQ(seat(one).checkout, *base::real_path(one) + "/.git");
}

// 89
TEST_F(PendingProgram, S089QuietTakesNoLockButTheReadLockAndWritesNothing) {
  const std::string one = repository("one");
  { auto bridge = sink::BridgeStore::open(seat(one).files, home_.join(), home_.context()); }
  const auto calls =
      trace(one, "fcntl,flock,write,pwrite64,ftruncate,fsync,fdatasync,rename,unlink,mkdir");
  if (!calls) {
    GTEST_SKIP() << "strace cannot be used here";
  }
  EXPECT_NE(calls->find("F_RDLCK"), std::string::npos) << "the sink was read";
  for (const char* call : {"F_WRLCK", "flock(", "write(", "pwrite64(", "ftruncate(", "sync(",
                           "rename(", "unlink(", "mkdir("}) {
    EXPECT_EQ(calls->find(call), std::string::npos) << *calls;
  }
}

// 77, 78
TEST_F(PendingProgram, S078WrongUseEndsWithOneNeverWithTwo) {
  const std::string one = repository("one");
  store(one, 1);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--nonsense"},
                                                {"--hook", "--peek"},
                                                {"--json"},
                                                {"--format=json"},
                                                {"--history", "x"}}) {
    const auto ran = pending(one, words);
    EXPECT_EQ(ran.code, 1) << words.front();
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
  EXPECT_EQ(pending(one, {"--nonsense"}).err,
            "robot-council: Unknown option \"--nonsense\" for \"pending\". See robot-council "
            "pending --help.\n");
  EXPECT_EQ(pending(one, {"--service=", "--format=", "--project=", "--harness="}).out,
            line_of_event(1) + "\n")
      << "4";
}

// 17
TEST_F(PendingProgram, S017RepositoryOfAnotherOwner) {
  const std::string one = repository("one");
  store(one, 1);
  if (::chown(one.c_str(), 65534, 65534) != 0 ||
      ::chown((one + "/.git").c_str(), 65534, 65534) != 0) {
    GTEST_SKIP() << "cannot give a folder away (needs root)";
  }
  EXPECT_EQ(pending(one).out, line_of_event(1) + "\n");
}

}  // namespace
}  // namespace robot_council
