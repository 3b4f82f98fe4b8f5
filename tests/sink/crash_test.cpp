#include <gtest/gtest.h>

#include "base/files.hpp"
#include "sink/store.hpp"
#include "tests/lib/fault_vfs.hpp"
#include "tests/lib/sink_fixture.hpp"

namespace robot_council::sink {
namespace {

using test::events;
using test::FaultVfs;
using test::SinkHome;

// Appends pages of three events, each page's cursor its last id.
int append_pages(SinkHome& home, int pages) {
  auto store = BridgeStore::open(home.files(), home.join(), home.context());
  if (!store) {
    return 2;
  }
  for (std::int64_t page = 0; page < pages; ++page) {
    const std::int64_t last = page * 3 + 3;
    if (!store->append({events(last - 2, last), last, {}, Renumber::no})) {
      return 3;
    }
  }
  return 0;
}

// The file is sound, and the cursor is the last id stored.
void expect_rows_and_cursor_agree(const SinkHome& home, int at) {
  if (!base::exists(home.files().database()) ||
      home.sql_value("SELECT count(*) FROM sqlite_master") == "0") {
    return;  // before the schema
  }
  EXPECT_EQ(home.sql_value("PRAGMA quick_check"), "ok") << "operation " << at;
  EXPECT_EQ(home.sql_value("SELECT coalesce(max(cursor), 0) - coalesce((SELECT max(event_id) FROM "
                           "entry), 0) FROM joined"),
            "0")
      << "operation " << at;
  EXPECT_EQ(
      home.sql_value("SELECT (SELECT count(*) FROM entry) - coalesce(max(cursor), 0) FROM joined"),
      "0")
      << "operation " << at;
}

int run_with_fault(SinkHome& home, FaultVfs::Fault fault, int at, std::uint32_t seed = 1) {
  return test::in_child([&] {
    FaultVfs::install(fault, at, seed);
    return append_pages(home, 3);
  });
}

// 156
TEST(Crash, S156ABridgeKilledAtEachStep) {
  int at = 0;
  for (int code = 128 + SIGKILL; code != 0; ++at) {
    SinkHome home;
    code = run_with_fault(home, FaultVfs::Fault::kill, at);
    ASSERT_TRUE(code == 0 || code == 128 + SIGKILL) << code;
    expect_rows_and_cursor_agree(home, at);
    // The next bridge goes on.
    BridgeStore next = home.bridge();
    EXPECT_TRUE(next.append({events(100, 100), 100, {}, Renumber::no}).ok());
  }
  EXPECT_GT(at, 30) << "the steps of three commits at least";
}

// 160
TEST(Crash, S160UnsyncedWritesAreLost) {
  int at = 0;
  for (int code = FaultVfs::kCutExit; code != 0; ++at) {
    SinkHome home;
    code = run_with_fault(home, FaultVfs::Fault::power_cut_all, at);
    ASSERT_TRUE(code == 0 || code == FaultVfs::kCutExit) << code;
    expect_rows_and_cursor_agree(home, at);
  }
  EXPECT_GT(at, 30);
}

TEST(Crash, S160APartOfTheUnsyncedWritesIsLost) {
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    int code = FaultVfs::kCutExit;
    for (int at = 0; code != 0; at += 2) {
      SinkHome home;
      code = run_with_fault(home, FaultVfs::Fault::power_cut_some, at, seed);
      ASSERT_TRUE(code == 0 || code == FaultVfs::kCutExit) << code;
      expect_rows_and_cursor_agree(home, at);
    }
  }
}

// 157
TEST(Crash, S157AReaderSeesAllOrNothingAroundAHotJournal) {
  bool met_a_hot_journal = false;
  int code = 128 + SIGKILL;
  for (int at = 0; code != 0; ++at) {
    SinkHome home;
    code = run_with_fault(home, FaultVfs::Fault::kill, at);
    const auto look = [&](Access access) -> std::optional<std::size_t> {
      auto store = DeliveryStore::open(home.files(), access, WaitBudget());
      if (!store) {
        return std::nullopt;
      }
      if (!store->has_value()) {
        return 0;
      }
      auto seen = (*store)->look(std::nullopt);
      return seen ? std::optional(seen->rows.size()) : std::nullopt;
    };
    const auto peeked = look(Access::read_only);
    met_a_hot_journal = met_a_hot_journal || !peeked;
    EXPECT_TRUE(!peeked || *peeked % 3 == 0) << "operation " << at;
    const auto rows = look(Access::read_write);
    ASSERT_TRUE(rows.has_value()) << "a reader that may write rolls back; operation " << at;
    EXPECT_EQ(*rows % 3, 0U) << "operation " << at;
  }
  EXPECT_TRUE(met_a_hot_journal);
}

}  // namespace
}  // namespace robot_council::sink
