// The bridge's side of a sink: pages, bounds, notices, joins. What becomes of the file itself:
// bridge_file_test.cpp.

#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/child.hpp"
#include "base/files.hpp"
#include "base/time_text.hpp"
#include "sink/limits.hpp"
#include "sink/store.hpp"
#include "tests/lib/sink_fixture.hpp"

namespace robot_council::sink {
namespace {

using test::event;
using test::events;
using test::must_append;
using test::SinkHome;

constexpr std::int64_t kThirtyDaysMs = std::int64_t{30} * 24 * 3600 * 1000;

std::string left_as(const std::vector<HistoryRow>& rows, std::string_view why) {
  std::string ids;
  for (const HistoryRow& row : rows) {
    if (row.why == why) {
      ids += (ids.empty() ? "" : " ") +
             (row.event_id ? std::to_string(*row.event_id) : test::body_of(row.json));
    }
  }
  return ids;
}

TEST(BridgeStore, APageAndItsCursorAreStoredTogether) {
  SinkHome home;
  BridgeStore store = home.bridge();
  const Appended added = must_append(store, {events(1, 3), 7, {}, Renumber::no});
  EXPECT_EQ(added.events, 3U);
  EXPECT_EQ(added.local, 0U);
  EXPECT_EQ(home.sql_value("SELECT seat FROM joined"), "1");
  EXPECT_EQ(store.cursor(), 7);
  EXPECT_EQ(home.sql_value("SELECT cursor FROM joined"), "7");
  EXPECT_EQ(home.bodies(), (std::vector<std::string>{"event 1", "event 2", "event 3"}));
  EXPECT_EQ(home.rows()[0].session, 1);
  EXPECT_EQ(home.rows()[0].state, RowState::waiting);
  EXPECT_FALSE(home.rows()[0].earlier_session);
}

// 36
TEST(BridgeStore, S036APageReadTwiceIsStoredOnceInPageOrder) {
  SinkHome home;
  BridgeStore store = home.bridge();
  const Page page{{event(9), event(4), event(7)}, 9, {}, Renumber::no};
  EXPECT_EQ(must_append(store, page).events, 3U);
  EXPECT_EQ(must_append(store, page).events, 0U);
  EXPECT_EQ(home.bodies(), (std::vector<std::string>{"event 9", "event 4", "event 7"}));
  // What has left counts as stored.
  home.sql(
      "INSERT INTO history SELECT 1, 1, 'confirmed', 1, join_no, event_id, json, NULL, NULL, NULL "
      "FROM entry WHERE "
      "event_id=4; DELETE FROM entry WHERE event_id=4");
  EXPECT_EQ(must_append(store, page).events, 0U);
  // After a feed that went back the same ids are other events.
  EXPECT_EQ(must_append(store, {{event(4)}, 4, {}, Renumber::yes}).events, 1U);
  EXPECT_EQ(store.join_no(), 2);
  EXPECT_EQ(must_append(store, {{event(4)}, 4, {}, Renumber::no}).events, 0U);
  EXPECT_EQ(home.sql_value("SELECT count(*) FROM joined"), "2");
}

TEST(BridgeStore, EventsWithoutAUsableIdAreKept) {
  SinkHome home;
  BridgeStore store = home.bridge();
  Page page;
  for (const char* json : {R"({"type":"directive"})", R"({"id":"7"})",
                           R"({"id":9223372036854775808,"type":5})", "{}"}) {
    page.events.push_back(FeedEvent::from_json(json));
    EXPECT_FALSE(page.events.back().id.has_value()) << json;
  }
  EXPECT_EQ(FeedEvent::from_json(R"({"id":7.0})").id, 7);
  EXPECT_EQ(must_append(store, page).events, 4U);
}

// 37
TEST(BridgeStore, S037TheOldestOf201Leaves) {
  SinkHome home;
  BridgeStore store = home.bridge();
  EXPECT_EQ(must_append(store, {events(1, 200), 200, {}, Renumber::no}).dropped, 0U);
  const Appended added = must_append(store, {events(201, 201), 201, {}, Renumber::no});
  EXPECT_EQ(added.dropped, 1U);
  EXPECT_EQ(added.local, 1U);
  const auto bodies = home.bodies();
  ASSERT_EQ(bodies.size(), 201U);
  EXPECT_EQ(bodies.front(), "event 2");
  EXPECT_EQ(bodies[199], "event 201");
  EXPECT_EQ(bodies.back(),
            "1 fleet events left this seat unread, because more than 200 were waiting: feed ids 1 "
            "to 1. Call events_read "
            "with after=0 to read them.");
  EXPECT_EQ(home.rows().back().type, "bridge.events-dropped");
  EXPECT_EQ(left_as(home.history(), "dropped"), "1");
}

// 37: what is no waiting event of the fleet does not count.
TEST(BridgeStore, S037NoticesAndOfferedEventsDoNotCountTowardsTheBound) {
  SinkHome home;
  BridgeStore store = home.bridge();
  ASSERT_EQ(must_append(store, {events(1, 1), 1, {{"bridge.note", "one"}}, Renumber::no}).local,
            1U);
  home.sql("UPDATE entry SET state=1 WHERE event_id=1");
  EXPECT_EQ(must_append(store, {events(2, 201), 201, {}, Renumber::no}).dropped, 0U);
  // An event of the fleet does, whatever its type says.
  EXPECT_EQ(must_append(store, {{event(202, "x", "bridge.events-dropped")}, 202, {}, Renumber::no})
                .dropped,
            1U);
  EXPECT_EQ(left_as(home.history(), "dropped"), "2");
}

// 37: the range of them all, whatever the feed's order.
TEST(BridgeStore, S037TheLowestAndTheHighestOfTheDroppedAreSaid) {
  SinkHome home;
  BridgeStore store = home.bridge();
  must_append(store, {{event(4), event(5), event(3)}, 5, {}, Renumber::no});
  must_append(store, {events(6, 205), 205, {}, Renumber::no});
  EXPECT_NE(home.bodies().back().find(": feed ids 3 to 5. Call events_read with after=2 "),
            std::string::npos)
      << home.bodies().back();
  // One more without an id: the range is what it was.
  home.sql("UPDATE entry SET event_id=NULL WHERE event_id=6");
  must_append(store, {events(206, 206), 206, {}, Renumber::no});
  EXPECT_NE(home.bodies().back().find(": feed ids 3 to 5. "), std::string::npos)
      << home.bodies().back();
  EXPECT_EQ(home.bodies().back().substr(0, 2), "4 ");
}

// 38
TEST(BridgeStore, S038FiveHundredEventsAreToldInOneEntry) {
  SinkHome home;
  BridgeStore store = home.bridge();
  must_append(store, {events(11, 260), 260, {}, Renumber::no});
  must_append(store, {events(261, 510), 510, {}, Renumber::no});
  EXPECT_EQ(home.sql_value("SELECT count(*) FROM entry WHERE type='bridge.events-dropped'"), "1");
  EXPECT_EQ(home.bodies().back(),
            "300 fleet events left this seat unread, because more than 200 were waiting: feed ids "
            "11 to 310. Call "
            "events_read with after=10 to read them.");
  EXPECT_EQ(home.sql_value("SELECT count(*) FROM entry WHERE event_id IS NOT NULL"), "200");
  EXPECT_EQ(left_as(home.history(), "replaced").substr(0, 3), "50 ");
}

// 39
TEST(BridgeStore, S039AfterItWasPrintedTheCountBeginsAnew) {
  SinkHome home;
  BridgeStore store = home.bridge();
  must_append(store, {events(1, 203), 203, {}, Renumber::no});
  home.sql("UPDATE entry SET state=2, writes=1 WHERE type='bridge.events-dropped'");
  must_append(store, {events(204, 204), 204, {}, Renumber::no});
  EXPECT_EQ(home.bodies(RowState::waiting).back().substr(0, 15), "1 fleet events ");
  EXPECT_EQ(home.bodies(RowState::written).size(), 1U);
}

// Q08
TEST(BridgeStore, Q08FiveThousandEventsStayWithinTheBound) {
  SinkHome home;
  BridgeStore store = home.bridge();
  for (std::int64_t id = 1; id <= 5000; id += 250) {
    must_append(store, {events(id, id + 249), id + 249, {}, Renumber::no});
  }
  EXPECT_EQ(home.rows().size(), 201U);
  EXPECT_EQ(home.bodies().back().substr(0, 5), "4800 ");
  EXPECT_EQ(home.history().size(), 1000U);
}

// 40
TEST(BridgeStore, S040ASecondNoticeOfATypeReplacesTheFirst) {
  SinkHome home;
  BridgeStore store = home.bridge();
  ASSERT_TRUE(store.put_local({"bridge.feed-gap", "one"}).ok());
  ASSERT_TRUE(store.put_local({"bridge.note", "other"}).ok());
  auto second = store.put_local({"bridge.feed-gap", "two"});
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->local, 1U);
  EXPECT_EQ(home.bodies(), (std::vector<std::string>{"other", "two"}));
  EXPECT_EQ(left_as(home.history(), "replaced"), "one");
  EXPECT_EQ(home.rows()[0].json, R"({"type":"bridge.note","body":"other","created_at":")" +
                                     base::iso_offset(home.clock.wall_ms()) + "\"}");
  EXPECT_TRUE(home.rows()[0].local);
}

