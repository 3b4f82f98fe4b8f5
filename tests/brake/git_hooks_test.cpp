#include "brake/git_hooks.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "base/environment.hpp"
#include "base/log.hpp"
#include "tests/brake/stop_fixture.hpp"

namespace robot_council::brake {
namespace {

using robot_council::test::read_text;
using robot_council::test::run;
using robot_council::test::write_text;
using test::World;

class GitHooksTest : public ::testing::Test {
 protected:
  GitHooksTest() {
    std::filesystem::remove_all(world_.checkout);
    std::filesystem::create_directories(world_.home);
    environment_.set("HOME", world_.home);
    environment_.set("PATH", "/usr/bin:/bin");
    EXPECT_EQ(
        run({"git", "init", "-q", "--template=", world_.checkout}, {{"HOME", world_.home}}).code,
        0);
  }
  Outcome install(bool refs = false) {
    return install_git_hooks({context_, {world_.home}, std::nullopt}, {world_.checkout, refs});
  }
  Outcome uninstall() {
    return uninstall_git_hooks({context_, {world_.home}, std::nullopt}, {world_.checkout, false});
  }
  [[nodiscard]] std::string hook(const std::string& name) const {
    return world_.checkout + "/.git/hooks/" + name;
  }

  World world_;
  base::MapEnvironment environment_;
  base::MemoryLog log_;
  robot_council::test::FakeClock clock_;
  base::Context context_{clock_, environment_, log_};
};

TEST_F(GitHooksTest, InstallWritesSixExecutablesAndOneMoreWithRefs) {
  EXPECT_EQ(install().ended, Ended::ok);
  for (const char* event : {"pre-commit", "prepare-commit-msg", "pre-merge-commit",
                            "pre-applypatch", "pre-rebase", "pre-push"}) {
    struct ::stat info {};
    ASSERT_EQ(::stat(hook(event).c_str(), &info), 0) << event;
    EXPECT_EQ(info.st_mode & 07777U, 0755U) << event;
  }
  EXPECT_FALSE(std::filesystem::exists(hook("reference-transaction")));
  EXPECT_EQ(install(true).ended, Ended::ok);
  EXPECT_TRUE(std::filesystem::exists(hook("reference-transaction")));
}

// 74
TEST_F(GitHooksTest, UninstallRestoresAForeignHookAndItsModeAndLinks) {
  write_text(hook("pre-commit"), "#!/bin/sh\nexit 3\n");
  ::chmod(hook("pre-commit").c_str(), 0700);
  write_text(world_.checkout + "/.git/mine", "#!/bin/sh\nexit 4\n");
  std::filesystem::create_symlink("../mine", hook("pre-push"));
  EXPECT_EQ(install().ended, Ended::ok);
  EXPECT_EQ(install().ended, Ended::ok) << "twice is once";
  EXPECT_EQ(read_text(hook("pre-commit.d/00-preexisting")), "#!/bin/sh\nexit 3\n");
  EXPECT_EQ(read_text(hook("pre-push.d/00-preexisting")), "#!/bin/sh\nexit 4\n");
  EXPECT_FALSE(std::filesystem::exists(hook("pre-commit.d/01-preexisting")));
  EXPECT_EQ(uninstall().ended, Ended::ok);
  EXPECT_EQ(read_text(hook("pre-commit")), "#!/bin/sh\nexit 3\n");
  struct ::stat info {};
  ASSERT_EQ(::stat(hook("pre-commit").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0700U);
  EXPECT_EQ(std::filesystem::read_symlink(hook("pre-push")), "../mine");
  EXPECT_FALSE(std::filesystem::exists(hook("pre-rebase")));
  EXPECT_FALSE(std::filesystem::exists(hook("pre-commit.d")));
}

// 73
TEST_F(GitHooksTest, HooksPathElsewhereWritesNothingAndPrintsTheLines) {
  EXPECT_EQ(run({"git", "-C", world_.checkout, "config", "core.hooksPath", ".husky"},
                {{"HOME", world_.home}})
                .code,
            0);
  const Outcome outcome = install();
  EXPECT_EQ(outcome.ended, Ended::failed);
  EXPECT_NE(outcome.out.find("robot-council brake-check --git pre-commit || exit 1"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(hook("pre-commit")));
  EXPECT_FALSE(std::filesystem::exists(world_.checkout + "/.husky"));
  EXPECT_EQ(run({"git", "-C", world_.checkout, "config", "core.hooksPath",
                 world_.checkout + "/.git/hooks"},
                {{"HOME", world_.home}})
                .code,
            0);
  EXPECT_EQ(install().ended, Ended::ok) << "the folder that git would take anyway";
}

// 16
TEST_F(GitHooksTest, AnAgentMayNotUninstall) {
  EXPECT_EQ(install().ended, Ended::ok);
  environment_.set("CODEX_THREAD_ID", "t");
  EXPECT_EQ(uninstall().ended, Ended::failed);
  EXPECT_TRUE(log_.contains(
      "only a person may do this (seen: CODEX_THREAD_ID); use a terminal that no agent started"));
  EXPECT_TRUE(std::filesystem::exists(hook("pre-commit")));
}

TEST_F(GitHooksTest, OutsideGitItSaysSo) {
  std::filesystem::create_directories(world_.folder / "plain");
  EXPECT_EQ(
      install_git_hooks({context_, {world_.home}, std::nullopt}, {world_.folder / "plain", false})
          .ended,
      Ended::failed);
  EXPECT_EQ(
      install_git_hooks({context_, {world_.home}, std::nullopt}, {world_.folder / "gone", false})
          .ended,
      Ended::usage);
}

}  // namespace
}  // namespace robot_council::brake
