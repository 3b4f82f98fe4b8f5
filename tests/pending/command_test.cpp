#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sqlite3.h>

#include "base/files.hpp"
#include "brake/homes.hpp"
#include "pending/pending.hpp"
#include "sink/limits.hpp"
#include "sink/seat.hpp"
#include "tests/pending/pending_fixture.hpp"

namespace robot_council::pending {
namespace {

using test::event;
using test::events;
using test::line_of;

// `robot-council pending` as its action calls it.
class Command : public test::PendingTest {
 protected:
  Command() {
    home_.environment.set("ROBOT_COUNCIL_SERVICE", test::kService);
    home_.environment.set("ROBOT_COUNCIL_HARNESS", "claude");
    home_.environment.set("CLAUDE_PROJECT_DIR", home_.dir.path());
    options_.project = "org/repo";  // the seat of SinkHome
  }
  struct Ran {
    int code;
    std::string out;
    std::string err;
  };
  Ran run(const PendingOptions& options) {
    const std::string path = home_.dir / "stdout";
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const std::size_t before = home_.log.lines().size();
    const int code = pending::run(options, home_.context(), fd);
    ::close(fd);
    std::string err;
    const auto lines = home_.log.lines();
    for (std::size_t i = before; i < lines.size(); ++i) {
      err += lines[i] + "\n";
    }
    return {code, test::read_text(path), err};
  }
  Ran run() { return run(options_); }
  void expect_quiet(const Ran& ran) {
    EXPECT_EQ(ran.code, kExitOk);
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.err, "");
  }
  std::string database() { return home_.files().database(); }
  // Runs as the user `nobody`, to whom everything in the home is given; -1 when that is not
  // possible here.
  int run_as_nobody(const PendingOptions& options, const std::string& expected_part) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(home_.dir.path())) {
      if (::lchown(entry.path().c_str(), kNobody, kNobody) != 0) {
        return -1;
      }
    }
    if (::chown(home_.dir.path().c_str(), kNobody, kNobody) != 0) {
      return -1;
    }
    return test::in_child([&] {
      if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) {
        return 98;
      }
      const int fd = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
      const int code = pending::run(options, home_.context(), fd);
      return expected_part.empty() ? (home_.log.lines().empty() ? code : 97)
                                   : (home_.log.contains(expected_part) ? code : 96);
    });
  }
  static constexpr unsigned kNobody = 65534;

  PendingOptions options_;
};

TEST_F(Command, PrintsPlainLines) {
  add(events(1, 2));
  const Ran ran = run();
  EXPECT_EQ(ran.code, kExitOk);
  EXPECT_EQ(ran.out, line_of(1) + "\n" + line_of(2) + "\n");
  EXPECT_EQ(ran.err, "");
  expect_quiet(run());
}

// 75
TEST_F(Command, S075EachFormat) {
  add(events(1, 1));
  options_.format = "block";
  EXPECT_EQ(run().out, block("\\n" + line_of(1)));
  add(events(2, 2));
  options_.format = "deny";
  EXPECT_EQ(run().out,
            "{\"decision\":\"deny\",\"reason\":\"Robot Council has news:\\n" + line_of(2) + "\"}");
  add(events(3, 3));
  options_.format = "cursor";
  EXPECT_EQ(run().out, "{\"followup_message\":\"Robot Council has news:\\n" + line_of(3) + "\"}");
  expect_quiet(run());
}

// 76, 77, 78
TEST_F(Command, S076WrongOptionsTakeNothing) {
  add(events(1, 1));
  const auto refused = [&](const PendingOptions& options, const std::string& line) {
    const Ran ran = run(options);
    EXPECT_EQ(ran.code, kExitMisconfigured) << line;
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.err, line + "\n");
  };
  PendingOptions options = options_;
  options.format = "json";
  refused(options, "--format takes block or cursor, or deny.");
  options = options_;
  options.json = true;
  refused(options, "--json goes with --peek.");
  options = options_;
  options.hook = true;
  options.peek = true;
  refused(options, "--hook goes alone.");
  home_.environment.unset("ROBOT_COUNCIL_SERVICE");
  refused(options_, "Pass --service, or set ROBOT_COUNCIL_SERVICE, with the URL of your fleet.");
  home_.environment.set("ROBOT_COUNCIL_SERVICE", test::kService);
  home_.environment.unset("ROBOT_COUNCIL_HARNESS");
  refused(options_,
          "Could not tell which harness this is. Pass --harness=<name>, or set "
          "ROBOT_COUNCIL_HARNESS in this harness's "
          "configuration.");
  EXPECT_EQ(states(), "0 ");
  EXPECT_FALSE(base::exists(home_.files().drain()));
}

