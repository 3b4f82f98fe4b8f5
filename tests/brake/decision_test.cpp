#include "brake/decision.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/environment.hpp"
#include "harness/brake_client.hpp"
#include "tests/brake/stop_fixture.hpp"

namespace robot_council::brake {
namespace {

using robot_council::test::write_text;
using test::stop_text;
using test::World;

constexpr const char* kTail = " -- do not retry or work around this; only a person can lift it";

TEST(Decision, NoFilesMeansNoOpinionForEveryClient) {
  const World world;
  for (const harness::BrakeClient& client : harness::brake_clients()) {
    EXPECT_EQ(world.ask(std::string(client.id)).verdict, Verdict::none) << client.id;
  }
  EXPECT_EQ(world.ask("never-heard-of").verdict, Verdict::none);
}

// 32
TEST(Decision, EitherCopyAloneRefuses) {
  const World checkout_only;
  write_text(checkout_only.checkout_copy(), stop_text(R"("all")"));
  EXPECT_EQ(checkout_only.ask().text, std::string("stopped: wrong branch") + kTail);
  const World home_only;
  write_text(home_only.home_copy(), stop_text(R"("all")"));
  EXPECT_EQ(home_only.ask().verdict, Verdict::stopped);
}

// 32
TEST(Decision, DisagreeingCopiesAreUnited) {
  const World world;
  write_text(world.checkout_copy(), stop_text(R"(["cursor"])", "one"));
  write_text(world.home_copy(), stop_text(R"(["grok"])", "two"));
  EXPECT_TRUE(world.ask("cursor").refused());
  EXPECT_TRUE(world.ask("grok").refused());
  EXPECT_FALSE(world.ask("claude_code").refused());
}

// 36, 39
TEST(Decision, ListReachesItsClientsAndTheUnknownCaller) {
  const World world;
  write_text(world.home_copy(), stop_text(R"(["cursor"])"));
  std::size_t passed = 0;
  for (const harness::BrakeClient& client : harness::brake_clients()) {
    const bool refused = world.ask(std::string(client.id)).refused();
    EXPECT_EQ(refused, client.id == "cursor") << client.id;
    passed += refused ? 0U : 1U;
  }
  EXPECT_EQ(passed, 13U);
  EXPECT_TRUE(world.ask("never-heard-of").refused());
  EXPECT_TRUE(world.ask("").refused());
  EXPECT_TRUE(world.ask({world.checkout}, {}).refused());
}

// 36
TEST(Decision, AnotherRepositoryPasses) {
  const World world;
  write_text(world.home_copy(), stop_text(R"("all")"));
  const std::string other = world.folder / "src/other";
  World::make_git(other);
  EXPECT_FALSE(world.ask({other}, {"claude_code"}).refused());
}

// 34
TEST(Decision, SubdirectorySymlinkAndGoneDirectoryRefuse) {
  const World world;
  write_text(world.home_copy(), stop_text(R"("all")"));
  std::filesystem::create_directories(world.checkout + "/a/b");
  EXPECT_TRUE(world.ask({world.checkout + "/a/b"}, {"grok"}).refused());
  std::filesystem::create_symlink(world.checkout + "/a", world.folder / "link");
  EXPECT_TRUE(world.ask({world.folder / "link/b"}, {"grok"}).refused());
  EXPECT_TRUE(world.ask({world.checkout + "/gone/deeper"}, {"grok"}).refused());
}

// 34; cases G01 and G02: a submodule's git directory has no commondir
TEST(Decision, WorktreeAndSubmoduleRefuse) {
  const World world;
  const std::string worktree = world.folder / "wt";
  const std::string git = world.checkout + "/.git";
  write_text(worktree + "/.git", "gitdir: " + git + "/worktrees/wt\n");
  write_text(git + "/worktrees/wt/commondir", "../..\n");
  const std::string submodule = world.checkout + "/modules/foo";
  write_text(submodule + "/.git", "gitdir: ../../.git/modules/modules/foo\n");
  write_text(git + "/modules/modules/foo/HEAD", "ref: refs/heads/main\n");
  EXPECT_EQ(repository_at(worktree).repository.main_checkout,
            repository_at(world.checkout).repository.main_checkout);
  EXPECT_EQ(repository_at(submodule).repository.main_checkout, git + "/modules/modules/foo");
  EXPECT_FALSE(world.ask({worktree}, {"grok"}).refused());
  write_text(world.home_copy(), stop_text(R"("all")"));
  EXPECT_TRUE(world.ask({worktree}, {"grok"}).refused());
  EXPECT_TRUE(world.ask({submodule}, {"grok"}).refused());
}

TEST(Decision, StopOfASubmoduleDoesNotHoldInItsParent) {
  const World world;
  const std::string submodule = world.checkout + "/sub";
  write_text(submodule + "/.git", "gitdir: ../.git/modules/sub\n");
  write_text(world.checkout + "/.git/modules/sub/HEAD", "ref: refs/heads/main\n");
  write_text(world.home_copy(submodule), stop_text(R"("all")"));
  EXPECT_TRUE(world.ask({submodule}, {"grok"}).refused());
  EXPECT_FALSE(world.ask({world.checkout}, {"grok"}).refused());
}

// 35
TEST(Decision, AnyOfSeveralDirectoriesRefuses) {
  const World world;
  write_text(world.home_copy(), stop_text(R"("all")"));
  const std::string other = world.folder / "src/other";
  World::make_git(other);
  EXPECT_TRUE(world.ask({other, world.checkout}, {"grok"}).refused());
}

TEST(Decision, BareRepositoryIsItsOwnMainCheckout) {
  const World world;
  const std::string bare = world.folder / "shop.git";
  write_text(bare + "/HEAD", "ref: refs/heads/main\n");
  write_text(bare + "/objects/.keep", "");
  write_text(bare + "/refs/.keep", "");
  const RepositoryAt at = repository_at(bare);
  EXPECT_EQ(at.repository.main_checkout, bare);
  EXPECT_EQ(at.repository.name(), "shop");
  write_text(world.home_copy(bare), stop_text(R"("all")"));
  EXPECT_TRUE(world.ask({bare + "/refs"}, {"grok"}).refused());
}

// 43
TEST(Decision, WithoutARepositoryEveryStopOfTheHomeCounts) {
  const World world;
  const std::string plain = world.folder / "plain";
  std::filesystem::create_directories(plain);
  EXPECT_FALSE(world.ask({plain}, {"grok"}).refused());
  write_text(world.home_copy(), stop_text(R"(["cursor"])"));
  EXPECT_FALSE(world.ask({plain}, {"grok"}).refused());
  EXPECT_TRUE(world.ask({plain}, {"cursor"}).refused());
  write_text(stops_folder(world.home) + "/_later.json", stop_text(R"("all")"));
  EXPECT_FALSE(world.ask({plain}, {"grok"}).refused());
  write_text(world.home_copy(), stop_text(R"("all")"));
  EXPECT_TRUE(world.ask({plain}, {"grok"}).refused());
  EXPECT_TRUE(world.ask(std::vector<std::string>{}, {"grok"}).refused());
}

// 8: a plain folder's home copy holds when its own copy is gone, inside a repository made there
// later too
TEST(Decision, PlainFolderHoldsByItsHomeCopyAlone) {
  const World world;
  const std::string plain = world.folder / "plain";
  std::filesystem::create_directories(plain + "/deep");
  write_text(world.home_copy(plain), stop_text(R"("all")"));
  World::make_git(plain + "/deep");
  EXPECT_TRUE(world.ask({plain + "/deep"}, {"grok"}).refused());
}

// 46
TEST(Decision, GitFileToNowhereRefusesOnlyWithAStopFile) {
  const World world;
  const std::string broken = world.checkout + "/sub";
  write_text(broken + "/.git", "gitdir: /nowhere/at/all\n");
  EXPECT_FALSE(world.ask({broken}, {"grok"}).refused());
  write_text(stops_folder(world.home) + "/00000000000000000000000000000000.json",
             stop_text(R"("all")"));
  EXPECT_TRUE(world.ask({broken}, {"grok"}).refused());
  EXPECT_FALSE(world.ask({world.checkout}, {"grok"}).refused());
}

// 46
TEST(Decision, NoHomeIsCannotRun) {
  const World world;
  const Decision decision =
      judge(survey_stops({}, {world.checkout}, ForeignStops::when_unknown), {"grok"});
  EXPECT_EQ(decision.verdict, Verdict::cannot_run);
  EXPECT_EQ(decision.text,
            std::string("stopped: the stop check could not run; a person must look") + kTail);
}

// 40
TEST(Decision, EveryUnreadableStopFileRefusesEverybody) {
  const std::vector<std::string> contents = {
      "",
      "[]",
      "{}",
      R"({"version":1,"scope":"al)",
      "\xEF\xBB\xBF" + stop_text(R"("all")"),
      stop_text(R"("some")"),
      stop_text("[]"),
      stop_text("7"),
      stop_text(R"(["cursor","emacs"])"),
      stop_text(R"(["cursor",7])"),
      R"({"version":2,"scope":"all"})",
      R"({"version":"1","scope":"all"})",
      R"({"version":1})",
      R"({"version":1,"scope":null})",
      stop_text(R"("all")", "bad \xFF byte"),
      stop_text(R"("all")", std::string(65U * 1024U, 'x')),
      stop_text(R"("all")") + "more",
  };
  for (const std::string& content : contents) {
    const World world;
    write_text(world.home_copy(), content);
    const Decision decision = world.ask("cursor");
    EXPECT_EQ(decision.verdict, Verdict::unreadable) << content.substr(0, 60);
    EXPECT_EQ(decision.text, "stopped: a stop file could not be read (" + world.home_copy() +
                                 "); a person must run resume" + kTail);
    EXPECT_TRUE(world.ask("grok").refused()) << content.substr(0, 60);
  }
}

// 40: none of these may hang or be followed
TEST(Decision, FolderFifoAndLinkInPlaceOfAStopFileRefuse) {
  const World folder;
  std::filesystem::create_directories(folder.checkout_copy());
  EXPECT_EQ(folder.ask().verdict, Verdict::unreadable);
  const World fifo;
  std::filesystem::create_directories(fifo.checkout + "/.robot-council");
  ASSERT_EQ(::mkfifo(fifo.checkout_copy().c_str(), 0600), 0);
  EXPECT_EQ(fifo.ask().verdict, Verdict::unreadable);
  const World link;
  write_text(link.folder / "real.json", stop_text(R"(["cursor"])"));
  std::filesystem::create_directories(link.checkout + "/.robot-council");
  std::filesystem::create_symlink(link.folder / "real.json", link.checkout_copy());
  EXPECT_EQ(link.ask("grok").verdict, Verdict::unreadable);
  const World dangling;
  std::filesystem::create_directories(stops_folder(dangling.home));
  std::filesystem::create_symlink("/proc/nowhere", dangling.home_copy());
  EXPECT_EQ(dangling.ask("grok").verdict, Verdict::unreadable);
}

// 41
TEST(Decision, EverywhereFileStopsByBeingThere) {
  const World good;
  write_text(everywhere_file(good.home), stop_text(R"("all")", "machine"));
  write_text(good.home_copy(), "broken");
  EXPECT_EQ(good.ask().text, std::string("stopped: machine") + kTail);
  EXPECT_TRUE(good.ask().everywhere);
  const World empty;
  write_text(everywhere_file(empty.home), "");
  EXPECT_EQ(empty.ask().verdict, Verdict::unreadable);
  const World folder;
  std::filesystem::create_directories(everywhere_file(folder.home));
  EXPECT_EQ(folder.ask().verdict, Verdict::unreadable);
  const World dangling;
  std::filesystem::create_directories(stops_folder(dangling.home));
  std::filesystem::create_symlink(dangling.folder / "nowhere", everywhere_file(dangling.home));
  EXPECT_EQ(dangling.ask().verdict, Verdict::unreadable);
}

// 42 and decision step 2
TEST(Decision, ObstructedStopsFolderRefusesAndAMissingOneDoesNot) {
  const World missing;
  std::filesystem::create_directories(missing.home + "/.robot-council");
  EXPECT_FALSE(missing.ask().refused());
  const World file;
  write_text(file.home + "/.robot-council", "");
  EXPECT_EQ(file.ask().verdict, Verdict::unreadable);
  const World stops_is_file;
  write_text(stops_folder(stops_is_file.home), "");
  EXPECT_EQ(stops_is_file.ask().verdict, Verdict::unreadable);
  const World link;
  std::filesystem::create_directories(link.home);
  std::filesystem::create_symlink(link.folder / "nowhere", link.home + "/.robot-council");
  EXPECT_EQ(link.ask().verdict, Verdict::unreadable);
  const World no_home;
  write_text(no_home.home, "a home that is no directory");
  EXPECT_FALSE(no_home.ask().refused());
}

TEST(Decision, OrderOfTexts) {
  const World world;
  write_text(world.checkout_copy(), stop_text(R"(["grok"])", "for grok"));
  EXPECT_EQ(world.ask("grok").reason, "for grok");
  write_text(world.home_copy(), stop_text(R"("all")", "for all", "2020-01-01T00:00:00Z"));
  EXPECT_EQ(world.ask("grok").reason, "for all");
  write_text(world.checkout_copy(), "broken");
  EXPECT_EQ(world.ask("grok").verdict, Verdict::unreadable);
}

TEST(Decision, UnknownFieldsAreIgnored) {
  const World world;
  write_text(world.home_copy(), R"({"version":1,"scope":["grok"],"later":{"a":[1]},"repo":7})");
  EXPECT_EQ(world.ask("grok").reason, "stopped by a person");
  EXPECT_FALSE(world.ask("cursor").refused());
}

// 18
TEST(Decision, ReasonBecomesOneCleanLine) {
  const World world;
  write_text(world.home_copy(), stop_text(R"("all")", R"( a\nb\u001b[31m\"c\"\u0085d )"));
  EXPECT_EQ(world.ask().text, std::string("stopped: a b [31m\"c\" d") + kTail);
}

TEST(Decision, SeatsUseTheHarnessNameAndFailClosed) {
  const World world;
  base::MapEnvironment environment;
  environment.set("HOME", world.home);
  EXPECT_FALSE(decide_for_seat(environment, "claude", {world.checkout}).refused());
  write_text(world.home_copy(), stop_text(R"(["claude_code"])"));
  EXPECT_TRUE(decide_for_seat(environment, "claude", {world.checkout}).refused());
  EXPECT_TRUE(decide_for_seat(environment, "cowork", {world.checkout}).refused());
  EXPECT_FALSE(decide_for_seat(environment, "codex", {world.checkout}).refused());
  EXPECT_TRUE(decide_for_seat(environment, "opencode", {world.checkout}).refused());
  EXPECT_FALSE(decide_for_seat(environment, "goose", {world.checkout}).refused());
}

}  // namespace
}  // namespace robot_council::brake
