#include "brake/stop.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/environment.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "brake/copies.hpp"
#include "brake/decision_log.hpp"
#include "harness/brake_client.hpp"
#include "tests/brake/stop_fixture.hpp"

namespace robot_council::brake {
namespace {

using robot_council::test::read_text;
using robot_council::test::run;
using robot_council::test::write_text;
using test::stop_text;
using test::World;

constexpr unsigned kNobody = 65534;
constexpr std::size_t kBeforeRotation = 1048576 - 5000;  // some lines short of it

class StopTest : public ::testing::Test {
 protected:
  StopTest() {
    std::filesystem::create_directories(world_.home);
    environment_.set("HOME", world_.home);
    environment_.set("PATH", "/usr/bin:/bin");
    environment_.set("GIT_CONFIG_NOSYSTEM", "1");
  }
  Outcome stop_here(StopRequest request = {}) {
    return stop_in(world_.checkout, std::move(request));
  }
  Outcome stop_in(const std::string& folder, StopRequest request = {}) {
    request.repo = folder;
    return stop({context_, homes_, std::nullopt}, request);
  }
  static StopRequest agent(const std::string& id) {
    StopRequest request;
    request.agent = id;
    return request;
  }
  static StopRequest machine() {
    StopRequest request;
    request.everywhere = true;
    return request;
  }
  static StopRequest reason(const std::string& text) {
    StopRequest request;
    request.reason = text;
    return request;
  }
  [[nodiscard]] std::string log_text() const {
    const std::string path = decision_log_path(environment_);
    return std::filesystem::exists(path) ? read_text(path) : std::string();
  }
  static unsigned mode_of(const std::string& path) {
    struct ::stat info {};
    EXPECT_EQ(::lstat(path.c_str(), &info), 0) << path;
    return info.st_mode & 07777U;
  }

  World world_;
  std::vector<std::string> homes_{world_.home};
  base::MapEnvironment environment_;
  base::MemoryLog log_;
  robot_council::test::FakeClock clock_;
  base::Context context_{clock_, environment_, log_};
};

// 1
TEST_F(StopTest, BothCopiesHoldAllFieldsPrivately) {
  write_text(world_.home + "/.gitconfig", "[user]\n\temail = ana@example.org\n");
  EXPECT_EQ(stop_here(reason("wrong branch")).ended, Ended::ok);
  const std::string expected =
      R"({"version":1,"scope":"all","reason":"wrong branch","who":"ana@example.org","when":"2026-11-30T06:00:00Z","repo":")" +
      world_.checkout + "\"}\n";
  for (const std::string& path : {world_.home_copy(), world_.checkout_copy()}) {
    EXPECT_EQ(read_text(path), expected);
    EXPECT_EQ(mode_of(path), 0600U);
    EXPECT_EQ(mode_of(std::filesystem::path(path).parent_path()), 0700U);
  }
  EXPECT_EQ(mode_of(world_.home + "/.robot-council"), 0700U);
  EXPECT_EQ(log_text(),
            R"({"ts":"2026-11-30T06:00:00Z","policy_id":"brake","event":"repo_stop","scope":"all",)"
            R"("who":"ana@example.org","when":"2026-11-30T06:00:00Z","repo":")" +
                world_.checkout + "\"}\n");
}

// 2
TEST_F(StopTest, OneAgentIsAListAndAnUnknownOneIsUsage) {
  EXPECT_EQ(stop_here(agent("emacs")).ended, Ended::usage);
  EXPECT_FALSE(std::filesystem::exists(world_.home_copy()));
  EXPECT_FALSE(std::filesystem::exists(world_.home + "/.robot-council"));
  EXPECT_EQ(stop_here(agent("cursor")).ended, Ended::ok);
  EXPECT_EQ(read_stop(world_.checkout_copy()).stop.scope, (Scope{false, {"cursor"}}));
  EXPECT_NE(read_text(world_.home_copy()).find(R"("scope":["cursor"])"), std::string::npos);
}

// 3, 4
TEST_F(StopTest, EverywhereWritesOnlyTheMachinesFile) {
  StopRequest both = machine();
  both.agent = "cursor";
  EXPECT_EQ(stop_here(both).ended, Ended::usage);
  EXPECT_FALSE(std::filesystem::exists(world_.home + "/.robot-council"));
  EXPECT_EQ(stop_here(machine()).ended, Ended::ok);
  EXPECT_EQ(read_stop(everywhere_file(world_.home)).stop.repo, "");
  EXPECT_TRUE(read_stop(everywhere_file(world_.home)).stop.scope.all);
  EXPECT_FALSE(std::filesystem::exists(world_.home_copy()));
  EXPECT_FALSE(std::filesystem::exists(world_.checkout_copy()));
  // 82: `everywhere` and, inside a repository, `repo`
  EXPECT_NE(log_text().find("\"repo\":\"" + world_.checkout + "\",\"everywhere\":true"),
            std::string::npos);
  std::filesystem::create_directories(world_.folder / "plain");
  EXPECT_EQ(stop_in(world_.folder / "plain", machine()).ended, Ended::ok);
  EXPECT_EQ(log_text().find(world_.folder / "plain"), std::string::npos);
}

