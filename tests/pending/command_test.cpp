// `robot-council pending`: its options, what it shows, and what it leaves alone.

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include <sqlite3.h>

#include "base/files.hpp"
#include "brake/homes.hpp"
#include "pending/limits.hpp"
#include "sink/seat.hpp"
#include "tests/pending/command_fixture.hpp"

namespace robot_council::pending {
namespace {

using test::event;
using test::events;
using test::line_of;
using Command = test::CommandTest;

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
  for (const auto& add_to_hook : std::vector<std::function<void(PendingOptions&)>>{
           [](PendingOptions& with) { with.peek = true; },
           [](PendingOptions& with) { with.json = true; },
           [](PendingOptions& with) { with.history = 20; },
           [](PendingOptions& with) { with.format = "block"; }}) {
    options = options_;
    options.hook = true;
    add_to_hook(options);
    refused(options, "--hook goes alone.");
  }
  options = options_;
  options.history = 20;
  options.peek = true;
  refused(options, "--history goes alone.");
  options.peek = false;
  options.format = "block";
  refused(options, "--history goes alone.");
  home_.environment.unset("ROBOT_COUNCIL_SERVICE");
  options = options_;
  options.format = "json";
  refused(options, "Pass --service, or set ROBOT_COUNCIL_SERVICE, with the URL of your fleet.");
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

// 79: what was printed is shown apart, and only where all is shown.
TEST_F(Command, S079PeekShowsWhatWasPrintedOnlyAsJson) {
  add(events(1, 2));
  home_.sql("UPDATE entry SET state=2, writes=1 WHERE event_id=1");
  PendingOptions peek = options_;
  peek.peek = true;
  EXPECT_EQ(run(peek).out, line_of(2) + "\n");
  peek.json = true;
  const std::string out = run(peek).out;
  EXPECT_EQ(out.substr(out.find("\"waiting\"")),
            "\"waiting\":[{\"event\":" + test::event_json(2, "event 2") +
                ",\"state\":\"waiting\",\"writes\":0,\"earlier_session\":false}],\"written\":[{"
                "\"event\":" +
                test::event_json(1, "event 1") +
                ",\"state\":\"written\",\"writes\":1,\"earlier_session\":false}]}\n");
}

TEST_F(Command, PeekQuotesWhatIsNoJson) {
  add(events(1, 1));
  home_.sql("UPDATE entry SET json='{\"cut' WHERE event_id=1");
  PendingOptions peek = options_;
  peek.peek = true;
  peek.json = true;
  EXPECT_NE(run(peek).out.find(R"({"event":"{\"cut","state")"), std::string::npos);
}

// 83
TEST_F(Command, S083TheBudgetIsThatOfTheHarness) {
  home_.environment.set("ROBOT_COUNCIL_HARNESS", "codex");
  const auto seat = sink::resolve_seat({test::kService, "codex", "org/repo"}, home_.dir.path(),
                                       home_.environment);
  auto store = sink::BridgeStore::open(seat->files, home_.join(), home_.context());
  ASSERT_TRUE(store.ok());
  test::must_append(*store, {{event(1, std::string(9000, 'b'))}, 1, {}, sink::Renumber::no});
  options_.format = "block";
  const std::string out = run().out;
  EXPECT_EQ(base::json_unescape(base::json_member(out, "reason")).size(), 8000U);
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

// 4: what `--history` alone shows.
TEST_F(Command, S090HistoryShowsTwentyRowsByDefault) {
  home_.sql(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<25) INSERT INTO "
      "history(left_ms, why, writes, join_no, event_id, json) SELECT 1, 'confirmed', 1, 9, i, '{}' "
      "FROM n");
  PendingOptions history = options_;
  history.history = kDefaultHistory;
  const std::string out = run(history).out;
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 20);
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

// 166: the seat's folder is one thing, where the caller works another.
TEST_F(Command, S166AStopOfTheWorkingDirectoryHoldsToo) {
  add(events(1, 1));
  const std::string folder = home_.dir / "stopped";
  test::write_text(folder + "/.robot-council/stop.json",
                   R"({"version":1,"scope":"all","reason":"wrong branch","who":"ana@example.org",)"
                   R"("when":"2026-11-30T05:40:12Z","repo":""})"
                   "\n");
  EXPECT_EQ(test::in_child([&] {
              if (::chdir(folder.c_str()) != 0) {
                return 9;
              }
              const Ran ran = run();
              return ran.code == kExitOk && ran.out.empty() && home_.log.contains("stopped; 1") ? 0
                                                                                                : 1;
            }),
            0);
  EXPECT_EQ(states(), "0 ");
}

}  // namespace
}  // namespace robot_council::pending
