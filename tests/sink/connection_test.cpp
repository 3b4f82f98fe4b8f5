// One connection to a sink, asked directly: what its callers refuse or wait for earlier.

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

TEST(Connection, AWriteThatMeetsALockIsTriedAgainUntilItsTimeIsOver) {
  SinkHome home;
  { BridgeStore store = home.bridge(); }
  const auto connection = Connection::open(home.files(), Connection::Mode::read_write,
                                           base::deadline_in(base::Milliseconds(2000)));
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