// 40: an event of the fleet is no notice, though its type says so.
TEST(BridgeStore, S040ANoticeReplacesNoEventOfTheFleet) {
  SinkHome home;
  BridgeStore store = home.bridge();
  must_append(store, {{event(1, "with an id", "bridge.note")}, 1, {}, Renumber::no});
  must_append(
      store,
      {{FeedEvent::from_json(R"({"type":"directive","body":"no id"})")}, 1, {}, Renumber::no});
  ASSERT_TRUE(store.put_local({"bridge.note", "notice"}).ok());
  EXPECT_EQ(home.bodies(), (std::vector<std::string>{"with an id", "no id", "notice"}));
  EXPECT_FALSE(home.rows()[0].local);
  EXPECT_FALSE(home.rows()[1].local);
}

// 42: a bridge whose session is not known takes its own rows along, and one that joined a session
// again also those of the join before.
TEST(BridgeStore, S042TheEndTakesRowsOfTheJoinAndOfTheSession) {
  SinkHome home;
  JoinInfo unknown = home.join();
  unknown.session.reset();
  BridgeStore other = home.bridge(unknown);
  must_append(other, {events(1, 1), 1, {}, Renumber::no});
  BridgeStore mine = home.bridge(unknown);
  must_append(mine, {events(2, 2), 2, {}, Renumber::no});
  ASSERT_TRUE(mine.end_session().ok());
  EXPECT_EQ(home.bodies(), std::vector<std::string>{"event 1"});
  {
    BridgeStore dead = home.bridge(home.dead_join(1));
    must_append(dead, {events(3, 3), 3, {}, Renumber::no});
  }
  BridgeStore again = home.bridge();
  ASSERT_TRUE(again.end_session().ok());
  EXPECT_EQ(home.bodies(), std::vector<std::string>{"event 1"});
}

