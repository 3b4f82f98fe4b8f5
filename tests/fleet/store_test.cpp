// The suite every store passes: it is run for each entry of kStores.

#include "fleet/store.hpp"

#include <sys/stat.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/log.hpp"
#include "fleet/schema.hpp"
#include "fleet/sqlite_store.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::fleet {
namespace {

using robot_council::test::TempDir;

struct Kind {
  const char* name;
  std::function<base::Result<std::unique_ptr<Store>>(const TempDir&, base::Log&)> open;
};

const Kind& sqlite() {
  static const Kind kSqlite{"sqlite", [](const TempDir& folder, base::Log& log) {
                              return open_sqlite_store(folder / "fleet.db", log);
                            }};
  return kSqlite;
}

class StoreSuite : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override { reopen(); }
  void reopen() {
    store.reset();
    auto opened = GetParam().open(folder, log);
    ASSERT_TRUE(opened.ok()) << opened.error().what;
    store = *std::move(opened);
  }
  std::int64_t add_event(const std::string& type) {
    std::int64_t id = 0;
    EXPECT_TRUE(store
                    ->write(
                        [&](Transaction& tx) {
                          id = tx.insert(
                              "INSERT INTO events(type, created_at) VALUES(?, ?) RETURNING id",
                              {type, 1});
                          return Ending::commit;
                        },
                        {})
                    .ok());
    return id;
  }
  std::int64_t count(std::string_view sql) {
    std::int64_t n = -1;
    EXPECT_TRUE(store->read([&](Transaction& tx) { n = tx.first(sql, {})->integer(0); }).ok());
    return n;
  }

  TempDir folder;
  base::MemoryLog log;
  std::unique_ptr<Store> store;
};

TEST_P(StoreSuite, WritesAllOrNothing) {
  add_event("one");
  EXPECT_TRUE(
      store
          ->write(
              [&](Transaction& tx) {
                tx.insert("INSERT INTO events(type, created_at) VALUES('two', 1) RETURNING id", {});
                return Ending::undo;
              },
              {})
          .ok());
  EXPECT_EQ(count("SELECT COUNT(*) FROM events"), 1);
}

TEST_P(StoreSuite, AStatementThatFailsUndoesTheWholeTransaction) {
  bool told = false;
  const base::Status done = store->write(
      [&](Transaction& tx) {
        tx.insert("INSERT INTO events(type, created_at) VALUES('one', 1) RETURNING id", {});
        tx.execute("INSERT INTO no_such_table(a) VALUES(1)", {});
        EXPECT_TRUE(tx.failure().has_value());
        EXPECT_EQ(
            tx.insert("INSERT INTO events(type, created_at) VALUES('two', 1) RETURNING id", {}), 0);
        return Ending::commit;
      },
      [&] { told = true; });
  EXPECT_FALSE(done.ok());
  EXPECT_FALSE(told);
  EXPECT_EQ(count("SELECT COUNT(*) FROM events"), 0);
  EXPECT_EQ(add_event("three"), 1) << "the connection is good again";
}

TEST_P(StoreSuite, KeepsWhatWasCommittedAcrossAnOpening) {
  add_event("one");
  reopen();
  EXPECT_EQ(count("SELECT COUNT(*) FROM events"), 1);
}

TEST_P(StoreSuite, NeverGivesAnEventIdTwiceAlsoAfterPruningAndAnOpening) {  // acceptance 35
  add_event("one");
  const std::int64_t second = add_event("two");
  EXPECT_TRUE(store
                  ->write(
                      [](Transaction& tx) {
                        tx.execute("DELETE FROM events", {});
                        return Ending::commit;
                      },
                      {})
                  .ok());
  reopen();
  std::int64_t last = 0;
  EXPECT_TRUE(store->read([&](Transaction& tx) { last = store->last_event_id(tx); }).ok());
  EXPECT_EQ(last, second);
  EXPECT_EQ(add_event("three"), second + 1);
}

TEST_P(StoreSuite, ValuesComeBackAsTheyWent) {
  const std::string text = std::string("a\0b", 3) + "\xC3\xA9 'quoted' ?";
  std::optional<Row> row;
  EXPECT_TRUE(store
                  ->write(
                      [&](Transaction& tx) {
                        const std::int64_t id = tx.insert(
                            "INSERT INTO events(type, body, meta, created_at) VALUES(?, ?, ?, ?) "
                            "RETURNING id",
                            {"t", text, nullptr, INT64_MAX});
                        row = tx.first("SELECT body, meta, created_at FROM events WHERE id = ?",
                                       {id});
                        return Ending::commit;
                      },
                      {})
                  .ok());
  ASSERT_TRUE(row.has_value());
  EXPECT_EQ(row->text(0), text);
  EXPECT_FALSE(row->maybe_text(1).has_value());
  EXPECT_EQ(row->integer(2), INT64_MAX);
}