// 3
TEST_F(Command, S003AFlagThatReducesToNothingLeavesItToDetection) {
  add(events(1, 1));
  home_.environment.set("ROBOT_COUNCIL_HARNESS", "codex");
  home_.environment.set("CLAUDECODE", "1");
  options_.harness = "!!!";
  EXPECT_EQ(run().out, line_of(1) + "\n");
}

// 4
TEST_F(Command, S004EmptyOptionsAreNotGiven) {
  add(events(1, 1));
  options_.service.clear();
  options_.format.clear();
  options_.harness.clear();
  EXPECT_EQ(run().out, line_of(1) + "\n");
}

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
  EXPECT_LT(took, std::chrono::milliseconds(3500));
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

// 79
TEST_F(Command, S079PeekShowsAndChangesNothing) {
  add(events(1, 2));
  home_.sql("UPDATE entry SET state=1, maybe=1 WHERE event_id=1");
  const std::string bytes = test::read_text(database());
  PendingOptions peek = options_;
  peek.peek = true;
  EXPECT_EQ(run(peek).out, "[repeat] " + line_of(1) + "\n" + line_of(2) + "\n");
  peek.json = true;
  EXPECT_EQ(
      run(peek).out,
      "{\"key\":\"" + home_.files().key + "\",\"sink\":\"" + database() +
          "\",\"waiting\":[{\"event\":" + test::event_json(1, "event 1") +
          ",\"state\":\"offered\",\"writes\":0,\"earlier_session\":false},{\"event\":" +
          test::event_json(2, "event 2") +
          ",\"state\":\"waiting\",\"writes\":0,\"earlier_session\":false}],\"written\":[]}\n");
  EXPECT_EQ(test::read_text(database()), bytes);
  EXPECT_FALSE(base::exists(home_.files().turn()));
  EXPECT_FALSE(base::exists(home_.files().hook()));
  EXPECT_FALSE(base::exists(home_.files().drain()));
}

// 50
TEST_F(Command, S050PeekShowsEventsAsStored) {
  const std::string odd =
      R"({"z":{},"body":"b","id":9223372036854775808,"n":1.0,"e":1e999,"a":[],"type":"t"})";
  add({sink::FeedEvent::from_json(odd)});
  PendingOptions peek = options_;
  peek.peek = true;
  peek.json = true;
  EXPECT_NE(run(peek).out.find("{\"event\":" + odd + ",\"state\""), std::string::npos);
}

// 70
TEST_F(Command, S070PeekAndHistoryBetweenAnyTwoSteps) {
  add(events(1, 3));
  PendingOptions peek = options_;
  peek.peek = true;
  PendingOptions history = options_;
  history.history = 20;
  int steps = 0;
  Request wanted = request(turn_end());
  wanted.step = [&](Step) {
    const std::string bytes = test::read_text(database());
    EXPECT_EQ(run(peek).code, kExitOk);
    EXPECT_EQ(run(history).code, kExitOk);
    EXPECT_EQ(test::read_text(database()), bytes);
    ++steps;
  };
  deliver(wanted);
  EXPECT_GE(steps, 6);
  EXPECT_EQ(states(), "2 2 2 ");
}

// 90
TEST_F(Command, S090History) {
  add(events(1, 5));
  text(turn_end());
  text(continued());
  add_local("bridge.note", "old");
  add_local("bridge.note", "new");
  PendingOptions history = options_;
  history.history = 3;
  const Ran ran = run(history);
  EXPECT_EQ(ran.code, kExitOk);
  EXPECT_EQ(
      ran.out,
      "2026-11-30T06:00:00Z confirmed 1x " + line_of(4) + "\n2026-11-30T06:00:00Z confirmed 1x " +
          line_of(5) +
          "\n2026-11-30T06:00:00Z replaced 0x [bridge.note] old at 2026-11-30T06:00:00+00:00\n");
}

