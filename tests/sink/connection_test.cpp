// One connection to a sink, asked directly: what its callers refuse or wait for earlier.

#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/files.hpp"
#include "sink/database.hpp"
#include "tests/lib/sink_fixture.hpp"

namespace robot_council::sink {
namespace {

using test::SinkHome;

// Between the look at the path and the opening somebody may have put a link there.
TEST(Connection, ALinkAtThePathIsNotFollowed) {
  SinkHome home;
  { BridgeStore store = home.bridge(); }
  const std::string elsewhere = home.dir / "elsewhere.db";
  std::filesystem::rename(home.files().database(), elsewhere);
  std::filesystem::create_symlink(elsewhere, home.files().database());
  for (const auto mode : {Connection::Mode::read_only, Connection::Mode::read_write}) {
    try {
      static_cast<void>(
          Connection::open(home.files(), mode, base::deadline_in(base::Milliseconds(100))));
      ADD_FAILURE() << "opened what a link names";
    } catch (const SQLite::Exception& x) {
      EXPECT_EQ(x.getErrorCode(), SQLITE_CANTOPEN);
    }
  }
}

// Whole homes lie behind links; what is refused is a link at the file.
TEST(Connection, ALinkInTheFoldersOnTheWayIsFollowed) {
  SinkHome home;
  const std::string linked = home.dir / "linked";
  std::filesystem::create_directory_symlink(std::filesystem::path(home.folder()).parent_path(),
                                            linked);
  SeatFiles files = home.files();
  files.folder = linked + "/" + base::base_name(home.folder());
  { BridgeStore store = home.bridge(); }
  const auto connection = Connection::open(files, Connection::Mode::read_write, test::in_time());
  // The journal lies where a process that came the other way looks for it.
  ASSERT_TRUE(write_transaction(*connection, WaitBudget(), [&] {
                connection->db().exec("DELETE FROM entry");
                EXPECT_TRUE(base::exists(home.files().database() + "-journal"));
                return base::Status();
              }).ok());
  EXPECT_EQ(connection->inode(), locate(home.files()).inode);
}

// SQLite is told whole paths; one from somewhere would be looked up where the program happens to
// stand.
TEST(Connection, APathFromTheWorkingDirectoryIsRefused) {
  SinkHome home;
  { BridgeStore store = home.bridge(); }
  const auto opened = [&] {
    SeatFiles files = home.files();
    files.folder = ".";
    if (::chdir(home.folder().c_str()) != 0 || !locate(files).exists) {
      return 2;
    }
    try {
      static_cast<void>(Connection::open(files, Connection::Mode::read_only,
                                         base::deadline_in(base::Milliseconds(100))));
    } catch (const SQLite::Exception& x) {
      return x.getErrorCode() == SQLITE_CANTOPEN ? 0 : 3;
    }
    return 1;
  };
  EXPECT_EQ(test::in_child(opened), 0);
}

// 47
TEST(Connection, S047ItsSettingsAreThoseOfTheContract) {
  SinkHome home;
  { BridgeStore store = home.bridge(); }
  const auto connection =
      Connection::open(home.files(), Connection::Mode::read_write, test::in_time());
  const auto value = [&](const std::string& name) {
    return connection->db().execAndGet("PRAGMA " + name).getString();
  };
  EXPECT_EQ(value("trusted_schema"), "0");
  EXPECT_EQ(value("cell_size_check"), "1");
  EXPECT_EQ(value("mmap_size"), "0");
  EXPECT_EQ(value("foreign_keys"), "1");
  ASSERT_TRUE(write_transaction(*connection, WaitBudget(), [] { return base::Status(); }).ok());
  EXPECT_EQ(value("synchronous"), "2") << "FULL";
  EXPECT_EQ(value("journal_mode"), "truncate");
}

// A bridge may set a file aside and begin another between the look at the path and the opening.
TEST(Connection, ItKnowsWhichFileItHasOpenThoughThePathWasGivenAnother) {
  SinkHome home;
  { BridgeStore store = home.bridge(); }
  const Location seen = locate(home.files());
  std::filesystem::rename(home.files().database(), home.dir / "aside");
  { BridgeStore store = home.bridge(); }
  const Location now = locate(home.files());
  ASSERT_NE(seen.inode, now.inode);
  Location other_device = now;
  ++other_device.device;
  for (const Location& before : {seen, other_device}) {
    const auto connection =
        Connection::open(home.files(), Connection::Mode::read_write, test::in_time(), before);
    EXPECT_EQ(connection->inode(), now.inode);
    EXPECT_TRUE(connection->still_at_path());
  }
}

TEST(Connection, AnotherFileOfTheSameNumberIsAnotherFile) {
  SinkHome home;
  const std::string folder = home.folder();
  ASSERT_TRUE(base::make_private_directory(folder).ok());
  if (::mount("none", folder.c_str(), "tmpfs", 0, "size=1m,mode=0700") != 0) {
    GTEST_SKIP() << "cannot mount a tmpfs here (needs root and CAP_SYS_ADMIN)";
  }
  { BridgeStore store = home.bridge(); }
  const Location first = locate(home.files());
  {
    const auto connection =
        Connection::open(home.files(), Connection::Mode::read_write, test::in_time());
    EXPECT_EQ(::mount("none", folder.c_str(), "tmpfs", 0, "size=1m,mode=0700"), 0);
    { BridgeStore store = home.bridge(); }
    const Location second = locate(home.files());
    EXPECT_EQ(first.inode, second.inode) << "each file system counts from the start";
    EXPECT_NE(first.device, second.device);
    EXPECT_FALSE(connection->still_at_path());
    ::umount(folder.c_str());
  }
  ::umount(folder.c_str());
}

TEST(Connection, WhatTheHeaderSays) {
  const auto content = [](const std::string& statements) {
    SQLite::Database db(":memory:", SQLite::OPEN_READWRITE);
    db.exec(statements);
    return identify(db).content;
  };
  const std::string ours = "PRAGMA application_id=0x52435331;";
  const std::string table = "CREATE TABLE t(x);";
  EXPECT_EQ(content(""), Content::blank);
  EXPECT_EQ(content(ours), Content::blank) << "begun, and nothing in it yet";
  EXPECT_EQ(content(table), Content::foreign);
  EXPECT_EQ(content(ours + table), Content::foreign);
  EXPECT_EQ(content("PRAGMA application_id=5"), Content::foreign);
  EXPECT_EQ(content("PRAGMA user_version=1"), Content::foreign);
  EXPECT_EQ(content("PRAGMA application_id=5; PRAGMA user_version=2"), Content::foreign);
  EXPECT_EQ(content(ours + "PRAGMA user_version=1"), Content::ours);
  EXPECT_EQ(content(ours + "PRAGMA user_version=2"), Content::newer);
  EXPECT_EQ(content(ours + "PRAGMA user_version=-1"), Content::foreign);
}

TEST(Connection, AWriteThatMeetsALockIsTriedAgainUntilItsTimeIsOver) {
  SinkHome home;
  { BridgeStore store = home.bridge(); }
  const auto connection =
      Connection::open(home.files(), Connection::Mode::read_write, test::in_time());
  int tries = 0;
  const auto meets_two = [&]() -> base::Status {
    if (++tries < 3) {
      throw SQLite::Exception("database is locked", SQLITE_BUSY);
    }
    return {};
  };
  EXPECT_TRUE(write_transaction(*connection, WaitBudget(), meets_two).ok());
  EXPECT_EQ(tries, 3);
  const auto always = []() -> base::Status {
    throw SQLite::Exception("database is locked", SQLITE_BUSY);
  };
  EXPECT_THROW(static_cast<void>(
                   write_transaction(*connection, WaitBudget(base::Milliseconds(120)), always)),
               SQLite::Exception);
  tries = 0;
  const auto is_full = [&]() -> base::Status {
    ++tries;
    throw SQLite::Exception("disk is full", SQLITE_FULL);
  };
  EXPECT_THROW(static_cast<void>(write_transaction(*connection, WaitBudget(), is_full)),
               SQLite::Exception);
  EXPECT_EQ(tries, 1) << "what waiting does not mend is said at once";
}

}  // namespace
}  // namespace robot_council::sink