// 42, 43
TEST(BridgeStore, S042TheEndOfASessionTakesItsEventsAlong) {
  SinkHome home;
  {
    BridgeStore dead = home.bridge(home.dead_join(8));
    must_append(dead, {{event(1, "of another session")}, 1, {}, Renumber::no});
  }
  BridgeStore store = home.bridge();
  must_append(store, {{event(2), event(3, "x", "not-a-bridge.notice"),
                       event(4, "y", "task.claimed.bridge.echo")},
                      4,
                      {{"bridge.capacity-changed", "capacity"}, {"bridge.feed-gap", "gap"}},
                      Renumber::no});
  home.sql(
      "UPDATE entry SET state=2, writes=1 WHERE event_id=2; UPDATE entry SET state=1 WHERE "
      "event_id=3");
  ASSERT_TRUE(store.end_session({{"bridge.session-ended", "The fleet ended this session."}}).ok());
  EXPECT_EQ(home.bodies(), (std::vector<std::string>{"of another session", "gap",
                                                     "The fleet ended this session."}));
  EXPECT_EQ(left_as(home.history(), "session-ended"), "2 3 4 capacity");
  EXPECT_NE(home.sql_value("SELECT ended_ms FROM joined WHERE session=1"), "");
  ASSERT_TRUE(store.put_local({"bridge.session-ended", "again"}).ok());
  EXPECT_EQ(home.bodies().back(), "again");
}