// 80
TEST_F(Command, S080AnotherSeatsSinkIsUntouched) {
  add(events(1, 1));
  const std::string bytes = test::read_text(database());
  PendingOptions other = options_;
  other.project = "another/repo";
  expect_quiet(run(other));
  other = options_;
  other.harness = "codex";
  expect_quiet(run(other));
  EXPECT_EQ(test::read_text(database()), bytes);
  EXPECT_EQ(states(), "0 ");
}

// 88
TEST_F(Command, S088TwoHundredLongEventsPlain) {
  std::vector<sink::FeedEvent> list = events(1, 200);
  for (sink::FeedEvent& one : list) {
    one.json = test::event_json(*one.id, std::to_string(*one.id) + std::string(1000, 'l'));
  }
  add(list);
  const Ran ran = run();
  EXPECT_EQ(ran.code, kExitOk);
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 200);
  EXPECT_EQ(states().find("0"), std::string::npos);
}

// 89
TEST_F(Command, S089AQuietCallWritesNothing) {
  store_.reset();
  home_.environment.set("ROBOT_COUNCIL_HARNESS", "claude");
  const std::string bytes = test::read_text(database());
  const auto names = *base::list_directory(home_.folder());
  const auto time = std::filesystem::last_write_time(database());
  expect_quiet(run());
  auto after = *base::list_directory(home_.folder());
  after.erase(std::remove(after.begin(), after.end(), home_.files().key + ".turn"), after.end());
  EXPECT_EQ(after, names) << "no .drain";
  EXPECT_EQ(test::read_text(database()), bytes);
  EXPECT_EQ(std::filesystem::last_write_time(database()), time);
  // Held by another writer: still quiet at once.
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(database().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  expect_quiet(run());
  sqlite3_close(other);
}

TEST_F(Command, AQuietHookCallWritesOnlyToResetACounter) {
  home_.sql("INSERT INTO chain VALUES('A','turn-1',1,1,0,5)");
  const auto value = [&] { return home_.sql_value("SELECT streak||' '||seen_ms FROM chain"); };
  text(turn_end());
  EXPECT_EQ(value(), "0 " + std::to_string(home_.clock.wall_ms()));
  home_.sql("UPDATE chain SET seen_ms=7");
  text(turn_end());
  EXPECT_EQ(value(), "0 7") << "nothing to reset: nothing written";
}

// 91
TEST_F(Command, S091ANonBlockingStdoutWithASlowReader) {
  std::vector<sink::FeedEvent> list = events(1, 200);
  std::string expected;
  for (sink::FeedEvent& one : list) {
    one.json = test::event_json(*one.id, std::to_string(*one.id) + std::string(1000, 'l'));
    expected += "[directive] " + std::to_string(*one.id) + std::string(1000, 'l') +
                " from otherdev at " + test::kTime + "\n";
  }
  add(list);
  auto pipe = base::Pipe::open();
  ASSERT_TRUE(pipe.ok());
  ASSERT_TRUE(base::set_nonblocking(pipe->write_end.get()).ok());
  std::string got;
  std::thread reader([&] {
    std::array<char, 1500> part{};
    while (true) {
      auto size = base::read_some(pipe->read_end.get(), part);
      if (!size || *size == 0) {
        return;
      }
      got.append(part.data(), *size);
    }
  });
  EXPECT_EQ(pending::run(options_, home_.context(), pipe->write_end.get()), kExitOk);
  pipe->write_end.reset();
  reader.join();
  EXPECT_EQ(got, expected);
  EXPECT_EQ(states().find("0"), std::string::npos);
  EXPECT_EQ(states().find("1"), std::string::npos);
}

TEST_F(Command, AReaderThatNeverReadsIsGivenUp) {
  std::vector<sink::FeedEvent> list = events(1, 200);
  for (sink::FeedEvent& one : list) {
    one.json = test::event_json(*one.id, std::string(1000, 'l'));
  }
  add(list);
  auto pipe = base::Pipe::open();  // blocking, as a harness's is
  ASSERT_TRUE(pipe.ok());
  Request wanted = request(sink::Call(), Shape::plain);
  wanted.output = pipe->write_end.get();
  wanted.write_wait = base::Milliseconds(200);
  auto outcome = pending::deliver(wanted, home_.context());
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->end, End::reader_gone);
  EXPECT_EQ(outcome->waiting, 200U);
  EXPECT_EQ(home_.bodies(sink::RowState::waiting).size(), 200U);
  EXPECT_EQ(plain().substr(0, 9), "[repeat] ");
}

