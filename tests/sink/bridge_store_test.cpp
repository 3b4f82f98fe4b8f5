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
using test::SinkHome;

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

Appended must_append(BridgeStore& store, const Page& page) {
  auto added = store.append(page);
  EXPECT_TRUE(added.ok()) << (added.ok() ? "" : added.error().what);
  return added.value_or({});
}

TEST(BridgeStore, APageAndItsCursorAreStoredTogether) {
  SinkHome home;
  BridgeStore store = home.bridge();
  const Appended added = must_append(store, {events(1, 3), 7, {}, Renumber::no});
  EXPECT_EQ(added.events, 3U);
  EXPECT_EQ(store.cursor(), 7);
  EXPECT_EQ(home.sql_value("SELECT cursor FROM joined"), "7");
  EXPECT_EQ(home.bodies(), (std::vector<std::string>{"event 1", "event 2", "event 3"}));
  EXPECT_EQ(home.rows()[0].session, 1);
  EXPECT_EQ(home.rows()[0].state, RowState::waiting);
  EXPECT_FALSE(home.rows()[0].earlier_session);
}

// 23
TEST(BridgeStore, S023ModesAreNarrowWhateverTheUmaskAndCorrected) {
  SinkHome home;
  const mode_t before = ::umask(0);
  {
    BridgeStore store = home.bridge();
    must_append(store, {events(1, 1), 1, {}, Renumber::no});
    ::umask(before);
    EXPECT_EQ(test::mode_of(home.folder()), 0700U);
    EXPECT_EQ(test::mode_of(home.files().database()), 0600U);
    EXPECT_EQ(test::mode_of(home.files().database() + "-journal"), 0600U);
  }
  ::chmod(home.folder().c_str(), 0755);
  ::chmod(home.files().database().c_str(), 0666);
  auto reader = DeliveryStore::open(home.files(), Access::read_only, WaitBudget());
  EXPECT_EQ(test::mode_of(home.files().database()), 0666U) << "a look changes nothing";
  auto writer = DeliveryStore::open(home.files(), Access::read_write, WaitBudget());
  EXPECT_EQ(test::mode_of(home.folder()), 0700U);
  EXPECT_EQ(test::mode_of(home.files().database()), 0600U);
  ::chmod(home.files().database().c_str(), 0644);
  BridgeStore again = home.bridge();
  EXPECT_EQ(test::mode_of(home.files().database()), 0600U);
}

// 24
TEST(BridgeStore, S024LinksAndOtherPeoplesFilesAreNotOpened) {
  SinkHome home;
  { BridgeStore store = home.bridge(); }
  const std::string elsewhere = home.dir / "elsewhere.db";
  ASSERT_EQ(::rename(home.files().database().c_str(), elsewhere.c_str()), 0);
  std::filesystem::create_symlink(elsewhere, home.files().database());
  const std::string bytes = test::read_text(elsewhere);
  auto bridge = BridgeStore::open(home.files(), home.join(), home.context());
  ASSERT_FALSE(bridge.ok());
  EXPECT_EQ(bridge.error().what,
            "Could not open `" + home.files().database() + "` to leave fleet events in.");
  auto reader = DeliveryStore::open(home.files(), Access::read_write, WaitBudget());
  ASSERT_FALSE(reader.ok());
  EXPECT_EQ(reader.error().what,
            "Could not open the sink `" + home.files().database() + "` to read it.");
  EXPECT_EQ(test::read_text(elsewhere), bytes);

  std::filesystem::remove(home.files().database());
  ASSERT_EQ(::rename(elsewhere.c_str(), home.files().database().c_str()), 0);
  ASSERT_TRUE(DeliveryStore::open(home.files(), Access::read_write, WaitBudget()).ok());
  if (::chown(home.files().database().c_str(), 65534, 65534) != 0) {
    GTEST_SKIP() << "cannot give a file away (needs root)";
  }
  EXPECT_FALSE(DeliveryStore::open(home.files(), Access::read_write, WaitBudget()).ok());
  EXPECT_FALSE(BridgeStore::open(home.files(), home.join(), home.context()).ok());
}

