#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <utility>
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
using Environment = BrakeWorld::Environment;

class BrakeGit : public ::testing::Test {
 protected:
  BrakeGit() { EXPECT_EQ(world_.council({"brake", "git", "install"}).code, 0); }

  void stop(std::vector<std::string> more = {}) {
    more.insert(more.begin(), "stop");
    EXPECT_EQ(world_.council(more).code, 0);
  }
  // Commits a changed file.
  Ran commit(const Environment& more = {}, std::vector<std::string> options = {}) {
    write_text(world_.repo + "/a.txt", std::to_string(++changes_) + "\n");
    world_.settle();
    options.insert(options.begin(), {"commit", "-q", "-a", "-m", "change"});
    return world_.git(options, more);
  }
  void write_hook(const std::string& name, const std::string& body) {
    write_text(world_.repo + "/.git/hooks/" + name, "#!/bin/sh\n" + body + "\n");
    ASSERT_EQ(::chmod((world_.repo + "/.git/hooks/" + name).c_str(), 0755), 0);
    world_.settle();
  }

  BrakeWorld world_;
  int changes_ = 0;
  const Environment agent_ = {{"CLAUDECODE", "1"}};
};

// 65
TEST_F(BrakeGit, EveryStrongMarkerIsRefusedACommit) {
  EXPECT_EQ(commit({{"GEMINI_CLI", "1"}}).code, 0) << "no stop is on";
  stop();
  const std::vector<std::pair<std::string, std::string>> markers = {
      {"CLAUDE_CODE_CHILD_SESSION", "1"},
      {"CLAUDECODE", "1"},
      {"CODEX_THREAD_ID", "t"},
      {"CURSOR_AGENT", "1"},
      {"GEMINI_CLI", "1"},
      {"ANTIGRAVITY_AGENT", "1"},
      {"GROK_AGENT", "1"},
      {"COPILOT_CLI", "1"},
      {"GOOSE_TERMINAL", "1"},
      {"AGENT", "goose"},
      {"OPENHANDS_SESSION_ID", "s"},
      {"WINDSURF_CASCADE_TERMINAL", "1"},
      {"AI_AGENT", "codex"},
      {"AGENT", "amp"},
      {"OPENCODE", "1"},
      {"QWEN_CODE", "1"}};
  for (const auto& [name, value] : markers) {
    const Ran ran = commit({{name, value}});
    EXPECT_NE(ran.code, 0) << name;
    EXPECT_NE(ran.err.find("seen: " + name + "; a person uses a terminal that no agent started"),
              std::string::npos)
        << ran.err;
  }
  EXPECT_EQ(commit().code, 0) << "a person";
  EXPECT_NE(world_.log().find(
                R"("policy_id":"brake","surface":"git-hook","event":"tool_use","verdict":"block",)"
                R"("reason":"stopped","actor":"CLAUDECODE","target":"commit")"),
            std::string::npos)
      << world_.log();
}

// 65
TEST_F(BrakeGit, EveryWayToCommitIsRefusedToAnAgent) {
  EXPECT_EQ(world_.git({"checkout", "-q", "-b", "side"}).code, 0);
  write_text(world_.repo + "/side.txt", "side\n");
  world_.settle();
  EXPECT_EQ(world_.git({"add", "."}).code, 0);
  EXPECT_EQ(world_.git({"commit", "-q", "-m", "side"}).code, 0);
  EXPECT_EQ(world_.git({"format-patch", "-q", "-1", "-o", world_.folder / "patches"}).code, 0);
  EXPECT_EQ(world_.git({"checkout", "-q", "main"}).code, 0);
  EXPECT_EQ(commit().code, 0);
  EXPECT_EQ(world_.git({"init", "-q", "--bare", world_.folder / "away.git"}).code, 0);
  stop();
  const std::string before = world_.git({"rev-parse", "HEAD"}).out;
  const std::string patch = world_.folder / "patches/0001-side.patch";
  EXPECT_NE(commit(agent_).code, 0);
  EXPECT_NE(commit(agent_, {"--no-verify"}).code, 0);
  EXPECT_EQ(world_.git({"checkout", "-q", "--", "."}).code, 0);
  const std::vector<std::vector<std::string>> ways = {
      {"commit", "-q", "--amend", "-m", "x"},
      {"cherry-pick", "side"},
      {"revert", "--no-edit", "HEAD"},
      {"merge", "-q", "--no-edit", "side"},
      {"rebase", "-q", "side"},
      {"am", "-q", patch},
      {"push", "-q", world_.folder / "away.git", "main"},
  };
  for (const std::vector<std::string>& way : ways) {
    const Ran ran = world_.git(way, agent_);
    EXPECT_NE(ran.code, 0) << way.front();
    EXPECT_NE(ran.err.find("seen: CLAUDECODE"), std::string::npos)
        << way.front() << ": " << ran.err;
    (void)world_.git({"cherry-pick", "--abort"});
    (void)world_.git({"revert", "--abort"});
    (void)world_.git({"merge", "--abort"});
    (void)world_.git({"am", "--abort"});
    (void)world_.git({"reset", "-q", "--hard", "main"});
  }
  EXPECT_EQ(world_.git({"rev-parse", "HEAD"}).out, before);
  EXPECT_EQ(world_.git({"push", "-q", world_.folder / "away.git", "main"}).code, 0)
      << "a person pushes";
}