// 33, 44
TEST(BridgeStore, S044ALockedSinkIsLeftAtTheEnd) {
  SinkHome home;
  BridgeStore store = home.bridge();
  must_append(store, {events(1, 1), 1, {}, Renumber::no});
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(home.files().database().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  const auto begin = std::chrono::steady_clock::now();
  auto ended = store.end_session();
  const auto took = std::chrono::steady_clock::now() - begin;
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().what, "Left the unread fleet events in `" + home.files().database() +
                                    "`: could not lock it within 2 seconds.");
  EXPECT_GE(took, std::chrono::milliseconds(1900));
  EXPECT_LT(took, test::allowed(std::chrono::milliseconds(3500)));
  auto added = store.append({events(2, 2), 2, {}, Renumber::no});
  ASSERT_FALSE(added.ok());
  EXPECT_EQ(added.error().what,
            "Could not lock `" + home.files().database() + "` to leave fleet events in.");
  EXPECT_EQ(store.cursor(), 1);
  sqlite3_close(other);
  EXPECT_EQ(home.rows().size(), 1U);
  EXPECT_TRUE(store.end_session().ok());
  EXPECT_EQ(home.rows().size(), 0U);
}

// 45
TEST(BridgeStore, S045RowsOfABridgeThatIsGoneAreOfAnEarlierSession) {
  SinkHome home;
  {
    BridgeStore dead = home.bridge(home.dead_join(8));
    must_append(dead, {events(1, 1), 1, {{"bridge.note", "local"}}, Renumber::no});
  }
  BridgeStore store = home.bridge();
  must_append(store, {events(2, 2), 2, {}, Renumber::no});
  const auto rows = home.rows();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_TRUE(rows[0].earlier_session);
  EXPECT_FALSE(rows[1].earlier_session) << "a local entry is of no session";
  EXPECT_FALSE(rows[2].earlier_session);
}

// 46
TEST(BridgeStore, S046HistoryIsPrunedByCountAndAge) {
  SinkHome home;
  BridgeStore store = home.bridge();
  const std::string old = std::to_string(home.clock.wall_ms() - kThirtyDaysMs - 24 * 3600 * 1000LL);
  home.sql("INSERT INTO history(left_ms, why, writes, join_no, json) VALUES(" + old +
           ", 'confirmed', 1, 9, '{}')");
  home.sql(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<1001) INSERT INTO "
      "history(left_ms, why, "
      "writes, join_no, event_id, json) SELECT " +
      std::to_string(home.clock.wall_ms()) + ", 'confirmed', 1, 9, i, '{}' FROM n");
  ASSERT_TRUE(store.put_local({"bridge.note", "a"}).ok());
  EXPECT_EQ(home.history().size(), 1002U) << "nothing left, so nothing was pruned";
  ASSERT_TRUE(store.put_local({"bridge.note", "b"}).ok());
  EXPECT_EQ(home.history().size(), 1000U);
  EXPECT_EQ(home.sql_value("SELECT count(*) FROM history WHERE left_ms = " + old), "0");
  EXPECT_EQ(home.history().back().why, "replaced");
}

