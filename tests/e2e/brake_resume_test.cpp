#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/e2e/brake_world.hpp"
#include "tests/lib/terminal.hpp"

namespace robot_council {
namespace {

using test::brake_program;
using test::BrakeWorld;
using test::Pty;
using test::Ran;
using test::read_text;
using test::write_text;

class BrakeResume : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!test::open_terminal()) {
      GTEST_SKIP() << test::kNoTerminal;
    }
  }
  void stop(std::vector<std::string> more = {}) {
    more.insert(more.begin(), "stop");
    EXPECT_EQ(world_.council(more).code, 0);
  }
  [[nodiscard]] bool stopped() const { return world_.check().code == 2; }
  // Starts resume under a terminal.
  [[nodiscard]] std::vector<std::string> resume(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {brake_program(), "resume"});
    return world_.as_user(more);
  }
  // The whole ceremony with this answer; the exit code.
  int ceremony(const std::string& typed, std::vector<std::string> more = {}) {
    Pty terminal(resume(std::move(more)), world_.environment(), world_.repo);
    EXPECT_TRUE(terminal.expect("to lift it")) << terminal.screen();
    EXPECT_TRUE(terminal.expect(": ")) << terminal.screen();
    terminal.type(typed);
    const int code = terminal.finish();
    screen_ = terminal.screen();
    return code;
  }
  [[nodiscard]] std::size_t lines(const std::string& part) const {
    const std::string log = world_.log();
    std::size_t count = 0;
    for (std::size_t at = log.find(part); at != std::string::npos; at = log.find(part, at + 1)) {
      ++count;
    }
    return count;
  }

  BrakeWorld world_;
  std::string screen_;
};

// 17, 19
TEST_F(BrakeResume, NeedsATerminalWhereStopNeedsNone) {
  stop();
  const Ran piped = world_.council({"resume"}, {}, "shop\n");
  EXPECT_EQ(piped.code, 1);
  EXPECT_TRUE(stopped());
  Pty half(resume(), world_.environment(), world_.repo, Pty::Stdin::null);
  EXPECT_EQ(half.finish(), 1);
  EXPECT_TRUE(stopped());
  EXPECT_EQ(lines("repo_resume"), 0U);
}

// 20
TEST_F(BrakeResume, RightNameLiftsWithOneLogLine) {
  stop({"--reason", "wrong branch"});
  EXPECT_TRUE(stopped());
  EXPECT_EQ(ceremony("shop\n"), 0) << screen_;
  EXPECT_NE(screen_.find("reason: wrong branch"), std::string::npos);
  EXPECT_NE(screen_.find("ana@example.org"), std::string::npos);
  EXPECT_FALSE(stopped());
  EXPECT_FALSE(std::filesystem::exists(world_.checkout_copy()));
  EXPECT_EQ(lines("repo_resume"), 1U);
}

// 21
TEST_F(BrakeResume, WrongCaseEmptyAndEndLeaveTheStop) {
  stop();
  for (const char* typed : {"Shop\n", "shop2\n", "\n", "everywhere\n", "\x04"}) {
    EXPECT_EQ(ceremony(typed), 1) << typed;
    EXPECT_TRUE(stopped()) << typed;
  }
  EXPECT_EQ(ceremony("\x03"), 130);
  EXPECT_TRUE(stopped());
  EXPECT_EQ(lines("repo_resume"), 0U);
}

// 21
TEST_F(BrakeResume, AnotherStopWhileItAsksLeavesTheStop) {
  stop({"--agent", "claude_code"});
  Pty terminal(resume(), world_.environment(), world_.repo);
  ASSERT_TRUE(terminal.expect("to lift it"));
  stop({"--reason", "second"});
  terminal.type("shop\n");
  EXPECT_EQ(terminal.finish(), 1);
  EXPECT_NE(terminal.screen().find("changed while this asked"), std::string::npos)
      << terminal.screen();
  EXPECT_TRUE(stopped());
}

// 22
TEST_F(BrakeResume, BlanksPassAndEarlierInputIsDropped) {
  stop();
  Pty early(resume(), world_.environment(), world_.repo);
  early.type("shop\nshop\n");
  ASSERT_TRUE(early.expect("to lift it")) << early.screen();
  early.type("nonsense\n");
  EXPECT_EQ(early.finish(), 1);
  EXPECT_TRUE(stopped());
  EXPECT_EQ(ceremony("  shop\t \n"), 0);
  EXPECT_FALSE(stopped());
}

// 23
TEST_F(BrakeResume, EverywhereIsItsOwnStop) {
  stop();
  EXPECT_EQ(world_.council({"stop", "--everywhere"}).code, 0);
  EXPECT_EQ(ceremony("shop\n", {"--everywhere"}), 1);
  EXPECT_EQ(ceremony("shop\n"), 0);
  EXPECT_NE(screen_.find("Still stopped here by"), std::string::npos);
  EXPECT_TRUE(stopped());
  stop();
  EXPECT_EQ(ceremony("everywhere\n", {"--everywhere"}), 0);
  EXPECT_FALSE(std::filesystem::exists(world_.stops() + "/_everywhere.json"));
  EXPECT_TRUE(stopped());
  EXPECT_NE(world_.log().find("\"event\":\"repo_resume\""), std::string::npos);
  EXPECT_NE(world_.log().find("\"everywhere\":true"), std::string::npos);
}

