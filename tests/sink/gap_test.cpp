#include <filesystem>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "sink/store.hpp"
#include "tests/lib/sink_fixture.hpp"

namespace robot_council::sink {
namespace {

using test::events;
using test::SinkHome;

class Gap : public ::testing::Test {
 protected:
  void append(BridgeStore& store, std::int64_t from, std::int64_t to) {
    auto added = store.append({events(from, to), to, {}, Renumber::no});
    ASSERT_TRUE(added.ok()) << added.error().what;
  }
  // What the entry tells to read from; "" if there is no such entry.
  std::string said() {
    for (const Entry& row : home_.rows()) {
      const std::string body = test::body_of(row.json);
      const std::size_t at = body.find("after=");
      if (row.type == "bridge.sink-gap") {
        return at == std::string::npos ? body : body.substr(at, body.find(' ', at) - at);
      }
    }
    return {};
  }
  void spoil() { test::write_text(home_.files().database(), std::string(9000, 'z')); }

  SinkHome home_;
};

// The entry about the first damage goes with the second; what it said is said again.
TEST_F(Gap, ASecondDamageBeforeTheFirstWasReadSaysBoth) {
  BridgeStore store = home_.bridge();
  append(store, 5, 8);
  spoil();
  append(store, 9, 9);
  EXPECT_EQ(said(), "after=4");
  spoil();
  append(store, 10, 10);
  EXPECT_EQ(said(), "after=4");
  std::filesystem::remove(home_.files().database());
  append(store, 11, 11);
  EXPECT_EQ(said(), "after=4");
}

TEST_F(Gap, OnceItWasReadALaterDamageSaysOnlyWhatCameSince) {
  BridgeStore store = home_.bridge();
  append(store, 5, 8);
  spoil();
  append(store, 9, 9);
  home_.sql("DELETE FROM entry WHERE type = 'bridge.sink-gap'");
  append(store, 10, 10);
  spoil();
  append(store, 11, 11);
  EXPECT_EQ(said(), "after=8");
}

// Killed after the damaged file was set aside and before the new one was begun.
TEST_F(Gap, ABridgeThatWasKilledWhileHealingIsSpokenForByTheNext) {
  {
    BridgeStore store = home_.bridge();
    append(store, 5, 8);
  }
  const std::string aside = home_.files().key + ".db.corrupt-20261130T060000Z";
  ASSERT_EQ(::rename(home_.files().database().c_str(), (home_.folder() + "/" + aside).c_str()), 0);
  // What was set aside earlier, and the journal that went along, are not what it names.
  for (const char* name : {".db.corrupt-20260101T060000Z", ".db.corrupt-20261130T060000Z-journal",
                           ".db.corrupt-20260102T060000Z", ".db.corrupt-20251231T060000Z"}) {
    test::write_text(home_.folder() + "/" + home_.files().key + name, "x");
  }
  JoinInfo join = home_.join(2);
  join.cursor = 8;
  BridgeStore next = home_.bridge(join);
  ASSERT_EQ(home_.rows().size(), 1U);
  EXPECT_NE(test::body_of(home_.rows()[0].json).find("set aside as " + aside + "."),
            std::string::npos);
  EXPECT_EQ(said(), "after=8");
}

// An old file that was set aside says nothing at the joins that follow.
TEST_F(Gap, ASinkThatIsThereNeedsNoWordAboutAnOlderOne) {
  { BridgeStore store = home_.bridge(); }
  test::write_text(home_.folder() + "/" + home_.files().key + ".db.corrupt-20260101T060000Z", "x");
  BridgeStore next = home_.bridge();
  EXPECT_EQ(said(), "");
}

// Only what was seen to be taken in needs not be read again: a row that was printed, or given up,
// does.
TEST_F(Gap, ItBeginsAtTheLowestEventThatIsNotConfirmed) {
  BridgeStore store = home_.bridge();
  append(store, 5, 9);
  const auto leaves = [&](const std::string& id, const std::string& why) {
    home_.sql("INSERT INTO history(left_ms, why, writes, join_no, event_id, json) SELECT " +
              std::to_string(home_.clock.wall_ms()) + ", '" + why +
              "', 1, join_no, event_id, json FROM entry WHERE event_id=" + id +
              "; DELETE FROM entry WHERE event_id=" + id);
  };
  leaves("5", "confirmed");
  leaves("7", "undelivered");
  home_.sql("UPDATE entry SET state=2, writes=1 WHERE event_id=6");
  append(store, 10, 10);
  spoil();
  append(store, 11, 11);
  EXPECT_EQ(said(), "after=5") << "6 was printed, not confirmed";
}

TEST_F(Gap, ItBeginsAtAnEventThatWasGivenUp) {
  BridgeStore store = home_.bridge();
  append(store, 5, 6);
  home_.sql(
      "INSERT INTO history(left_ms, why, writes, join_no, event_id, json) SELECT 1, 'undelivered', "
      "3, join_no, event_id, json FROM entry WHERE event_id=5; DELETE FROM entry WHERE event_id=5");
  home_.sql("UPDATE history SET left_ms=" + std::to_string(home_.clock.wall_ms()));
  append(store, 7, 7);
  spoil();
  append(store, 8, 8);
  EXPECT_EQ(said(), "after=4");
}

// Another bridge's rows are told by that bridge.
TEST_F(Gap, ItLooksAtTheOwnJoinOnly) {
  BridgeStore other = home_.bridge(home_.join(2));
  append(other, 2, 3);
  home_.sql(
      "INSERT INTO history(left_ms, why, writes, join_no, event_id, json) SELECT " +
      std::to_string(home_.clock.wall_ms()) +
      ", 'dropped', 0, join_no, event_id, json FROM entry WHERE event_id=2; DELETE FROM entry "
      "WHERE event_id=2");
  BridgeStore store = home_.bridge();
  append(store, 5, 8);
  spoil();
  append(store, 9, 9);
  EXPECT_EQ(said(), "after=4");
}

// The first gap was read; another notice waits still.
TEST_F(Gap, AnotherNoticeThatWaitsDoesNotKeepWhatWasRead) {
  BridgeStore store = home_.bridge();
  append(store, 5, 8);
  spoil();
  append(store, 9, 9);
  home_.sql("DELETE FROM entry WHERE type = 'bridge.sink-gap'");
  ASSERT_TRUE(store.put_local({"bridge.note", "waits"}).ok());
  auto added = store.append({{test::event(10, "", "bridge.sink-gap")}, 10, {}, Renumber::no});
  ASSERT_TRUE(added.ok());
  spoil();
  append(store, 11, 11);
  EXPECT_EQ(said(), "after=8");
}

// No position is known any more: what the first one said is.
TEST_F(Gap, WithoutACursorTheSecondSaysWhatTheFirstSaid) {
  JoinInfo join = home_.join();
  join.cursor.reset();
  BridgeStore store = home_.bridge(join);
  ASSERT_TRUE(store.append({events(5, 8), std::nullopt, {}, Renumber::no}).ok());
  spoil();
  EXPECT_EQ(store.put_local({"bridge.note", "a"})->local, 2U) << "it counts for the next notice";
  EXPECT_EQ(said(), "after=4");
  spoil();
  ASSERT_TRUE(store.put_local({"bridge.note", "b"}).ok());
  EXPECT_EQ(said(), "after=4");
}

TEST_F(Gap, AFeedThatWentBackIsReadFromWhereItWent) {
  BridgeStore store = home_.bridge();
  append(store, 15, 18);
  spoil();
  append(store, 19, 19);
  EXPECT_EQ(said(), "after=14");
  ASSERT_TRUE(store.append({events(2, 3), 3, {}, Renumber::yes}).ok());
  spoil();
  append(store, 4, 4);
  EXPECT_EQ(said(), "after=1");
}

// A file that was set aside long ago is not where these events are.
TEST_F(Gap, AFileThatWasMovedAwayIsNotCalledSetAside) {
  test::write_text(home_.folder() + "/" + home_.files().key + ".db.corrupt-20260101T060000Z", "x");
  BridgeStore store = home_.bridge();
  append(store, 5, 8);
  home_.sql("DELETE FROM entry WHERE type = 'bridge.sink-gap'");
  std::filesystem::remove(home_.files().database());
  append(store, 9, 9);
  EXPECT_NE(test::body_of(home_.rows()[0].json).find("was moved away or replaced."),
            std::string::npos);
}

}  // namespace
}  // namespace robot_council::sink