TEST_P(StoreSuite, TellsCommitsInTheirOrder) {  // gap safety, 4.1
  constexpr int kThreads = 8;
  constexpr int kEach = 25;
  std::vector<std::int64_t> told;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) {
        std::int64_t id = 0;
        EXPECT_TRUE(
            store
                ->write(
                    [&](Transaction& tx) {
                      id = tx.insert(
                          "INSERT INTO events(type, created_at) VALUES('e', 1) RETURNING id", {});
                      return i % 5 == 0 ? Ending::undo : Ending::commit;
                    },
                    [&] { told.push_back(id); })
                .ok());
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  ASSERT_EQ(told.size(), std::size_t{kThreads * kEach * 4 / 5});
  for (std::size_t i = 0; i < told.size(); ++i) {
    EXPECT_EQ(told[i], static_cast<std::int64_t>(i) + 1);
  }
}

TEST_P(StoreSuite, OneConditionalWriteHasOneWinner) {
  add_event("free");
  constexpr int kThreads = 8;
  std::atomic<int> winners{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      (void)store->write(
          [&](Transaction& tx) {
            winners += static_cast<int>(
                tx.execute("UPDATE events SET type = 'taken' WHERE id = 1 AND type = 'free'", {}));
            return Ending::commit;
          },
          {});
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(winners, 1);
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreSuite, testing::Values(sqlite()),
                         [](const testing::TestParamInfo<Kind>& kind) {
                           return std::string(kind.param.name);
                         });

TEST(SqliteStore, RefusesANewerSchemaAndLeavesItAlone) {
  const TempDir folder;
  base::MemoryLog log;
  ASSERT_TRUE(open_sqlite_store(folder / "fleet.db", log).ok());
  {
    SQLite::Database database(folder / "fleet.db", SQLite::OPEN_READWRITE);
    database.exec("PRAGMA user_version = 99");
  }
  const auto again = open_sqlite_store(folder / "fleet.db", log);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, base::Errc::unsupported);
}

TEST(SqliteStore, NeverUsesWalBelow3051003AlsoForAFileLeftInWal) {  // acceptance 57
  const TempDir folder;
  base::MemoryLog log;
  {
    SQLite::Database database(folder / "fleet.db", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    database.exec("PRAGMA journal_mode = WAL");
    database.exec("CREATE TABLE left_over(a)");
  }
  auto store = open_sqlite_store(folder / "fleet.db", log);
  ASSERT_TRUE(store.ok()) << store.error().what;
  SQLite::Database look(folder / "fleet.db", SQLite::OPEN_READONLY);
  ASSERT_LT(sqlite3_libversion_number(), 3051003)
      << "a newer SQLite may use WAL: revise the store first";
  EXPECT_NE(std::string(look.execAndGet("PRAGMA journal_mode").getText()), "wal");
  EXPECT_EQ(look.execAndGet("SELECT COUNT(*) FROM sqlite_master WHERE name = 'left_over'").getInt(),
            1);
}

TEST(SqliteStore, FileIsForItsOwnerOnly) {
  const TempDir folder;
  base::MemoryLog log;
  const mode_t before = ::umask(0);
  ASSERT_TRUE(open_sqlite_store(folder / "fleet.db", log).ok());
  ::umask(before);
  struct stat info {};
  ASSERT_EQ(::stat((folder / "fleet.db").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0600U);
}

TEST(SqliteStore, AFileThatIsNoDatabaseIsAnErrorAndStays) {
  const TempDir folder;
  base::MemoryLog log;
  robot_council::test::write_text(folder / "fleet.db", std::string(4096, 'x'));
  const auto store = open_sqlite_store(folder / "fleet.db", log);
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().code, base::Errc::corrupt);
  EXPECT_EQ(robot_council::test::read_text(folder / "fleet.db"), std::string(4096, 'x'));
}

TEST(SqliteStore, EveryTableHasADeveloperColumn) {
  const TempDir folder;
  base::MemoryLog log;
  ASSERT_TRUE(open_sqlite_store(folder / "fleet.db", log).ok());
  SQLite::Database database(folder / "fleet.db", SQLite::OPEN_READONLY);
  SQLite::Statement tables(
      database,
      "SELECT m.name, EXISTS(SELECT 1 FROM pragma_table_info(m.name) c WHERE c.name = "
      "'developer_id')"
      " FROM sqlite_master m WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'");
  int seen = 0;
  while (tables.executeStep()) {
    ++seen;
    EXPECT_EQ(tables.getColumn(1).getInt(), 1) << tables.getColumn(0).getText();
  }
  EXPECT_GE(seen, 8);
}

}  // namespace
}  // namespace robot_council::fleet