// 66, 67
TEST_F(BrakeGit, PersonsPass) {
  stop();
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"CURSOR_TRACE_ID", "t"},
                                                        {"CLAUDECODE", "0"},
                                                        {"GROK_AGENT", "x"},
                                                        {"AI_AGENT", " "},
                                                        {"AGENT", "1"}}) {
    const Ran ran = commit({{name, value}});
    EXPECT_EQ(ran.code, 0) << name;
    EXPECT_NE(ran.err.find("note: agents are stopped here\n"), std::string::npos);
  }
  EXPECT_EQ(commit({{"CLAUDECODE", "1"}, {"ROBOT_COUNCIL_AGENT_COMMIT", " off "}}).code, 0);
  const Ran said = commit({{"ROBOT_COUNCIL_AGENT_COMMIT", "yes"}});
  EXPECT_NE(said.code, 0);
  EXPECT_EQ(said.err.find("ROBOT_COUNCIL_AGENT_COMMIT"), std::string::npos);
}

// 69
TEST_F(BrakeGit, OneClientsStopKnowsItsMarker) {
  stop({"--agent", "cursor"});
  EXPECT_EQ(commit({{"CLAUDECODE", "1"}}).code, 0);
  EXPECT_NE(commit({{"CURSOR_AGENT", "1"}}).code, 0);
  EXPECT_NE(commit({{"OPENCODE", "1"}}).code, 0);
}

TEST_F(BrakeGit, AllWorktreesShareTheHooks) {
  const std::string worktree = world_.folder / "wt";
  EXPECT_EQ(world_.git({"worktree", "add", "-q", worktree, "-b", "w"}).code, 0);
  stop();
  EXPECT_NE(
      world_.command({"git", "commit", "-q", "--allow-empty", "-m", "x"}, agent_, "", worktree)
          .code,
      0);
}

// 70
TEST_F(BrakeGit, WithoutTheProgramAStopRefusesAndElseALineIsSaid) {
  if (std::filesystem::exists("/usr/local/bin/robot-council") ||
      std::filesystem::exists("/usr/bin/robot-council")) {
    GTEST_SKIP() << "robot-council is installed for all users here";
  }
  std::filesystem::remove(world_.home + "/.local/bin/robot-council");
  const Ran passed = commit();
  EXPECT_EQ(passed.code, 0);
  EXPECT_NE(passed.err.find("the stop check of this repository is missing or does not run"),
            std::string::npos);
  stop();
  const std::vector<std::string> left = {world_.checkout_copy(), world_.home_copy(),
                                         world_.stops() + "/_everywhere.json"};
  std::filesystem::rename(left[1], world_.folder / "kept");
  EXPECT_NE(commit().err.find(left[0]), std::string::npos);
  std::filesystem::remove(left[0]);
  std::filesystem::rename(world_.folder / "kept", left[1]);
  const Ran refused = commit();
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.err.find(left[1] + " is there"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("reinstall"), std::string::npos);
  std::filesystem::remove(left[1]);
  EXPECT_EQ(commit().code, 0);
  ASSERT_EQ(::chmod(world_.stops().c_str(), 0000), 0);
  EXPECT_NE(commit().code, 0) << "cannot be tested";
  ASSERT_EQ(::chmod(world_.stops().c_str(), 0700), 0);
  write_text(left[2], "");
  EXPECT_NE(commit().code, 0);
}