// 155
TEST_F(Command, S155TheReaderIsGone) {
  const auto run_into_closed = [&](const char* format, std::size_t read_first) {
    auto pipe = base::Pipe::open();
    if (read_first == 0) {
      pipe->read_end.reset();
    }
    std::thread reader([&] {
      if (read_first > 0) {
        std::vector<char> part(read_first);
        static_cast<void>(base::read_some(pipe->read_end.get(), part));
        pipe->read_end.reset();
      }
    });
    PendingOptions options = options_;
    options.format = format;
    EXPECT_EQ(pending::run(options, home_.context(), pipe->write_end.get()), kExitOk);
    reader.join();
  };
  std::vector<sink::FeedEvent> list = events(1, 200);
  for (sink::FeedEvent& one : list) {
    one.json = test::event_json(*one.id, std::to_string(*one.id) + std::string(1000, 'l'));
  }
  add(list);
  run_into_closed("block", 0);
  run_into_closed("", 0);
  EXPECT_EQ(home_.log.lines(), std::vector<std::string>{});
  EXPECT_EQ(home_.sql_value("SELECT count(*) FROM entry WHERE state=0 AND writes=0 AND maybe=0"),
            "200");
  EXPECT_EQ(
      home_.sql_value("SELECT count(*) FROM entry WHERE to_session IS NULL AND printed_ms IS NULL"),
      "200");
  run_into_closed("", 100);
  EXPECT_EQ(home_.sql_value("SELECT count(*) FROM entry WHERE state=0 AND writes=0 AND maybe=1"),
            "200");
  EXPECT_EQ(plain().substr(0, 9), "[repeat] ");
}

TEST_F(Command, AReaderThatIsGoneLeavesTheCountersAsTheyWere) {
  add(events(1, 1));
  home_.sql("INSERT INTO chain VALUES('A','turn-0',2,5,1,5)");
  auto pipe = base::Pipe::open();
  pipe->read_end.reset();
  Request wanted = request(turn_end());
  wanted.output = pipe->write_end.get();
  wanted.guard = [](const TurnEnd& end) {
    sink::Chain chain = end.chain;
    chain.woke = false;
    chain.answers = 0;
    return Verdict{true, chain};
  };
  ASSERT_TRUE(pending::deliver(wanted, home_.context()).ok());
  EXPECT_EQ(home_.sql_value("SELECT turn||' '||answers||' '||streak||' '||woke FROM chain"),
            "turn-0 2 5 1");
}

// 166
TEST_F(Command, S166UnderTheBrakeNothingIsPrintedAndEverythingKept) {
  add(events(1, 1));
  const std::string home = home_.dir / "home";
  home_.environment.set("HOME", home);
  test::write_text(brake::everywhere_file(home),
                   R"({"version":1,"scope":"all","reason":"wrong branch","who":"ana@example.org",)"
                   R"("when":"2026-11-30T05:40:12Z","repo":""})"
                   "\n");
  ::chmod(brake::everywhere_file(home).c_str(), 0600);
  ::chmod(brake::stops_folder(home).c_str(), 0700);
  for (const char* format : {"", "block"}) {
    options_.format = format;
    const Ran ran = run();
    EXPECT_EQ(ran.code, kExitOk);
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.err, "stopped; 1 events kept\n");
  }
  EXPECT_EQ(states(), "0 ");
  options_.format.clear();
  PendingOptions peek = options_;
  peek.peek = true;
  EXPECT_EQ(run(peek).out, line_of(1) + "\n");
  PendingOptions history = options_;
  history.history = 1;
  expect_quiet(run(history));
  std::filesystem::remove(brake::everywhere_file(home));
  EXPECT_EQ(run().out, line_of(1) + "\n") << "after resume as new";
}

}  // namespace
}  // namespace robot_council::pending