TEST(BridgeStore, AFolderThatIsALinkIsNotOpened) {
  SinkHome home;
  { BridgeStore store = home.bridge(); }
  ASSERT_EQ(::rename(home.folder().c_str(), (home.dir / "moved").c_str()), 0);
  std::filesystem::create_symlink(home.dir / "moved", home.folder());
  EXPECT_FALSE(DeliveryStore::open(home.files(), Access::read_write, WaitBudget()).ok());
  EXPECT_FALSE(BridgeStore::open(home.files(), home.join(), home.context()).ok());
}

TEST(BridgeStore, AHomeBehindALinkWorks) {
  SinkHome home;
  std::filesystem::create_directories(home.dir / "real");
  std::filesystem::create_symlink(home.dir / "real", home.dir / "state");
  BridgeStore store = home.bridge();
  must_append(store, {events(1, 1), 1, {}, Renumber::no});
  EXPECT_EQ(home.rows().size(), 1U);
}

// 28, 29, Q07
TEST(BridgeStore, S028NewerAndForeignFilesAreLeftByTheBridge) {
  SinkHome home;
  { BridgeStore store = home.bridge(); }
  home.sql("PRAGMA user_version=2");
  const std::string bytes = test::read_text(home.files().database());
  auto newer = BridgeStore::open(home.files(), home.join(), home.context());
  ASSERT_FALSE(newer.ok());
  EXPECT_NE(newer.error().what.find("newer robot-council (version 2, this one knows 1)"),
            std::string::npos);
  EXPECT_EQ(test::read_text(home.files().database()), bytes);
  home.sql("PRAGMA application_id=5; PRAGMA user_version=1");
  auto foreign = BridgeStore::open(home.files(), home.join(), home.context());
  ASSERT_FALSE(foreign.ok());
  EXPECT_NE(foreign.error().what.find("is not a list of events"), std::string::npos);
}

// 30
TEST(BridgeStore, S030DamagedFileIsSetAsideWithItsJournal) {
  SinkHome home;
  {
    BridgeStore store = home.bridge();
    must_append(store, {events(1, 2), 9, {}, Renumber::no});
  }
  test::write_text(home.files().database(), std::string(8192, 'x'));
  test::write_text(home.files().database() + "-journal", std::string("\0j", 2));
  JoinInfo join = home.join();
  join.cursor = 41;
  BridgeStore store = home.bridge(join);
  const std::string name =
      home.files().key + ".db.corrupt-" + base::compact_utc(home.clock.wall_ms());
  EXPECT_EQ(test::read_text(home.folder() + "/" + name), std::string(8192, 'x'));
  EXPECT_EQ(test::read_text(home.folder() + "/" + name + "-journal"), std::string("\0j", 2));
  EXPECT_TRUE(home.log.contains("the sink " + home.files().database() + " was damaged ("));
  EXPECT_TRUE(home.log.contains("); it was set aside as " + name + " and a new one started."));
  ASSERT_EQ(home.bodies(),
            (std::vector<std::string>{
                "The store of waiting fleet events was damaged and set aside as " + name +
                ". Events in it may not have reached you: call events_read "
                "with after=41 to read them."}));
  EXPECT_EQ(home.rows()[0].type, "bridge.sink-gap");
  EXPECT_EQ(must_append(store, {{}, 42, {}, Renumber::no}).local, 1U)
      << "it counts for the next notice";
  // A second one at the same second gets another name.
  test::write_text(home.files().database(), std::string(8192, 'y'));
  BridgeStore again = home.bridge(join);
  EXPECT_TRUE(base::exists(home.folder() + "/" + name + "-2"));
}