// 5
TEST_F(StopTest, ANarrowerStopKeepsAllAndTwoSingleOnesAddUp) {
  EXPECT_EQ(stop_here(agent("grok")).ended, Ended::ok);
  EXPECT_NE(stop_here(agent("cursor")).out.find("it was not made narrower"), std::string::npos);
  EXPECT_EQ(read_stop(world_.checkout_copy()).stop.scope, (Scope{false, {"cursor", "grok"}}));
  EXPECT_EQ(stop_here().ended, Ended::ok);
  const Outcome narrower = stop_here(agent("cursor"));
  EXPECT_NE(narrower.out.find("A broader stop was on already"), std::string::npos);
  EXPECT_NE(narrower.out.find("Stopped shop: every agent"), std::string::npos);
  EXPECT_TRUE(read_stop(world_.home_copy()).stop.scope.all);
}

TEST_F(StopTest, AReasonOnceGivenStaysUntilANewOneIs) {
  EXPECT_EQ(stop_here(reason("first")).ended, Ended::ok);
  clock_.advance(base::Milliseconds(5000));
  EXPECT_EQ(stop_here().ended, Ended::ok);
  EXPECT_EQ(read_stop(world_.home_copy()).stop.reason, "first");
  EXPECT_EQ(read_stop(world_.home_copy()).stop.when, "2026-11-30T06:00:05Z");
  EXPECT_EQ(stop_here(reason("second")).ended, Ended::ok);
  EXPECT_EQ(read_stop(world_.checkout_copy()).stop.reason, "second");
}

// 6
TEST_F(StopTest, OverACorruptCopyTheScopeIsAll) {
  write_text(world_.checkout_copy(), "not json");
  EXPECT_EQ(stop_here(agent("cursor")).ended, Ended::ok);
  EXPECT_TRUE(read_stop(world_.checkout_copy()).stop.scope.all);
  EXPECT_TRUE(read_stop(world_.home_copy()).stop.scope.all);
}

// 7
TEST_F(StopTest, WithoutAGitIdentityWhoIsEmptyAndAHangingGitDelaysLittle) {
  EXPECT_EQ(stop_here().ended, Ended::ok);
  EXPECT_EQ(read_stop(world_.home_copy()).stop.who, "");
  write_text(world_.folder / "bin/git", "#!/bin/sh\nexec sleep 60\n");
  ::chmod((world_.folder / "bin/git").c_str(), 0755);
  environment_.set("PATH", (world_.folder / "bin") + ":/usr/bin:/bin");
  const base::SteadyTime before = base::SystemClock().steady();
  EXPECT_EQ(stop_here().ended, Ended::ok);
  EXPECT_LT(base::SystemClock().steady() - before,
            robot_council::test::allowed(base::Milliseconds(3000)));
}

// 8
TEST_F(StopTest, PlainFolderAndLinkedWorktree) {
  const std::string plain = world_.folder / "plain";
  std::filesystem::create_directories(plain);
  EXPECT_EQ(stop_in(plain).ended, Ended::ok);
  EXPECT_TRUE(std::filesystem::exists(plain + "/.robot-council/stop.json"));
  EXPECT_TRUE(world_.ask({plain}, {"grok"}).refused());
  const std::string worktree = world_.folder / "wt";
  write_text(worktree + "/.git", "gitdir: " + world_.checkout + "/.git/worktrees/wt\n");
  write_text(world_.checkout + "/.git/worktrees/wt/commondir", "../..\n");
  EXPECT_EQ(stop_in(worktree).ended, Ended::ok);
  EXPECT_TRUE(std::filesystem::exists(world_.checkout_copy()));
  EXPECT_FALSE(std::filesystem::exists(worktree + "/.robot-council"));
  EXPECT_EQ(stop_in(world_.folder / "gone").ended, Ended::usage);
}

