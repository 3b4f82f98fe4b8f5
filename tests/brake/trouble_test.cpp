// What the check does when the machine fails it: it refuses, and says why.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "base/environment.hpp"
#include "base/fd.hpp"
#include "brake/check.hpp"
#include "brake/disk.hpp"
#include "brake/limits.hpp"
#include "brake/payload.hpp"
#include "tests/brake/stop_fixture.hpp"

namespace robot_council::brake {
namespace {

using robot_council::test::write_text;
using test::stop_text;
using test::World;

// Fails for one variable, as a full memory would.
class FailingEnvironment final : public base::Environment {
 public:
  explicit FailingEnvironment(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] std::optional<std::string> get(const std::string& name) const override {
    if (name == name_) {
      throw std::runtime_error("no more");
    }
    return std::nullopt;
  }
  [[nodiscard]] std::vector<std::string> all() const override { return {}; }

 private:
  std::string name_;
};

TEST(BrakeTrouble, AFailureInsideRefuses) {
  const World world;
  const FailingEnvironment environment("CLAUDE_PROJECT_DIR");
  const CheckPlace place{environment, {world.home}, world.checkout};
  HookPayload payload;
  payload.readable = true;
  const Checked checked = check_tool_call(place, "claude_code", payload);
  EXPECT_NE(checked.answer.out.find("the stop check could not run"), std::string::npos);
  EXPECT_TRUE(checked.refused.has_value());
  // Git's hook cannot tell an agent from a person by an environment that fails later.
  const Checked git = check_git(place, "pre-commit");
  EXPECT_EQ(git.answer.code, 0);
  EXPECT_NE(git.answer.err.find("the stop check could not run"), std::string::npos);
  EXPECT_TRUE(decide(FailingEnvironment("HOME"), {{world.checkout}, {}}).refused());
  base::MapEnvironment agent;
  agent.set("CLAUDECODE", "1");
  EXPECT_EQ(late_git_answer(agent).code, 1);
}

TEST(BrakeTrouble, WhatCannotBeReadIsNamed) {
  const World world;
  std::string bytes;
  EXPECT_EQ(read_followed(world.checkout, 100, &bytes), EINVAL);
  EXPECT_EQ(read_followed("/proc/self/mem", 100, &bytes), EIO);
  EXPECT_EQ(read_followed("/proc/self/status", 0, &bytes), EFBIG) << "larger than it said";
  EXPECT_EQ(read_followed("/proc/self/status", 65536, &bytes), 0);
  EXPECT_EQ(errno_words(EACCES), "Permission denied");
}

TEST(BrakeTrouble, AHomeThatCannotBeLookedIntoRefuses) {
  const World world;
  std::filesystem::create_directories(world.home);
  std::filesystem::create_symlink(".robot-council", world.home + "/.robot-council");
  const Decision decision = world.ask({world.folder.path()}, {"claude_code"}, ForeignStops::always);
  EXPECT_EQ(decision.verdict, Verdict::unreadable);
}

TEST(BrakeTrouble, AmongTheMachinesStopsTheReadableOneSpeaks) {
  const World broken;
  const World good;
  write_text(everywhere_file(broken.home), "no stop");
  write_text(everywhere_file(good.home), stop_text(R"("all")", "for all"));
  for (const auto& homes : {std::vector<std::string>{broken.home, good.home},
                            std::vector<std::string>{good.home, broken.home}}) {
    const Survey survey = survey_stops(homes, {good.checkout}, ForeignStops::when_unknown);
    EXPECT_EQ(judge(survey, {"claude_code"}).reason, "for all");
  }
}

TEST(BrakeTrouble, AGitFolderThatLeadsNowhereCountsAsUnknown) {
  const auto unresolved = [](const std::string& folder) {
    return find_places({folder}).unresolved && !repository_at(folder).found;
  };
  for (const char* text : {"gitdir: /nowhere/at/all", "gitdir:", "words"}) {
    const World world;
    std::filesystem::remove_all(world.checkout + "/.git");
    write_text(world.checkout + "/.git", text);
    EXPECT_TRUE(unresolved(world.checkout)) << text;
  }
  const World linked;
  std::filesystem::rename(linked.checkout + "/.git", linked.folder / "store");
  std::filesystem::create_symlink(linked.folder / "store", linked.checkout + "/.git");
  const Places places = find_places({linked.checkout});
  EXPECT_FALSE(places.unresolved);
  ASSERT_EQ(places.repositories.size(), 1U);
  EXPECT_EQ(places.repositories[0].common, linked.folder / "store") << "the folder, not the link";
  const World dangling;
  std::filesystem::remove_all(dangling.checkout + "/.git");
  std::filesystem::create_symlink("/nowhere/at/all", dangling.checkout + "/.git");
  EXPECT_TRUE(unresolved(dangling.checkout));
  for (const char* folder : {"/.git", "/bare"}) {
    for (const bool is_folder : {true, false}) {
      const World world;
      World::make_git(world.checkout + "/bare");
      std::filesystem::rename(world.checkout + "/bare/.git", world.checkout + "/bare.git");
      std::filesystem::remove_all(world.checkout + "/bare");
      std::filesystem::rename(world.checkout + "/bare.git", world.checkout + "/bare");
      const std::string common = world.checkout + folder + "/commondir";
      if (is_folder) {
        std::filesystem::create_directories(common);
      } else {
        write_text(common, "\n");
      }
      EXPECT_TRUE(unresolved(world.checkout + (folder == std::string("/.git") ? "" : folder)))
          << folder << is_folder;
    }
  }
}

TEST(BrakeTrouble, TheWorkingDirectoryThatWasDeletedIsStillNamed) {
  const World world;
  const std::string before = process_directory();
  const std::string gone = world.folder / "gone";
  ASSERT_EQ(::mkdir(gone.c_str(), 0700), 0);
  ASSERT_EQ(::chdir(gone.c_str()), 0);
  EXPECT_EQ(process_directory(), gone);
  ASSERT_EQ(::rmdir(gone.c_str()), 0);
  EXPECT_EQ(process_directory(), gone);
  ASSERT_EQ(::chdir(before.c_str()), 0);
}

TEST(BrakeTrouble, AUserWithoutALineIsAskedOfTheNameService) {
  EXPECT_EQ(home_in_passwd("root:x:0:0:root:/root:/bin/sh\nshort:x:7\n", 7), "");
  base::MapEnvironment environment;
  environment.set("HOME", "/home/somebody/");
  if (::seteuid(54321) != 0) {
    GTEST_SKIP() << "cannot be another user (needs root)";
  }
  const std::vector<std::string> homes = find_homes(environment);
  ASSERT_EQ(::seteuid(0), 0);
  EXPECT_EQ(homes, std::vector<std::string>{"/home/somebody"});
}

TEST(BrakeTrouble, PayloadsFromAPipeAndFromWhatIsNone) {
  auto pipe = base::Pipe::open();
  ASSERT_TRUE(pipe.ok());
  ASSERT_TRUE(base::write_all(pipe->write_end.get(), R"({"tool_name":"Bash"})",
                              robot_council::test::in_time())
                  .ok());
  pipe->write_end.reset();
  const HookPayload payload = read_hook_payload(pipe->read_end.get());
  EXPECT_TRUE(payload.readable);
  EXPECT_EQ(payload.tool(), "Bash");
  const base::Result<base::Fd> folder = base::open_file("/", O_RDONLY | O_DIRECTORY);
  EXPECT_FALSE(read_hook_payload(folder->get()).readable);
}

// What never ends is not read to its end.
TEST(BrakeTrouble, APayloadOverTheBoundIsLeft) {
  using robot_council::test::TempDir;
  const TempDir folder(TempDir::Place::memory);
  const base::Result<base::Fd> file =
      base::open_file(folder / "payload", O_RDWR | O_CREAT | O_EXCL);
  ASSERT_TRUE(file.ok());
  ASSERT_EQ(::ftruncate(file->get(), static_cast<off_t>(kMaxPayloadBytes) * 2), 0);
  EXPECT_FALSE(read_hook_payload(file->get()).readable);
  const off_t read = ::lseek(file->get(), 0, SEEK_CUR);
  EXPECT_GT(read, static_cast<off_t>(kMaxPayloadBytes));
  EXPECT_LE(read, static_cast<off_t>(kMaxPayloadBytes) + 65536);
}

}  // namespace
}  // namespace robot_council::brake
