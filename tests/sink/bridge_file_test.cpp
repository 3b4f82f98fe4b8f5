// The file of a sink as a bridge finds it and leaves it: modes, links, damage, a full disk.

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

using test::events;
using test::must_append;
using test::SinkHome;

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
  ::chmod(home.folder().c_str(), 0570);
  ::chmod(home.files().database().c_str(), 0755);
  auto odd = DeliveryStore::open(home.files(), Access::read_write, WaitBudget());
  EXPECT_EQ(test::mode_of(home.folder()), 0500U) << "what was closed to us stays so";
  EXPECT_EQ(test::mode_of(home.files().database()), 0600U);
  ::chmod(home.folder().c_str(), 0700);
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
  ASSERT_EQ(::chown(home.files().database().c_str(), ::geteuid(), ::getegid()), 0);
  ASSERT_EQ(::chown(home.folder().c_str(), 65534, 65534), 0);
  EXPECT_FALSE(DeliveryStore::open(home.files(), Access::read_write, WaitBudget()).ok())
      << "another user's folder";
  EXPECT_FALSE(read_share(home.files(), own_process()).ok());
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
  home.spoil(0, std::string(4096, 'z'));
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
  home.spoil(4096, std::string(4096 * 6, '\0'));
  BridgeStore store = home.bridge();
  EXPECT_TRUE(home.log.contains("was damaged ("));
  EXPECT_EQ(home.rows().size(), 1U);
}

// 27: damage that nothing of a join would meet by itself
TEST(BridgeStore, S027ADamagedTableOfEntriesIsFoundByTheCheckAtJoin) {
  SinkHome home;
  {
    BridgeStore store = home.bridge();
    must_append(store, {events(1, 3), 3, {}, Renumber::no});
  }
  home.spoil_entries();
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
  std::filesystem::remove(old);
  test::write_text(old + "/inside", "x");
  EXPECT_FALSE(older_program_line(home.files()).has_value()) << "a folder";
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