// 46: to the millisecond.
TEST(BridgeStore, WhatLeftThirtyDaysAgoIsKeptAndWhatIsOlderIsNot) {
  SinkHome home;
  BridgeStore store = home.bridge();
  for (const std::int64_t older : {1, 0}) {
    home.sql("INSERT INTO history(left_ms, why, writes, join_no, json) VALUES(" +
             std::to_string(home.clock.wall_ms() - kThirtyDaysMs - older) +
             ", 'confirmed', 1, 9, '{}')");
  }
  ASSERT_TRUE(store.put_local({"bridge.note", "a"}).ok());
  ASSERT_TRUE(store.put_local({"bridge.note", "b"}).ok());
  ASSERT_EQ(home.history().size(), 2U);
  EXPECT_EQ(home.history()[0].left_ms, home.clock.wall_ms() - kThirtyDaysMs);
}

// 46: also when the bound and the end of a session add to it.
TEST(BridgeStore, S046HistoryIsPrunedByTheBoundAndAtTheEnd) {
  SinkHome home;
  BridgeStore store = home.bridge();
  must_append(store, {events(1, 200), 200, {}, Renumber::no});
  home.sql(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<1000) INSERT INTO "
      "history(left_ms, why, writes, join_no, event_id, json) SELECT " +
      std::to_string(home.clock.wall_ms()) + ", 'confirmed', 1, 9, i, '{}' FROM n");
  EXPECT_EQ(must_append(store, {events(201, 201), 201, {}, Renumber::no}).dropped, 1U);
  EXPECT_EQ(home.history().size(), 1000U);
  ASSERT_TRUE(store.end_session().ok());
  EXPECT_EQ(home.history().size(), 1000U);
}

// A bridge that joins anew puts the new store in the place of the old one.
TEST(BridgeStore, AStoreThatTakesAnothersPlaceWritesToItsJoin) {
  SinkHome home;
  BridgeStore store = home.bridge();
  store = home.bridge(home.join(2));
  EXPECT_EQ(store.join_no(), 2);
  must_append(store, {events(1, 1), 1, {}, Renumber::no});
  EXPECT_EQ(home.sql_value("SELECT join_no FROM entry"), "2");
}

TEST(BridgeStore, OldJoinsArePrunedLiveOnesKept) {
  SinkHome home;
  BridgeStore live = home.bridge(home.join(1));
  for (int i = 0; i < 30; ++i) {
    BridgeStore dead = home.bridge(home.dead_join(100 + i));
  }
  EXPECT_EQ(home.sql_value("SELECT count(*) FROM joined"), "21");
  EXPECT_EQ(home.sql_value("SELECT count(*) FROM joined WHERE session=1"), "1");
  EXPECT_EQ(home.sql_value("SELECT max(join_no) FROM joined"), "31");
}

// The file was moved away: what is begun in its place knows what the bridge knows.
TEST(BridgeStore, ANewFileHasTheSeatTheSessionAndTheJoinOfItsOwn) {
  SinkHome home;
  JoinInfo join = home.join();
  join.session.reset();
  join.holds_seat = false;
  BridgeStore store = home.bridge(join);
  ASSERT_TRUE(store.set_seat_held().ok());
  ASSERT_TRUE(store.set_session(77).ok());
  must_append(store, {events(1, 1), 1, {}, Renumber::no});
  const std::string digest = read_share(home.files(), own_process())->digest;
  std::filesystem::remove(home.files().database());
  BridgeStore other = home.bridge();
  ASSERT_EQ(other.join_no(), 1);
  EXPECT_EQ(must_append(store, {events(2, 2), 2, {}, Renumber::no}).local, 1U)
      << "what may have been lost is said";
  EXPECT_EQ(must_append(store, {events(3, 3), 3, {}, Renumber::no}).local, 0U) << "once";
  EXPECT_EQ(home.sql_value("SELECT seat||' '||session FROM joined WHERE join_no=2"), "1 77");
  EXPECT_EQ(home.rows()[1].session, 77);
  ASSERT_TRUE(store.end_session().ok());
  EXPECT_EQ(home.sql_value("SELECT group_concat(ended_ms IS NOT NULL) FROM joined"), "0,1")
      << "the number of the join in the old file is another bridge's here";
  EXPECT_NE(read_share(home.files(), own_process())->digest, digest);
}