// 16, 24
TEST_F(BrakeResume, AnAgentIsRefusedWhateverElseIsSet) {
  stop();
  Pty terminal(resume(),
               world_.environment({{"CURSOR_AGENT", "1"}, {"ROBOT_COUNCIL_AGENT_COMMIT", "0"}}),
               world_.repo);
  EXPECT_EQ(terminal.finish(), 1);
  EXPECT_NE(terminal.screen().find("only a person may do this (seen: CURSOR_AGENT)"),
            std::string::npos);
  EXPECT_TRUE(stopped());
  EXPECT_NE(world_.log().find(R"("event":"repo_resume","verdict":"block","reason":"agent")"),
            std::string::npos);
}

// 25
TEST_F(BrakeResume, AnAgentsProgramAboveRefusesResumeAndNotStop) {
  std::filesystem::create_directories(world_.folder / "bin");
  std::filesystem::copy_file("/bin/sh", world_.folder / "bin/claude");
  // No exec: the shell stays as the ancestor.
  write_text(world_.folder / "bin/gemini", "#!/bin/sh\n\"$@\"\nexit $?\n");
  ::chmod((world_.folder / "bin/gemini").c_str(), 0755);
  ::chmod((world_.folder / "bin/claude").c_str(), 0755);
  const std::vector<std::vector<std::string>> starters = {
      {world_.folder / "bin/claude", "-c", "\"$@\"; exit $?", "x"},
      {"/bin/sh", world_.folder / "bin/gemini"},
  };
  for (const std::vector<std::string>& starter : starters) {
    std::vector<std::string> argv = starter;
    argv.insert(argv.end(), {brake_program(), "stop"});
    EXPECT_EQ(world_.command(argv).code, 0);
    argv.back() = "resume";
    Pty terminal(world_.as_user(argv), world_.environment(), world_.repo);
    EXPECT_EQ(terminal.finish(), 1) << terminal.screen();
    EXPECT_NE(terminal.screen().find("only a person may do this (seen: "), std::string::npos)
        << terminal.screen();
    EXPECT_TRUE(stopped());
  }
}

// 26
TEST_F(BrakeResume, CorruptFilesAreLiftedByTheCeremony) {
  stop();
  write_text(world_.checkout_copy(), "broken");
  std::filesystem::remove(world_.home_copy());
  std::filesystem::create_symlink("/proc/nowhere",
                                  world_.stops() + "/" + std::string(32, 'a') + ".json");
  world_.settle();
  EXPECT_TRUE(stopped());
  EXPECT_EQ(ceremony("shop\n"), 0) << screen_;
  EXPECT_NE(screen_.find("cannot be read"), std::string::npos);
  EXPECT_FALSE(stopped());
}

// 27
TEST_F(BrakeResume, ACopyThatStaysKeepsTheStopAndWritesNoLine) {
  stop();
  ASSERT_EQ(::chmod((world_.repo + "/.robot-council").c_str(), 0500), 0);
  EXPECT_EQ(ceremony("shop\n"), 1);
  EXPECT_NE(screen_.find("still on"), std::string::npos) << screen_;
  EXPECT_TRUE(stopped());
  EXPECT_EQ(lines("repo_resume"), 0U);
  ASSERT_EQ(::chmod((world_.repo + "/.robot-council").c_str(), 0700), 0);
}

// 28
TEST_F(BrakeResume, NothingToLiftAsksNothing) {
  Pty terminal(resume(), world_.environment(), world_.repo);
  EXPECT_EQ(terminal.finish(), 0);
  EXPECT_NE(terminal.screen().find("Nothing to lift"), std::string::npos);
  EXPECT_EQ(terminal.screen().find("to lift it"), std::string::npos);
  EXPECT_EQ(world_.log(), "");
}

// 29
TEST_F(BrakeResume, HomeCopyOfADeletedCheckoutIsLiftedByItsPath) {
  stop();
  std::filesystem::remove_all(world_.repo);
  Pty terminal(resume({"--repo", world_.repo}), world_.environment(), world_.home);
  ASSERT_TRUE(terminal.expect("to lift it")) << terminal.screen();
  terminal.type("shop\n");
  EXPECT_EQ(terminal.finish(), 0) << terminal.screen();
  EXPECT_EQ(world_.council({"brake-check", "--client", "grok"}, {}, "", world_.home).code, 0);
  const Ran again = world_.council({"resume", "--repo", world_.repo}, {}, "", world_.home);
  EXPECT_EQ(again.code, 2);
}

// 30
TEST_F(BrakeResume, KilledBetweenRemovalsARepeatCompletes) {
  stop();
  std::vector<std::string> argv = {"/usr/bin/strace",
                                   "-qq",
                                   "-o",
                                   "/dev/null",
                                   "-e",
                                   "trace=unlink,unlinkat",
                                   "-e",
                                   "inject=unlink,unlinkat:signal=KILL:when=2",
                                   brake_program(),
                                   "resume"};
  Pty terminal(world_.as_user(argv), world_.environment(), world_.repo);
  ASSERT_TRUE(terminal.expect("to lift it")) << terminal.screen();
  terminal.type("shop\n");
  EXPECT_NE(terminal.finish(), 0) << terminal.screen();
  EXPECT_TRUE(stopped()) << "one copy is left";
  EXPECT_EQ(lines("repo_resume"), 0U);
  EXPECT_EQ(ceremony("shop\n"), 0);
  EXPECT_FALSE(stopped());
}

}  // namespace
}  // namespace robot_council