// 9, here by a file in the folder's place, which holds for root too
TEST_F(StopTest, AFolderThatCannotBeWrittenLeavesTheHomeCopy) {
  write_text(world_.checkout + "/.robot-council", "a file");
  const Outcome outcome = stop_here();
  EXPECT_EQ(outcome.ended, Ended::failed);
  EXPECT_TRUE(log_.contains(world_.checkout_copy()));
  EXPECT_TRUE(log_.contains("the stop is on through the others"));
  EXPECT_TRUE(world_.ask().refused());
}

// 11
TEST_F(StopTest, BothHomesAreWrittenAndEitherAloneRefuses) {
  const std::string second = world_.folder / "second";
  std::filesystem::create_directories(second);
  homes_.push_back(second);
  EXPECT_EQ(stop_here().ended, Ended::ok);
  const std::string key = repository_at(world_.checkout).repository.key;
  EXPECT_TRUE(std::filesystem::exists(stops_folder(second) + "/" + key + ".json"));
  std::filesystem::remove_all(world_.checkout + "/.robot-council");
  for (const std::string& home : homes_) {
    const Survey survey = survey_stops({home}, {world_.checkout}, ForeignStops::when_unknown);
    EXPECT_TRUE(judge(survey, {"grok"}).refused()) << home;
  }
}

// 12
TEST_F(StopTest, AStopsFolderLinkedToAnotherUsersIsNotWrittenThrough) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can make another user's folder";
  }
  const std::string foreign = world_.folder / "foreign";
  std::filesystem::create_directories(foreign);
  ASSERT_EQ(::chown(foreign.c_str(), kNobody, kNobody), 0);
  std::filesystem::create_directories(world_.home + "/.robot-council");
  std::filesystem::create_symlink(foreign, stops_folder(world_.home));
  EXPECT_EQ(stop_here().ended, Ended::failed);
  EXPECT_TRUE(std::filesystem::is_empty(foreign));
  EXPECT_TRUE(std::filesystem::exists(world_.checkout_copy()));
  EXPECT_TRUE(log_.contains("belongs to another user"));
}

// 13, 14
TEST_F(StopTest, GitNeverSeesTheCopyAndATrackedOneIsWarnedAbout) {
  const std::string repo = world_.folder / "real";
  const std::map<std::string, std::string> env = {{"HOME", world_.home}};
  ASSERT_EQ(run({"git", "init", "-q", repo}, env).code, 0);
  EXPECT_EQ(stop_in(repo).ended, Ended::ok);
  EXPECT_EQ(stop_in(repo).ended, Ended::ok);
  const std::string exclude = read_text(repo + "/.git/info/exclude");
  const std::string line = "/.robot-council/stop.json\n";
  EXPECT_NE(exclude.find(line), std::string::npos);
  EXPECT_EQ(exclude.find(line), exclude.rfind(line));
  EXPECT_EQ(run({"git", "-C", repo, "status", "--porcelain"}, env).out, "");
  EXPECT_TRUE(log_.lines().empty());
  ASSERT_EQ(run({"git", "-C", repo, "add", "-f", ".robot-council/stop.json"}, env).code, 0);
  EXPECT_EQ(stop_in(repo).ended, Ended::ok);
  EXPECT_TRUE(log_.contains("tracked by git"));
}

// 15
TEST_F(StopTest, PrintsTheLimitsAndEachClientsState) {
  write_text(world_.home + "/.cursor/hooks.json",
             "{\"hooks\":{\"preToolUse\":[{\"command\":" +
                 base::quote_json(harness::brake_command("cursor")) + "}]}}");
  write_text(world_.checkout + "/.codex/hooks.json",
             "{\"x\":" + base::quote_json(harness::brake_command("codex_cli")) + "}");
  const Outcome outcome = stop_here();
  EXPECT_NE(outcome.out.find(limits_text()), std::string::npos);
  EXPECT_NE(outcome.out.find("  cursor: wired (" + world_.home + "/.cursor/hooks.json)\n"),
            std::string::npos);
  EXPECT_NE(outcome.out.find("  codex_cli: wired, unknown whether trusted in the client (" +
                             world_.checkout + "/.codex/hooks.json)\n"),
            std::string::npos);
  EXPECT_NE(outcome.out.find("  devin: not wired\n"), std::string::npos);
  EXPECT_NE(outcome.out.find("robot-council resume --repo " + world_.checkout + "\n"),
            std::string::npos);
  EXPECT_NE(outcome.out.find(world_.home_copy()), std::string::npos);
  EXPECT_NE(outcome.out.find("The next tool call of every wired client is refused"),
            std::string::npos);
  EXPECT_EQ(outcome.out.find("all agents are stopped"), std::string::npos);
}