// The same number in another file is another row.
TEST(BridgeStore, TheDigestTellsRowsOfTheSameNumberApart) {
  SinkHome home;
  std::string digests[2];
  for (std::string& digest : digests) {
    BridgeStore store = home.bridge();
    must_append(store, {{event(&digest == &digests[0] ? 1 : 2)}, 1, {}, Renumber::no});
    digest = read_share(home.files(), own_process())->digest;
    std::filesystem::remove(home.files().database());
  }
  EXPECT_NE(digests[0], digests[1]);
}

TEST(BridgeStore, AfterTheFeedWentBackTheCursorIsWhatItWas) {
  SinkHome home;
  BridgeStore store = home.bridge();
  must_append(store, {events(1, 1), 5, {}, Renumber::no});
  must_append(store, {events(1, 1), std::nullopt, {}, Renumber::yes});
  EXPECT_EQ(store.cursor(), 5);
  EXPECT_EQ(home.sql_value("SELECT group_concat(cursor) FROM joined"), "5,5");
}

TEST(BridgeStore, TheSeatAndTheSessionAreFilledIn) {
  SinkHome home;
  JoinInfo join = home.join();
  join.session.reset();
  join.holds_seat = false;
  BridgeStore store = home.bridge(join);
  must_append(store, {events(1, 1), 1, {}, Renumber::no});
  EXPECT_EQ(home.sql_value("SELECT seat FROM joined"), "0");
  ASSERT_TRUE(store.set_seat_held().ok());
  ASSERT_TRUE(store.set_session(77).ok());
  EXPECT_EQ(home.sql_value("SELECT seat FROM joined"), "1");
  EXPECT_EQ(home.rows()[0].session, 77);
}

TEST(BridgeStore, TheShareIsCountedAndItsDigestChangesWithIt) {
  SinkHome home;
  const ProcessName me = own_process();
  EXPECT_EQ(read_share(home.files(), me)->entries, 0U);
  BridgeStore store = home.bridge();
  const std::string empty = read_share(home.files(), me)->digest;
  must_append(store, {events(1, 2), 2, {}, Renumber::no});
  const auto two = read_share(home.files(), me);
  EXPECT_EQ(two->entries, 2U);
  EXPECT_NE(two->digest, empty);
  EXPECT_EQ(read_share(home.files(), me)->digest, two->digest);
  home.sql("UPDATE entry SET state=1 WHERE event_id=1");
  EXPECT_EQ(read_share(home.files(), me)->digest, two->digest)
      << "an offered row is not delivered yet";
  home.sql("UPDATE entry SET state=2 WHERE event_id=1");
  EXPECT_EQ(read_share(home.files(), me)->entries, 1U);
  EXPECT_NE(read_share(home.files(), me)->digest, two->digest);
}

// A row that took another's place is news, though its words are the same.
TEST(BridgeStore, TheDigestTellsRowsOfTheSameWordsApart) {
  SinkHome home;
  BridgeStore store = home.bridge();
  ASSERT_TRUE(store.put_local({"bridge.note", "words"}).ok());
  const auto first = read_share(home.files(), own_process());
  ASSERT_TRUE(store.put_local({"bridge.note", "words"}).ok());
  const auto second = read_share(home.files(), own_process());
  EXPECT_EQ(second->entries, 1U);
  EXPECT_NE(second->digest, first->digest);
}