TEST(BridgeStore, S030DamageInTheMiddleOfAJoinLosesNothingUnsaid) {
  SinkHome home;
  BridgeStore store = home.bridge();
  must_append(store, {events(5, 8), 8, {}, Renumber::no});
  {
    std::fstream file(home.files().database(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(0);
    file << std::string(4096, 'z');
  }
  must_append(store, {events(9, 9), 9, {}, Renumber::no});
  const auto bodies = home.bodies();
  ASSERT_EQ(bodies.size(), 2U);
  EXPECT_NE(bodies[0].find("call events_read with after=4 to read them."), std::string::npos)
      << bodies[0];
  EXPECT_EQ(bodies[1], "event 9");
  EXPECT_EQ(home.sql_value("SELECT cursor FROM joined"), "9");
}

// 27, 30
TEST(BridgeStore, S027ZeroedPagesAreFoundByTheCheckAtJoin) {
  SinkHome home;
  {
    BridgeStore store = home.bridge();
    must_append(store, {events(1, 100), 100, {}, Renumber::no});
  }
  {
    std::fstream file(home.files().database(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    file << std::string(4096 * 6, '\0');
  }
  BridgeStore store = home.bridge();
  EXPECT_TRUE(home.log.contains("was damaged ("));
  EXPECT_EQ(home.rows().size(), 1U);
}

// 31
TEST(BridgeStore, S031TwoBridgesHealAtOnceOneFileIsSetAside) {
  for (int round = 0; round < 5; ++round) {
    SinkHome home;
    { BridgeStore store = home.bridge(); }
    test::write_text(home.files().database(), std::string(8192, 'x'));
    std::vector<pid_t> children;
    for (std::int64_t i = 0; i < 4; ++i) {
      children.push_back(test::start_child([&] {
        auto store = BridgeStore::open(home.files(), home.join(i), home.context());
        return store && store->append({events(1, 1), 1, {}, Renumber::no}).ok() ? 0 : 1;
      }));
    }
    for (const pid_t child : children) {
      EXPECT_EQ(test::wait_child(child), 0);
    }
    int aside = 0;
    for (const std::string& name : base::list_directory(home.folder()).value_or({})) {
      aside += name.find(".db.corrupt-") != std::string::npos &&
                       name.find("-journal") == std::string::npos
                   ? 1
                   : 0;
    }
    EXPECT_EQ(aside, 1);
    EXPECT_EQ(home.sql_value("SELECT count(*) FROM entry WHERE event_id = 1"), "4");
  }
}

TEST(BridgeStore, AFileMovedAwayIsBegunAnew) {
  SinkHome home;
  BridgeStore store = home.bridge();
  must_append(store, {events(5, 6), 6, {}, Renumber::no});
  ASSERT_EQ(::rename(home.files().database().c_str(), (home.dir / "mine.db").c_str()), 0);
  must_append(store, {events(7, 7), 7, {}, Renumber::no});
  const auto bodies = home.bodies();
  ASSERT_EQ(bodies.size(), 2U);
  EXPECT_EQ(bodies[0],
            "The store of waiting fleet events was moved away or replaced. Events in it may not "
            "have reached you: call "
            "events_read with after=4 to read them.");
  EXPECT_EQ(bodies[1], "event 7");
  // Replaced by another file.
  std::filesystem::remove(home.files().database());
  { BridgeStore other = home.bridge(home.dead_join(3)); }
  must_append(store, {events(8, 8), 8, {}, Renumber::no});
  EXPECT_EQ(home.bodies().back(), "event 8");
}

// 35
TEST(BridgeStore, S035FullDiskMovesNothing) {
  SinkHome home;
  const std::string disk = home.dir / "state";
  std::filesystem::create_directories(disk);
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=256k") != 0) {
    GTEST_SKIP() << "cannot mount a tmpfs here (needs root and CAP_SYS_ADMIN)";
  }
  {
    BridgeStore store = home.bridge();
    must_append(store, {events(1, 1), 1, {}, Renumber::no});
    std::ofstream filler(disk + "/filler");
    filler << std::string(1U << 20U, 'f');
    filler.close();
    Page page{events(2, 3), 3, {}, Renumber::no};
    page.events[0].json = test::event_json(2, std::string(64 * 1024, 'b'));
    auto added = store.append(page);
    EXPECT_FALSE(added.ok());
    if (!added) {
      EXPECT_EQ(added.error().what,
                "Could not write fleet events to `" + home.files().database() + "`.");
    }
    EXPECT_EQ(store.cursor(), 1);
    EXPECT_EQ(home.sql_value("SELECT cursor FROM joined"), "1");
    EXPECT_EQ(home.rows().size(), 1U);
    std::filesystem::remove(disk + "/filler");
    EXPECT_EQ(must_append(store, page).events, 2U);
    EXPECT_EQ(store.cursor(), 3);
    EXPECT_EQ(home.rows().size(), 3U);
  }
  ::umount(disk.c_str());
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
  EXPECT_EQ(home.history().size(), kMaxHistoryRows);
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
  EXPECT_LT(took, std::chrono::milliseconds(3500));
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
  const std::string old = std::to_string(home.clock.wall_ms() - kHistoryAgeMs - 24 * 3600 * 1000LL);
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
  EXPECT_EQ(home.history().size(), kMaxHistoryRows);
  EXPECT_EQ(home.sql_value("SELECT count(*) FROM history WHERE left_ms = " + old), "0");
  EXPECT_EQ(home.history().back().why, "replaced");
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

// 48, Q04
TEST(SeatFiles, S048ANetworkFolderIsSaid) {
  SinkHome home;
  EXPECT_FALSE(network_folder_line(home.files()).has_value()) << "the test folder is local";
  static std::string asked;
  const auto line = network_folder_line(home.files(), [](const std::string& path) {
    asked = path;
    return base::Result<std::string>(std::string("nfs"));
  });
  EXPECT_EQ(
      line,
      "the sink folder " + home.folder() +
          " is on nfs, where file locks are not reliable; set XDG_STATE_HOME to a local folder.");
  EXPECT_EQ(asked, home.dir.path())
      << "the folder is not there yet, so its nearest parent is looked at";
}

// 49
TEST(BridgeStore, S049TheFileOfAnOlderProgramIsSaidAndLeft) {
  SinkHome home;
  const std::string old = home.files().path(".json");
  test::write_text(old, "[1,2]");
  BridgeStore store = home.bridge();
  EXPECT_TRUE(home.log.contains("an older program left 5 bytes in " + old + "; nothing reads it."));
  EXPECT_EQ(test::read_text(old), "[1,2]");
  test::write_text(old, "");
  EXPECT_FALSE(older_program_line(home.files()).has_value());
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

// 47
TEST(BridgeStore, S047JournalModeAndSynchronousInTheFileAndTheConnection) {
  SinkHome home;
  BridgeStore store = home.bridge();
  must_append(store, {events(1, 1), 1, {}, Renumber::no});
  EXPECT_TRUE(base::exists(home.files().database() + "-journal"))
      << "TRUNCATE keeps the journal, empty";
  EXPECT_EQ(std::filesystem::file_size(home.files().database() + "-journal"), 0U);
  EXPECT_FALSE(base::exists(home.files().database() + "-wal"));
  EXPECT_EQ(home.sql_value("PRAGMA application_id"), std::to_string(kApplicationId));
  EXPECT_EQ(home.sql_value("PRAGMA user_version"), "1");
}

TEST(BridgeStore, AFolderThatCannotBeMadeIsSaid) {
  SinkHome home;
  test::write_text(home.dir / "state", "a file");
  auto store = BridgeStore::open(home.files(), home.join(), home.context());
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().what,
            "Could not create `" + home.folder() + "` to leave fleet events in.");
}

}  // namespace
}  // namespace robot_council::sink
