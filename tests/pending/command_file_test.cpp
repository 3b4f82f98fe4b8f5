// `robot-council pending` and the file of its sink: absent, damaged, foreign, locked, read-only.

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include <sqlite3.h>

#include "base/files.hpp"
#include "sink/seat.hpp"
#include "tests/pending/command_fixture.hpp"

namespace robot_council::pending {
namespace {

using test::events;
using test::line_of;
using Command = test::CommandTest;

// 25
TEST_F(Command, S025NoSinkIsQuietAndNothingIsMade) {
  home_.environment.set("ROBOT_COUNCIL_HARNESS", "gemini");
  options_.project = "another";
  expect_quiet(run());
  home_.environment.set("XDG_STATE_HOME", home_.dir / "none");
  expect_quiet(run());
  EXPECT_FALSE(base::exists(home_.dir / "none"));
  home_.environment.set("XDG_STATE_HOME", home_.dir / "empty");
  const std::string folder = home_.dir / "empty/robot-council/pending";
  const std::string key = sink::seat_key({test::kService, "gemini", "another", ""});
  test::write_text(folder + "/" + key + ".db", "");
  expect_quiet(run());
  EXPECT_EQ(base::list_directory(folder)->size(), 1U);
  std::filesystem::remove(folder + "/" + key + ".db");
  std::filesystem::create_directories(folder + "/" + key + ".db");
  expect_quiet(run());
  std::filesystem::remove(folder + "/" + key + ".db");
  ASSERT_EQ(::mkfifo((folder + "/" + key + ".db").c_str(), 0600), 0);
  expect_quiet(run());
}

TEST_F(Command, ADatabaseWithoutTablesIsQuiet) {
  std::filesystem::remove(database());
  home_.sql("CREATE TABLE t(x); DROP TABLE t");
  ASSERT_GT(std::filesystem::file_size(database()), 0U);
  expect_quiet(run());
  PendingOptions show = options_;
  show.peek = true;
  expect_quiet(run(show));
  show.peek = false;
  show.history = 20;
  expect_quiet(run(show));
}

// 26
TEST_F(Command, S026ATextFileInItsPlace) {
  for (const std::string& content :
       {std::string("hello, I am no database\n"), std::string(10000, 'x')}) {
    test::write_text(database(), content);
    const Ran ran = run();
    EXPECT_EQ(ran.code, kExitSink);
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(
        ran.err,
        "The sink `" + database() +
            "` does not parse: file is not a database. It was left as it was; move it aside to let "
            "delivery resume.\n");
    EXPECT_EQ(test::read_text(database()), content);
    EXPECT_FALSE(base::exists(home_.files().turn())) << "81: no turn mark with exit 3";
  }
}

// 27
TEST_F(Command, S027ZeroedMiddlePages) {
  std::vector<sink::FeedEvent> list = events(1, 150);
  add(list);
  store_.reset();
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(database()));
  {
    std::fstream file(database(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    file << std::string(static_cast<std::size_t>(size - 2 * 4096), '\0');
  }
  const std::string bytes = test::read_text(database());
  const Ran ran = run();
  EXPECT_EQ(ran.code, kExitSink);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err.find("` does not parse: "), std::string::npos) << ran.err;
  EXPECT_EQ(test::read_text(database()), bytes);
}

// 28, 29
TEST_F(Command, S028NewerAndForeignFilesAreRefused) {
  add(events(1, 1));
  home_.sql("PRAGMA user_version=2");
  std::string bytes = test::read_text(database());
  Ran ran = run();
  EXPECT_EQ(ran.code, kExitSink);
  EXPECT_EQ(ran.err, "The sink `" + database() +
                         "` was written by a newer robot-council (version 2, this one knows 1). It "
                         "was left as it was; "
                         "update robot-council.\n");
  EXPECT_EQ(test::read_text(database()), bytes);
  const std::string foreign =
      "The sink `" + database() +
      "` is not a list of events. It was left as it was; move it aside to let delivery resume.\n";
  home_.sql("PRAGMA user_version=1; PRAGMA application_id=7");
  ran = run();
  EXPECT_EQ(ran.code, kExitSink);
  EXPECT_EQ(ran.err, foreign);
  std::filesystem::remove(database());
  home_.sql("CREATE TABLE entry(x)");
  EXPECT_EQ(run().err, foreign) << "tables, but no version";
  std::filesystem::remove(database());
  home_.sql("CREATE TABLE other(x); PRAGMA user_version=1; PRAGMA application_id=0x52435331");
  EXPECT_EQ(run().err, foreign) << "our version, but not our tables";
}

// 24
TEST_F(Command, S024ALinkIsNotFollowed) {
  add(events(1, 1));
  ASSERT_EQ(::rename(database().c_str(), (home_.dir / "x.db").c_str()), 0);
  std::filesystem::create_symlink(home_.dir / "x.db", database());
  const Ran ran = run();
  EXPECT_EQ(ran.code, kExitSink);
  EXPECT_EQ(ran.err, "Could not open the sink `" + database() + "` to read it.\n");
}

// 32
TEST_F(Command, S032AReadOnlyFileCanBePeekedAt) {
  add(events(1, 1));
  store_.reset();
  ::chmod(database().c_str(), 0400);
  PendingOptions peek = options_;
  peek.peek = true;
  const int code = run_as_nobody(peek, "");
  if (code < 0) {
    GTEST_SKIP() << "cannot give files away (needs root)";
  }
  EXPECT_EQ(code, kExitOk);
  EXPECT_EQ(run_as_nobody(options_,
                          "` could not be written back: it is read-only. It was left as it was."),
            kExitSink);
  EXPECT_EQ(test::mode_of(database()), 0400U);
}

// 34
TEST_F(Command, S034AReadOnlyFolder) {
  add(events(1, 1));
  store_.reset();
  ::chmod(home_.folder().c_str(), 0500);
  const int code = run_as_nobody(options_, "` could not be written back: ");
  if (code < 0) {
    GTEST_SKIP() << "cannot give files away (needs root)";
  }
  EXPECT_EQ(code, kExitSink);
  ::chown(database().c_str(), 0, 0);
  ::chown(home_.folder().c_str(), 0, 0);
  home_.sql("DELETE FROM entry");
  EXPECT_EQ(run_as_nobody(options_, ""), kExitOk);
}

// 33
TEST_F(Command, S033AWriteLockHeldOverTwoSeconds) {
  add(events(1, 1));
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(database().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  const auto begin = std::chrono::steady_clock::now();
  const Ran ran = run();
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(ran.code, kExitSink);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "Could not lock the sink `" + database() +
                         "` within 2 seconds, so it was left as it was.\n");
  EXPECT_GE(took, std::chrono::milliseconds(1900));
  EXPECT_LT(took, test::allowed(std::chrono::milliseconds(3500)));
  sqlite3_close(other);
  EXPECT_EQ(run().out, line_of(1) + "\n");
}

// Q02, Q03: a bridge commits again and again while readers drain.
TEST_F(Command, Q02ABridgeThatCommitsInBetweenIsNoError) {
  const pid_t bridge = test::start_child([&] {
    auto store = sink::BridgeStore::open(home_.files(), home_.join(2), home_.context());
    for (std::int64_t id = 1; store && id <= 40; ++id) {
      if (!store->append({events(id, id), id, {}, sink::Renumber::no})) {
        return 1;
      }
    }
    return store ? 0 : 2;
  });
  std::string all;
  for (int i = 0; i < 40; ++i) {
    const Ran ran = run();
    EXPECT_EQ(ran.code, kExitOk) << ran.err;
    all += ran.out;
  }
  EXPECT_EQ(test::wait_child(bridge), 0);
  all += run().out;
  for (std::int64_t id = 1; id <= 40; ++id) {
    const std::size_t at = all.find(line_of(id) + "\n");
    ASSERT_NE(at, std::string::npos) << id;
    EXPECT_EQ(all.find(line_of(id) + "\n", at + 1), std::string::npos) << id << " twice";
  }
}

// 19
TEST_F(Command, S019ACheckoutThatCannotBeTold) {
  const std::string work = home_.dir / "work";
  std::filesystem::create_directories(work);
  std::filesystem::create_symlink("/proc/self/mem", work + "/.git");
  home_.environment.set("CLAUDE_PROJECT_DIR", work);
  options_.project.clear();
  const Ran ran = run();
  EXPECT_EQ(ran.code, kExitSink);
  EXPECT_EQ(ran.err, "Could not tell which checkout this is: " + *base::real_path(work) +
                         "/.git: Input/output error, so its sink cannot be found.\n");
}

}  // namespace
}  // namespace robot_council::pending