// 71
TEST_F(BrakeGit, PrePushInputAndArgumentsReachAForeignHookAndItsCodeCounts) {
  EXPECT_EQ(world_.council({"brake", "git", "uninstall"}).code, 0);
  write_hook("pre-push", "cat >\"" + (world_.folder / "seen") + "\"; echo \"$@\" >>\"" +
                             (world_.folder / "seen") + "\"; exit $(cat \"" +
                             (world_.folder / "code") + "\")");
  EXPECT_EQ(world_.council({"brake", "git", "install"}).code, 0);
  EXPECT_EQ(world_.git({"init", "-q", "--bare", world_.folder / "away.git"}).code, 0);
  write_text(world_.folder / "code", "0");
  world_.settle();
  const std::string away = world_.folder / "away.git";
  EXPECT_EQ(world_.git({"push", "-q", away, "main"}).code, 0);
  const std::string seen = read_text(world_.folder / "seen");
  EXPECT_EQ(seen.find("refs/heads/main "), 0U) << seen;
  EXPECT_NE(seen.find(away + " " + away + "\n"), std::string::npos) << seen;
  write_text(world_.folder / "code", "5");
  EXPECT_EQ(commit().code, 0);
  EXPECT_NE(world_.git({"push", "-q", away, "main"}).code, 0);
  write_hook("pre-push.d/50-more", "exit 0");
  write_text(world_.folder / "code", "0");
  EXPECT_EQ(world_.git({"push", "-q", away, "main"}).code, 0);
}

// 71: the hook's input is the terminal; nothing is typed and it must end
TEST_F(BrakeGit, PreCommitRunByHandOnATerminalDoesNotWait) {
  if (!test::open_terminal()) {
    GTEST_SKIP() << test::kNoTerminal;
  }
  Pty terminal(world_.as_user({world_.repo + "/.git/hooks/pre-commit"}), world_.environment(),
               world_.repo);
  EXPECT_EQ(terminal.finish(), 0) << terminal.screen();
}

// 72
TEST_F(BrakeGit, AStagedStopFileIsRefusedToAPersonToo) {
  stop();
  EXPECT_EQ(world_.git({"add", "-f", ".robot-council/stop.json"}).code, 0);
  const Ran refused = world_.git({"commit", "-q", "-m", "x"});
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.err.find(".robot-council/stop.json is never committed"), std::string::npos);
  EXPECT_EQ(world_.git({"rm", "-q", "--cached", ".robot-council/stop.json"}).code, 0);
  EXPECT_EQ(commit().code, 0);
}

// 72: a tracked one can be taken out
TEST_F(BrakeGit, ATrackedStopFileMayBeRemovedInACommit) {
  stop();
  EXPECT_EQ(world_.git({"add", "-f", ".robot-council/stop.json"}).code, 0);
  EXPECT_EQ(world_.git({"-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "x"}).code, 0);
  EXPECT_NE(world_.council({"stop"}).err.find("tracked by git"), std::string::npos);
  EXPECT_EQ(world_.git({"rm", "-q", "--cached", ".robot-council/stop.json"}).code, 0);
  EXPECT_EQ(world_.git({"commit", "-q", "-m", "out"}).code, 0);
}

TEST_F(BrakeGit, RefsHookRefusesAnAgentsFetchAndStash) {
  EXPECT_EQ(world_.council({"brake", "git", "install", "--refs"}).code, 0);
  EXPECT_EQ(commit().code, 0);
  stop();
  EXPECT_NE(world_.git({"branch", "new"}, agent_).code, 0);
  EXPECT_EQ(world_.git({"branch", "new"}).code, 0);
  EXPECT_EQ(world_.council({"brake", "git", "uninstall"}).code, 0);
  EXPECT_EQ(world_.git({"branch", "new2"}, agent_).code, 0);
}

// 16
TEST_F(BrakeGit, AnAgentMayNotTakeTheHooksAway) {
  EXPECT_EQ(world_.council({"brake", "git", "uninstall"}, agent_).code, 1);
  EXPECT_TRUE(std::filesystem::exists(world_.repo + "/.git/hooks/pre-commit"));
  EXPECT_EQ(world_.council({"brake", "git", "sideways"}).code, 2);
}

TEST_F(BrakeGit, DispatcherIsPortableShell) {
  const Ran ran = world_.command({"/bin/sh", "-n", world_.repo + "/.git/hooks/pre-push"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  if (std::filesystem::exists("/usr/bin/shellcheck")) {
    const Ran checked =
        world_.command({"/usr/bin/shellcheck", "-s", "sh", world_.repo + "/.git/hooks/pre-push"});
    EXPECT_EQ(checked.code, 0) << checked.out;
  }
}

}  // namespace
}  // namespace robot_council