// 16
TEST_F(StopTest, AnAgentIsRefusedAndLogged) {
  environment_.set("GEMINI_CLI", "1");
  EXPECT_EQ(stop_here().ended, Ended::failed);
  EXPECT_FALSE(std::filesystem::exists(world_.home + "/.robot-council"));
  EXPECT_TRUE(log_.contains(
      "only a person may do this (seen: GEMINI_CLI); use a terminal that no agent started"));
  EXPECT_NE(log_text().find(R"("event":"repo_stop","verdict":"block","reason":"agent")"),
            std::string::npos);
  environment_.set("ROBOT_COUNCIL_AGENT_COMMIT", "0");
  EXPECT_EQ(stop_here().ended, Ended::failed) << "no variable switches this off";
}

// 18
TEST_F(StopTest, ReasonsAreStoredClean) {
  EXPECT_EQ(stop_here(reason("a\n\x1B[1m\"b\" \xFF " + std::string(10240, 'x'))).ended, Ended::ok);
  const std::string text = read_text(world_.home_copy());
  EXPECT_EQ(text.find('\x1B'), std::string::npos);
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  EXPECT_EQ(read_stop(world_.home_copy()).stop.reason.size(), 500U);
  EXPECT_EQ(world_.ask().text.substr(0, 18), "stopped: a  [1m\"b\"");
}

TEST_F(StopTest, ALeftTemporaryFileGoes) {
  const std::string left = world_.home_copy() + ".tmp." + std::to_string(::getpid());
  write_text(left, "left");
  EXPECT_EQ(stop_here().ended, Ended::ok);
  EXPECT_FALSE(std::filesystem::exists(left));
}

TEST_F(StopTest, NoHomeOfThisUserIsSaidAndTheRepositoryCopyStopsAlone) {
  homes_ = {world_.folder / "nowhere"};
  EXPECT_EQ(stop_here().ended, Ended::failed);
  EXPECT_TRUE(std::filesystem::exists(world_.checkout_copy()));
}

// 49
TEST_F(StopTest, ManyChecksBesideStopsAndRemovalsSeeNoTornFile) {
  std::atomic<bool> over{false};
  std::atomic<int> unreadable{0};
  std::vector<std::thread> readers;
  for (int n = 0; n < 4; ++n) {
    readers.emplace_back([&] {
      while (!over) {
        unreadable += world_.ask().verdict == Verdict::unreadable ? 1 : 0;
      }
    });
  }
  const Stop some{Scope{false, {"cursor"}}, "r", "", "2026-11-30T06:00:00Z", world_.checkout};
  for (int n = 0; n < 200; ++n) {
    ASSERT_TRUE(write_copy(world_.home_copy(), some).ok());
    ASSERT_TRUE(write_copy(world_.checkout_copy(), some).ok());
    ASSERT_TRUE(remove_copy(world_.home_copy()).ok());
    ASSERT_TRUE(remove_copy(world_.checkout_copy()).ok());
  }
  over = true;
  for (std::thread& reader : readers) {
    reader.join();
  }
  EXPECT_EQ(unreadable, 0);
}

// 81
TEST_F(StopTest, LogIsPrivateAndLosesNothingInARotationByMany) {
  const std::string path = decision_log_path(environment_);
  write_text(path, std::string(kBeforeRotation, 'x') + "\n");
  ::chmod(path.c_str(), 0644);
  constexpr int kThreads = 8;
  constexpr int kLines = 50;
  std::vector<std::thread> writers;
  for (int n = 0; n < kThreads; ++n) {
    writers.emplace_back([this] {
      for (int line = 0; line < kLines; ++line) {
        log_refused(environment_, clock_, {Surface::pre_tool_use, "grok", "s", "Bash", "/r"});
      }
    });
  }
  for (std::thread& writer : writers) {
    writer.join();
  }
  EXPECT_EQ(mode_of(path), 0600U);
  const std::string all =
      read_text(std::filesystem::path(path).parent_path() / "decisions.1.jsonl") + read_text(path);
  std::size_t lines = 0;
  for (const std::string& line : base::split(all, '\n')) {
    if (line.rfind("{\"ts\"", 0) == 0) {
      EXPECT_EQ(line.back(), '}');
      ++lines;
    }
  }
  EXPECT_EQ(lines, static_cast<std::size_t>(kThreads * kLines));
}

// 82
TEST_F(StopTest, ALogThatCannotBeWrittenChangesNothing) {
  write_text(world_.home + "/.local/state", "a file");
  EXPECT_EQ(stop_here().ended, Ended::ok);
  EXPECT_TRUE(world_.ask().refused());
  log_refused(environment_, clock_, {});
}

}  // namespace
}  // namespace robot_council::brake
