#include <sys/stat.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "base/text.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::test {
namespace {

// `robot-council stops` as a person runs it.
class StopsReport : public ::testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> words(const std::vector<std::string>& more) const {
    std::vector<std::string> all = {program("robot-council"), "stops"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Ran stops(const std::vector<std::string>& more) {
    return run(words(more), {{"HOME", dir_.path()}});
  }
  // The real sessions of tests/fixtures/transcripts.
  [[nodiscard]] static std::vector<std::string> real_session(const std::string& name) {
    return {"--log", source_file("tests/fixtures/transcripts/" + name + ".stops.jsonl"),
            "--projects", source_file("tests/fixtures/transcripts")};
  }
  TempDir dir_;
};

TEST_F(StopsReport, UnknownOptionNamesAll) {
  const Ran ran = stops({"--csv"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err,
            "robot-council: Unknown option \"--csv\" for \"stops\". It takes --json --html --since "
            "--until --session --log --projects --policy --list --by --max-gap --with-text "
            "--show-pattern.\n");
}

TEST_F(StopsReport, WithoutALogItSaysSo) {
  const Ran ran = stops({});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out.rfind("No turn ends recorded: there is no stop log yet.", 0), 0U) << ran.out;
  EXPECT_EQ(base::list_directory(dir_.path()).value_or({"?"}), std::vector<std::string>());
}

TEST_F(StopsReport, LogThatCannotBeReadIsAnError) {
  const std::string fifo = dir_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& path : {fifo, dir_.path(), dir_ / "none"}) {
    const Ran ran = stops({"--log", path});
    EXPECT_EQ(ran.code, 1) << path;
    EXPECT_EQ(ran.err.rfind("robot-council: cannot read the stop log", 0), 0U) << ran.err;
  }
}

TEST_F(StopsReport, RealSessionIsReported) {
  const Ran ran = stops(real_session("first"));
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("9 pairs: too few to read"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("Left out 3: ended 2, overtaken 1."), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("tag it"), std::string::npos) << "a prompt is shown without --with-text";
}

TEST_F(StopsReport, PatternIsShown) {
  EXPECT_NE(stops({"--show-pattern"}).out.find("Known errors"), std::string::npos);
}

// Statement 104.
TEST_F(StopsReport, OpensNoSocketAndWritesNothing) {
  if (!base::exists("/usr/bin/strace")) {
    GTEST_SKIP() << "strace is not installed";
  }
  std::vector<std::string> traced = {
      "/usr/bin/strace",
      "-f",
      "-qq",
      "-e",
      "trace=socket,connect,openat,mkdir,rename,execve,fork,clone,vfork",
      "-o",
      dir_ / "trace"};
  for (const auto& word : words(real_session("second"))) {
    traced.push_back(word);
  }
  const Ran ran = run(traced, {{"HOME", dir_ / "home"}});
  if (ran.code != 0) {
    GTEST_SKIP() << "strace cannot trace here: " << ran.err;
  }
  EXPECT_NE(ran.out.find("sdk_session 1"), std::string::npos) << ran.out;
  const std::string trace = read_text(dir_ / "trace");
  EXPECT_NE(trace.find("second.stops.jsonl"), std::string::npos);
  for (const char* call : {"socket(", "connect(", "mkdir(", "rename(", "fork(", "clone(",
                           "O_WRONLY", "O_RDWR", "O_CREAT"}) {
    EXPECT_EQ(trace.find(call), std::string::npos) << call << "\n" << trace;
  }
}

}  // namespace
}  // namespace robot_council::test