// Each of three joins keeps what the others are told: the one in the middle changes alone.
TEST(BridgeStore, ABridgeChangesItsOwnJoinOnly) {
  SinkHome home;
  JoinInfo join = home.join();
  join.session.reset();
  join.holds_seat = false;
  BridgeStore first = home.bridge(join);
  BridgeStore second = home.bridge(join);
  BridgeStore third = home.bridge(join);
  for (BridgeStore* store : {&first, &second, &third}) {
    must_append(*store, {events(1, 1), std::nullopt, {}, Renumber::no});
  }
  must_append(second, {{}, 7, {}, Renumber::no});
  ASSERT_TRUE(second.set_seat_held().ok());
  ASSERT_TRUE(second.set_session(77).ok());
  EXPECT_EQ(home.sql_value("SELECT group_concat(cursor) FROM joined"), "0,7,0");
  EXPECT_EQ(home.sql_value("SELECT group_concat(seat) FROM joined"), "0,1,0");
  EXPECT_EQ(home.sql_value("SELECT group_concat(ifnull(session, '-')) FROM joined"), "-,77,-");
  EXPECT_EQ(home.sql_value("SELECT group_concat(ifnull(session, '-')) FROM entry"), "-,77,-");
  ASSERT_TRUE(second.end_session().ok());
  EXPECT_EQ(home.sql_value("SELECT group_concat(ended_ms IS NOT NULL) FROM joined"), "0,1,0");
  EXPECT_EQ(home.sql_value("SELECT group_concat(join_no) FROM entry"), "1,3");
}

TEST(BridgeStore, AJoinThatEndedTwiceEndedTheFirstTime) {
  SinkHome home;
  BridgeStore store = home.bridge();
  const std::int64_t first = home.clock.wall_ms();
  ASSERT_TRUE(store.end_session().ok());
  home.clock.advance(base::Milliseconds(60000));
  ASSERT_TRUE(store.end_session().ok());
  EXPECT_EQ(home.sql_value("SELECT ended_ms FROM joined"), std::to_string(first));
}

// What was stored in one session stays of it.
TEST(BridgeStore, ASessionIsFilledInOnlyWhereNoneWasKnown) {
  SinkHome home;
  BridgeStore store = home.bridge();
  must_append(store, {events(1, 1), 1, {}, Renumber::no});
  ASSERT_TRUE(store.set_session(77).ok());
  must_append(store, {events(2, 2), 2, {}, Renumber::no});
  EXPECT_EQ(home.rows()[0].session, 1);
  EXPECT_EQ(home.rows()[1].session, 77);
}

// 163
TEST(BridgeStore, S163TheBoundAndNoticesOfOneLiveBridgeLeaveTheOthersRows) {
  SinkHome home;
  // A second live bridge: a child process that sleeps until it is ended.
  base::ChildOptions sleep;
  sleep.argv = {"/bin/sleep", "60"};
  auto sleeper = base::Child::start(sleep);
  ASSERT_TRUE(sleeper.ok());
  JoinInfo other = home.join(2);
  other.bridge = ProcessName{sleeper->pid(), base::process_start_time(sleeper->pid())};
  other.client = other.bridge;
  BridgeStore second = home.bridge(other);
  must_append(second, {events(1, 5), 5, {{"bridge.note", "theirs"}}, Renumber::no});
  BridgeStore first = home.bridge();
  must_append(first, {events(1, 201), 201, {{"bridge.note", "mine"}}, Renumber::no});
  EXPECT_EQ(home.sql_value("SELECT count(*) FROM entry WHERE session=2"), "6");
  EXPECT_EQ(home.sql_value("SELECT count(*) FROM entry WHERE session=1"), "202");
  EXPECT_EQ(read_share(home.files(), own_process())->entries, 202U);
  EXPECT_EQ(read_share(home.files(), other.bridge)->entries, 6U);
}

}  // namespace
}  // namespace robot_council::sink
