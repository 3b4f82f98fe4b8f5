// What both sides of a sink say when the system or the file lets them down.

#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <future>
#include <string>

#include <gtest/gtest.h>

#include "base/file_lock.hpp"
#include "base/files.hpp"
#include "base/json.hpp"
#include "sink/bridge_rows.hpp"
#include "sink/checkout.hpp"
#include "sink/drain_lock.hpp"
#include "sink/limits.hpp"
#include "sink/one_shot.hpp"
#include "sink/recorded_key.hpp"
#include "sink/store.hpp"
#include "tests/lib/sink_fixture.hpp"

namespace robot_council::sink {
namespace {

using test::events;
using test::must_append;
using test::SinkHome;

std::string reader_says(const SeatFiles& files) {
  auto store = DeliveryStore::open(files, Access::read_write, WaitBudget());
  return store ? (store->has_value() ? "open" : "nothing") : store.error().what;
}

std::string bridge_says(SinkHome& home) {
  auto store = BridgeStore::open(home.files(), home.join(), home.context());
  return store ? "open" : store.error().what;
}

std::string share_says(const SeatFiles& files) {
  auto share = read_share(files, own_process());
  return share ? std::to_string(share->entries) : share.error().what;
}

void damage(const SinkHome& home) {
  home.spoil(0, std::string(4096, 'z'));
}

TEST(SinkTrouble, WhatCannotBeLookedAtIsRefused) {
  SinkHome home;
  { BridgeStore store = home.bridge(); }
  const SeatFiles long_key{home.folder(), std::string(300, 'k')};
  const SeatFiles long_folder{"/" + std::string(5000, 'f'), "k"};
  for (const SeatFiles& files : {long_key, long_folder}) {
    EXPECT_EQ(reader_says(files), "Could not open the sink `" + files.database() + "` to read it.");
    EXPECT_EQ(share_says(files),
              "Could not open `" + files.database() + "` to leave fleet events in.");
  }
}

TEST(SinkTrouble, AFileInPlaceOfTheFolderIsNothingWaiting) {
  SinkHome home;
  test::write_text(home.folder(), "x");
  EXPECT_EQ(reader_says(home.files()), "nothing");
  EXPECT_EQ(share_says(home.files()), "0");
  const SeatFiles below{home.folder() + "/pending", "k"};
  EXPECT_EQ(reader_says(below), "nothing");
  EXPECT_EQ(share_says(below), "0");
}

TEST(SinkTrouble, WithoutDescriptorsEachSaysThatItCouldNotOpen) {
  SinkHome home;
  { BridgeStore store = home.bridge(); }
  // The checker of member calls asks the system through a pipe whether it may look at an object of
  // a class that it has not met yet: it meets SQLite's exception here, where it has descriptors.
  SinkHome met;
  test::write_text(met.files().database(), std::string(8192, 'x'));
  EXPECT_NE(reader_says(met.files()).find("does not parse"), std::string::npos);
  const std::string repository = home.dir / "repository";
  test::write_text(repository + "/.git/HEAD", "ref: refs/heads/main\n");
  const int code = test::in_child([&] {
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    const rlimit none{0, before.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
    const std::string reader = reader_says(home.files());
    const std::string bridge = bridge_says(home);
    const std::string share = share_says(home.files());
    const auto checkout = find_checkout(repository);
    ::setrlimit(RLIMIT_NOFILE, &before);
    const std::string writer =
        "Could not open `" + home.files().database() + "` to leave fleet events in.";
    if (reader != "Could not open the sink `" + home.files().database() + "` to read it.") {
      return 1;
    }
    if (bridge != writer || share != writer) {
      return 2;
    }
    return !checkout.ok() && checkout.error().what.find("/.git/HEAD: Too many open files") !=
                                 std::string::npos
               ? 0
               : 3;
  });
  EXPECT_EQ(code, 0);
}

// A file that may grow no more is to SQLite what a full disk is.
TEST(SinkTrouble, AReaderThatCannotWriteLeavesTheRowsAsTheyWere) {
  SinkHome home;
  BridgeStore store = home.bridge();
  must_append(store, {events(1, 2), 2, {}, Renumber::no});
  const std::string bytes = test::read_text(home.files().database());
  const int code = test::in_child([&] {
    auto reader = DeliveryStore::open(home.files(), Access::read_write, WaitBudget());
    if (!reader || !*reader) {
      return 1;
    }
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{16, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    const auto written =
        (*reader)->write(WaitBudget(), [](DeliveryStore::Transaction& transaction) -> base::Status {
          transaction.set_chain("A", Chain(), 1);
          return {};
        });
    ::setrlimit(RLIMIT_FSIZE, &before);
    const std::string head =
        "The sink `" + home.files().database() + "` could not be written back: ";
    return !written && written.error().code == base::Errc::io &&
                   written.error().what.find(head) == 0
               ? 0
               : 2;
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(home.rows().size(), 2U);
  EXPECT_EQ(test::read_text(home.files().database()), bytes);
}

TEST(SinkTrouble, AnErrorOfTheWorkTakesBackWhatItDidAndCountersAreKeptForSoManySessions) {
  SinkHome home;
  { BridgeStore store = home.bridge(); }
  auto reader = DeliveryStore::open(home.files(), Access::read_write, WaitBudget());
  ASSERT_TRUE(reader.ok() && reader->has_value());
  const auto count_sessions = [&](std::int64_t sessions, const base::Status& end) {
    return (*reader)->write(WaitBudget(), [&](DeliveryStore::Transaction& transaction) {
      for (std::int64_t i = 0; i < sessions; ++i) {
        transaction.set_chain("session " + std::to_string(i), Chain(), i);
      }
      return end;
    });
  };
  EXPECT_FALSE(count_sessions(1, base::Error{base::Errc::io, "no"}).ok());
  EXPECT_EQ(home.sql_value("SELECT count(*) FROM chain"), "0");
  EXPECT_TRUE(count_sessions(105, {}).ok());
  EXPECT_EQ(home.sql_value("SELECT count(*) FROM chain"), "100");
  EXPECT_EQ(home.sql_value("SELECT min(seen_ms) FROM chain"), "5") << "the oldest have left";
}

TEST(SinkTrouble, ATableThatIsMissingMakesItNoListOfEvents) {
  const auto not_ours = [](const SinkHome& home) {
    return "The sink `" + home.files().database() +
           "` is not a list of events. It was left as it was; move it aside to let delivery "
           "resume.";
  };
  SinkHome home;
  BridgeStore store = home.bridge();
  auto reader = DeliveryStore::open(home.files(), Access::read_write, WaitBudget());
  ASSERT_TRUE(reader.ok() && reader->has_value());
  home.sql("ALTER TABLE history RENAME TO other");
  EXPECT_EQ(store.append({events(1, 1), 1, {}, Renumber::no}).error().what, not_ours(home));
  EXPECT_EQ((*reader)->history(3).error().what, not_ours(home));
  EXPECT_EQ((*reader)->prints_to("A", 0, 1).error().what, not_ours(home));
  home.sql("ALTER TABLE other RENAME TO history; ALTER TABLE entry RENAME TO other");
  EXPECT_EQ((*reader)->look(std::nullopt).error().what, not_ours(home));
  EXPECT_EQ((*reader)
                ->write(WaitBudget(),
                        [](DeliveryStore::Transaction& transaction) -> base::Status {
                          transaction.mark_written("o", 1);
                          return {};
                        })
                .error()
                .what,
            not_ours(home));
}

TEST(SinkTrouble, TheShareOfAFileThatIsNotOursIsAnError) {
  SinkHome home;
  { BridgeStore store = home.bridge(); }
  home.sql("PRAGMA user_version=2");
  EXPECT_NE(share_says(home.files()).find("newer robot-council (version 2"), std::string::npos);
  home.sql("PRAGMA user_version=1; PRAGMA application_id=5");
  EXPECT_NE(share_says(home.files()).find("is not a list of events"), std::string::npos);
  test::write_text(home.files().database(), std::string(8192, 'x'));
  EXPECT_EQ(share_says(home.files()),
            "Could not write fleet events to `" + home.files().database() + "`.");
}

TEST(SinkTrouble, ADamagedFileThatCannotBeSetAsideStays) {
  SinkHome home;
  BridgeStore store = home.bridge();
  damage(home);
  const std::string bytes = test::read_text(home.files().database());
  const std::string not_written =
      "Could not write fleet events to `" + home.files().database() + "`.";
  // The reader's lock cannot be made.
  ASSERT_EQ(::mkdir(home.files().drain().c_str(), 0700), 0);
  EXPECT_EQ(store.append({events(1, 1), 1, {}, Renumber::no}).error().what, not_written);
  EXPECT_EQ(store.put_local({"bridge.note", "words"}).error().what,
            "Could not write a notice to `" + home.files().database() + "`.");
  EXPECT_EQ(bridge_says(home), not_written);
  ASSERT_EQ(::rmdir(home.files().drain().c_str()), 0);
  // A reader is in the middle of it.
  {
    auto lock = base::FileLock::try_acquire(home.files().drain());
    ASSERT_TRUE(lock.ok());
    EXPECT_EQ(bridge_says(home),
              "Could not lock `" + home.files().database() + "` to leave fleet events in.");
  }
  EXPECT_EQ(test::read_text(home.files().database()), bytes);
  // It cannot be renamed.
  const std::string held = home.files().database();
  if (::mount(held.c_str(), held.c_str(), nullptr, MS_BIND, nullptr) != 0) {
    GTEST_SKIP() << "cannot mount here (needs root and CAP_SYS_ADMIN)";
  }
  EXPECT_EQ(bridge_says(home), not_written);
  ::umount(held.c_str());
  EXPECT_EQ(test::read_text(held), bytes);
}

// A bridge sets the damaged file aside while a reader has it open: the reader takes the new one.
TEST(SinkTrouble, AReaderFollowsAFileThatIsReplacedUnderIt) {
  SinkHome home;
  { BridgeStore store = home.bridge(); }
  const std::string path = home.files().database();
  const std::string good = test::read_text(path);
  damage(home);
  // What a process locks as SQLite does, another one waits for.
  auto locked = base::Pipe::open();
  auto release = base::Pipe::open();
  ASSERT_TRUE(locked.ok() && release.ok());
  const pid_t holder = test::start_child([&] {
    const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    struct flock whole {};
    whole.l_type = F_WRLCK;
    char byte = 0;
    const bool held = fd >= 0 && ::fcntl(fd, F_SETLK, &whole) == 0;
    return held && ::write(locked->write_end.get(), &byte, 1) == 1 &&
                   ::read(release->read_end.get(), &byte, 1) == 1
               ? 0
               : 1;
  });
  char byte = 0;
  ASSERT_EQ(::read(locked->read_end.get(), &byte, 1), 1);
  std::promise<pid_t> thread;
  auto said = std::async(std::launch::async, [&] {
    thread.set_value(::gettid());
    return reader_says(home.files());
  });
  const pid_t reader = thread.get_future().get();
  ASSERT_TRUE(test::wait_until([&] { return test::thread_sleeps(reader); }));
  ASSERT_EQ(::rename(path.c_str(), (path + ".aside").c_str()), 0);
  test::write_text(path, good);
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  ASSERT_EQ(::write(release->write_end.get(), &byte, 1), 1);
  EXPECT_EQ(test::wait_child(holder), 0);
  EXPECT_EQ(said.get(), "open");
}

TEST(SinkTrouble, ARecordThatCannotBeWrittenIsNone) {
  SinkHome home;
  Seat seat;
  seat.names = {test::kService, "claude", ""};
  seat.kind = KeyKind::checkout;
  seat.folder = home.dir.path();
  seat.files = home.files();
  const std::string path = record_path(home.folder(), seat.names, seat.folder);
  test::write_text(home.folder(), "no folder");
  EXPECT_FALSE(RecordedKey::write(seat).has_value());
  std::filesystem::remove(home.folder());
  // Something else lies where it is to be, and where it is made.
  std::filesystem::create_directories(path + "/x");
  EXPECT_FALSE(RecordedKey::write(seat).has_value());
  EXPECT_EQ(base::list_directory(home.folder())->size(), 1U) << "no half of it is left";
  std::filesystem::create_directories(path + "." + std::to_string(::getpid()) + "/x");
  EXPECT_FALSE(RecordedKey::write(seat).has_value());
}

TEST(SinkTrouble, AnEntryOfDroppedEventsThatIsNotOursCountsNothing) {
  EXPECT_EQ(read_dropped(R"({"body":"7 of something else"})").count, 0);
  EXPECT_EQ(read_dropped(R"({"body":"many"})").count, 0);
  const std::string body = dropped_body({3, std::nullopt, std::nullopt});
  EXPECT_EQ(body,
            "3 fleet events left this seat unread, because more than 200 were waiting. Call "
            "events_read to read them.");
  const DroppedEvents again = read_dropped("{\"body\":" + base::quote_json(body) + "}");
  EXPECT_EQ(again.count, 3);
  EXPECT_FALSE(again.first || again.last);
}

TEST(SinkTrouble, ALockFileThatOthersMayReadIsNarrowed) {
  SinkHome home;
  BridgeStore store = home.bridge();
  EXPECT_EQ(store.join_no(), 1);
  EXPECT_EQ(store.files().key, home.files().key);
  test::write_text(home.files().drain(), "");
  ASSERT_EQ(::chmod(home.files().drain().c_str(), 0644), 0);
  EXPECT_TRUE(lock_drain(home.files(), WaitBudget()).ok());
  EXPECT_EQ(test::mode_of(home.files().drain()), 0600U);
}

// Once per process and before SQLite runs; later it changes nothing.
TEST(SinkTrouble, PreparingForOneCallLeavesASinkAsItIs) {
  EXPECT_EQ(test::in_child([] {
              prepare_one_shot();
              SinkHome home;
              BridgeStore store = home.bridge();
              return store.append({events(1, 3), 3, {}, Renumber::no}).ok() &&
                             home.rows().size() == 3
                         ? 0
                         : 1;
            }),
            0);
  prepare_one_shot();
}

TEST(SinkTrouble, ABridgeWhoseFolderBecameAFileSaysSo) {
  SinkHome home;
  BridgeStore store = home.bridge();
  std::filesystem::remove_all(home.folder());
  test::write_text(home.folder(), "x");
  EXPECT_EQ(store.append({events(1, 1), 1, {}, Renumber::no}).error().what,
            "Could not create `" + home.folder() + "` to leave fleet events in.");
}

// While a bridge waits to set a damaged file aside, another one does, and begins a new one.
TEST(SinkTrouble, ABridgeThatWaitedForTheLockTakesTheFileThatAnotherBegan) {
  SinkHome home;
  { BridgeStore store = home.bridge(); }
  const std::string path = home.files().database();
  const std::string good = test::read_text(path);
  damage(home);
  auto lock = base::FileLock::try_acquire(home.files().drain());
  ASSERT_TRUE(lock.ok());
  std::promise<pid_t> thread;
  auto said = std::async(std::launch::async, [&] {
    thread.set_value(::gettid());
    return bridge_says(home);
  });
  const pid_t waiting = thread.get_future().get();
  ASSERT_TRUE(test::wait_until([&] { return test::thread_sleeps(waiting); }));
  const std::string aside = home.files().key + ".db.corrupt-by-another";
  ASSERT_EQ(::rename(path.c_str(), (home.folder() + "/" + aside).c_str()), 0);
  test::write_text(path, good);
  lock->release();
  EXPECT_EQ(said.get(), "open");
  EXPECT_EQ(home.bodies(),
            std::vector<std::string>(
                {"The store of waiting fleet events was damaged and set aside as " + aside +
                 ". Events in it may not have reached you: call events_read with "
                 "after=0 to read them."}));
  EXPECT_FALSE(home.log.contains("was set aside as"));
}

// Two bridges met the same damage: the second one names the file that the first one set aside.
TEST(SinkTrouble, ABridgeThatWasSlowerNamesTheFileSetAside) {
  SinkHome home;
  BridgeStore first = home.bridge();
  BridgeStore second = home.bridge(home.join(2));
  damage(home);
  must_append(first, {events(1, 1), 1, {}, Renumber::no});
  must_append(second, {events(1, 1), 1, {}, Renumber::no});
  int gaps = 0;
  for (const Entry& row : home.rows()) {
    gaps += row.type == "bridge.sink-gap" ? 1 : 0;
    if (row.type == "bridge.sink-gap") {
      EXPECT_NE(row.json.find("set aside as " + home.files().key + ".db.corrupt-"),
                std::string::npos);
    }
  }
  EXPECT_GT(gaps, 0);
}

}  // namespace
}  // namespace robot_council::sink
