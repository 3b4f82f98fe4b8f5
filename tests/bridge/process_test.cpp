// The real program, as a harness starts and ends it.

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/file_lock.hpp"
#include "base/files.hpp"
#include "base/json_scan.hpp"
#include "base/text.hpp"
#include "sink/delivery_store.hpp"
#include "tests/bridge/bridge_fixture.hpp"

namespace robot_council::test {
namespace {

class ProcessTest : public BridgeTest {
 protected:
  [[nodiscard]] std::map<std::string, std::string> environment() const {
    return {{"HOME", dir_ / "home"},
            {"XDG_STATE_HOME", dir_ / "state"},
            {"XDG_CONFIG_HOME", dir_ / "config"},
            {"PATH", "/usr/bin:/bin"}};
  }
  [[nodiscard]] std::unique_ptr<BridgeProcess> launch(std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"--service=" + fleet_.url(),
                                          "--harness=" + options_.harness};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return std::make_unique<BridgeProcess>(arguments, environment(), dir_ / "work");
  }
  static void join_fleet(BridgeProcess& bridge) {
    bridge.harness().handshake();
    bridge.harness().call("\"join\"", "join");
    ASSERT_NE(bridge.harness().text_of("\"join\"").find("Joined"), std::string::npos)
        << bridge.said();
  }
};

[[maybe_unused]] std::int64_t resident_kb(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.rfind("VmRSS:", 0) == 0) {
      return std::stoll(line.substr(6));
    }
  }
  return -1;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// A connection of our own to a sink.
class Database {
 public:
  explicit Database(const std::string& path) {
    EXPECT_EQ(sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READWRITE, nullptr), SQLITE_OK);
  }
  ~Database() { sqlite3_close(handle_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  Database(Database&&) = delete;
  Database& operator=(Database&&) = delete;
  // The values of the first column, each followed by a blank.
  [[nodiscard]] std::string values(const char* sql) const {
    std::string all;
    const auto add = [](void* into, int, char** columns, char**) {
      static_cast<std::string*>(into)->append(columns[0] != nullptr ? columns[0] : "NULL") += ' ';
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(handle_, sql, add, &all, nullptr), SQLITE_OK) << sqlite3_errmsg(handle_);
    return all;
  }

 private:
  sqlite3* handle_ = nullptr;
};

// 142, 147; no secret in argv, environment or on stderr
TEST_F(ProcessTest, ASignalEndsTheSessionAtOnce) {
  const auto bridge = launch();
  join_fleet(*bridge);
  const std::string proc = "/proc/" + std::to_string(bridge->child().pid());
  for (const char* file : {"/cmdline", "/environ"}) {
    EXPECT_EQ(bytes_of(proc + file).find("I|secret"), std::string::npos);
  }
  // It starts no process that could be left.
  EXPECT_EQ(bytes_of(proc + "/task/" + std::to_string(bridge->child().pid()) + "/children"), "");
  const base::SteadyTime begun = std::chrono::steady_clock::now();
  ASSERT_EQ(::kill(bridge->child().pid(), SIGTERM), 0);
  ASSERT_TRUE(fleet_.wait_for("DELETE sessions/41", 1));
  EXPECT_LT(fleet_.requests("DELETE sessions/41").at(0).at - begun,
            test::allowed(std::chrono::milliseconds(100)));
  const base::Result<base::ExitStatus> ended =
      bridge->child().wait(base::deadline_in(base::Milliseconds(4000)));
  ASSERT_TRUE(ended.ok());
  EXPECT_EQ(ended->code, 0);
  EXPECT_FALSE(*base::FileLock::held(files().seat()));
  EXPECT_EQ(bridge->said().find("secret"), std::string::npos);
  EXPECT_EQ(bridge->said().find("S|"), std::string::npos);
}

// 19, 148
TEST_F(ProcessTest, MemoryStaysSmall) {
  const auto bridge = launch();
  join_fleet(*bridge);
  ASSERT_TRUE(fleet_.wait_for("POST agent/watcher", 1));
  EXPECT_LT(resident_kb(bridge->child().pid()), 15 * 1024);
  const std::string piece(1U << 20U, 'x');
  for (int i = 0; i < 64; ++i) {
    bridge->harness().send_raw(piece);
  }
  bridge->harness().send_raw("\n");
  bridge->harness().request("9", "ping");
  EXPECT_NE(bridge->harness().answer("9"), "");
  EXPECT_NE(bridge->harness().line_with("The message is longer than 8 MiB."), "");
  EXPECT_LT(resident_kb(bridge->child().pid()), 48 * 1024);
}

// 131, case M07
TEST_F(ProcessTest, TheSeatOfAKilledBridgeIsFree) {
  const auto first = launch();
  join_fleet(*first);
  const auto second = launch();
  second->harness().handshake();
  EXPECT_NE(second->said().find("another bridge is running in this checkout (pid " +
                                std::to_string(first->child().pid()) + ")"),
            std::string::npos);
  ASSERT_EQ(::kill(first->child().pid(), SIGKILL), 0);
  ASSERT_TRUE(first->child().wait(test::in_time()).ok());
  const auto third = launch();
  third->harness().handshake();
  EXPECT_EQ(third->said().find("another bridge"), std::string::npos);
  // 150: the killed bridge's session is ended by the next one that joins
  third->harness().call("2", "join");
  EXPECT_NE(third->harness().text_of("2").find("Joined"), std::string::npos);
  EXPECT_EQ(fleet_.count("DELETE sessions/41"), 1U);
}

// 115: killed at random points while a feed of many pages is read; nothing is lost to the cursor,
// nothing stored twice
TEST_F(ProcessTest, KilledBetweenPagesNothingIsLostOrTwice) {
  constexpr std::int64_t kEvents = 150;
  for (std::int64_t i = 0; i < kEvents; ++i) {
    fleet_.directive("n" + std::to_string(i));
  }
  // A page has three events, so that there are many commits to be killed between.
  fleet_.on("POST sessions",
            FleetReply{201, R"({"session_id":41,"token":"S|0","feed_cursor":0})", {}});
  fleet_.on("GET events", [](const FleetRequest& request) -> std::optional<FleetReply> {
    const std::int64_t after = std::stoll(query_value(request.query, "after").value_or("0"));
    if (after >= kEvents) {
      return std::nullopt;
    }
    std::string events;
    for (std::int64_t id = after + 1; id <= after + 3; ++id) {
      events += (events.empty() ? "" : ",") + std::string(R"({"id":)") + std::to_string(id) +
                R"(,"type":"directive"})";
    }
    return FleetReply{
        200,
        R"({"events":[)" + events + R"(],"cursor":)" + std::to_string(after + 3) + "}",
        {{"Robot-Council-Wait", "25"}}};
  });
  Seeded random;
  SCOPED_TRACE(random.words());
  for (int round = 0; round < 6; ++round) {
    const auto bridge = launch();
    join_fleet(*bridge);
    // Somewhere in the pages that are read without a pause.
    ASSERT_TRUE(fleet_.wait_for("GET events", fleet_.count("GET events") + 1 + random.below(20)));
    ASSERT_TRUE(runs_for(bridge->child().pid(), std::chrono::microseconds(random.below(2000))));
    ASSERT_EQ(::kill(bridge->child().pid(), SIGKILL), 0);
    ASSERT_TRUE(bridge->child().wait(test::in_time()).ok());
    const std::vector<sink::Entry> stored = rows();
    // The rows of each join: in order, each once, to the end of a whole page. The oldest may have
    // left over the bound.
    std::map<std::int64_t, std::vector<std::int64_t>> by_join;
    for (const sink::Entry& row : stored) {
      if (row.event_id) {
        by_join[row.join_no].push_back(*row.event_id);
      }
    }
    for (const auto& [join, ids] : by_join) {
      EXPECT_EQ(ids.back() % 3, 0) << "join " << join;
      for (std::size_t i = 1; i < ids.size(); ++i) {
        EXPECT_EQ(ids.at(i), ids.at(i - 1) + 1) << "join " << join;
      }
    }
  }
}

#ifdef __linux__
// How often the threads of a process gave the processor up by themselves: once a wake-up.
std::int64_t wake_ups(pid_t pid) {
  std::int64_t count = 0;
  std::error_code ignored;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", ignored)) {
    std::ifstream status(task.path() / "status");
    std::string line;
    while (std::getline(status, line)) {
      if (line.rfind("voluntary_ctxt_switches:", 0) == 0) {
        count += std::stoll(line.substr(24));
      }
    }
  }
  return count;
}

// 29: unjoined, no timer but the parent check every 5 s; joined and idle, none either but that and
// the held read
TEST_F(ProcessTest, AnIdleBridgeSleeps) {
  const auto bridge = launch();
  const auto sleeps = [&bridge] {
    const std::int64_t before = wake_ups(bridge->child().pid());
    return !wait_until([&] { return wake_ups(bridge->child().pid()) > before + 4; },
                       base::Milliseconds(1500));
  };
  bridge->harness().handshake();
  EXPECT_TRUE(wait_until(sleeps));
  EXPECT_TRUE(fleet_.requests().empty());
  bridge->harness().call("2", "join");
  EXPECT_NE(bridge->harness().text_of("2"), "");
  EXPECT_TRUE(wait_until(sleeps));
}
#endif

// 115, at the instant: a page was read, and its commit waits for a reader of the sink
TEST_F(ProcessTest, KilledBetweenReadingAPageAndItsCommitTheNextBridgeGetsIt) {
  const auto bridge = launch();
  join_fleet(*bridge);
  ASSERT_TRUE(fleet_.wait_for("GET events", 1));
  const std::string journal = files().database() + "-journal";
  {
    const Database reader(files().database());
    ASSERT_EQ(reader.values("BEGIN; SELECT count(*) FROM entry"), "0 ");
    ASSERT_EQ(base::file_info(journal, base::Links::dont)->size, 0);
    fleet_.directive();
    // The bridge is inside the transaction once the journal has bytes; a reader lets no commit by.
    ASSERT_TRUE(wait_until([&] { return base::file_info(journal, base::Links::dont)->size > 0; }));
    ASSERT_EQ(::kill(bridge->child().pid(), SIGKILL), 0);
    ASSERT_TRUE(bridge->child().wait(test::in_time()).ok());
  }
  EXPECT_EQ(fleet_.count("GET events"), 1U);
  {
    const Database after(files().database());
    EXPECT_EQ(after.values("SELECT count(*) FROM entry"), "0 ");
    EXPECT_EQ(after.values("SELECT cursor FROM joined"), "0 ");
  }
  fleet_.once("POST sessions",
              FleetReply{201, R"({"session_id":42,"token":"S|1","feed_cursor":0})", {}});
  const auto next = launch();
  join_fleet(*next);
  ASSERT_TRUE(wait_rows(1));
  EXPECT_EQ(rows().at(0).event_id, 1);
  const Database sink(files().database());
  EXPECT_TRUE(wait_until([&] { return sink.values("SELECT cursor FROM joined") == "0 1 "; }));
}

// 146
TEST_F(ProcessTest, ALockedSinkDoesNotHoldTheEnd) {
  const auto bridge = launch();
  join_fleet(*bridge);
  fleet_.directive();
  ASSERT_TRUE(wait_rows(1));
  auto store = sink::DeliveryStore::open(files(), sink::Access::read_write, sink::WaitBudget());
  ASSERT_TRUE(store.ok() && *store);
  std::atomic<bool> release{false};
  std::atomic<bool> inside{false};
  std::thread holder([&] {
    static_cast<void>(
        (*store)->write(sink::WaitBudget(), [&](sink::DeliveryStore::Transaction&) -> base::Status {
          inside = true;
          static_cast<void>(wait_until([&] { return release.load(); }));
          return {};
        }));
  });
  ASSERT_TRUE(wait_until([&] { return inside.load(); }));
  const base::SteadyTime begun = std::chrono::steady_clock::now();
  ASSERT_EQ(::kill(bridge->child().pid(), SIGTERM), 0);
  EXPECT_TRUE(bridge->child().wait(base::deadline_in(base::Milliseconds(6000))).ok());
  EXPECT_LT(std::chrono::steady_clock::now() - begun,
            test::allowed(std::chrono::milliseconds(4000)));
  release = true;
  holder.join();
  EXPECT_NE(bridge->said().find("Left the unread fleet events in `" + files().database() +
                                "`: could not lock it within 2 seconds."),
            std::string::npos)
      << bridge->said();
  EXPECT_EQ(rows().size(), 1U);
}

// 145
TEST_F(ProcessTest, AKilledParentEndsTheBridge) {
  const std::string fifo = dir_ / "in";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const base::Fd keep = *base::open_file(fifo, O_RDWR);  // stdin never ends
  base::ChildOptions options;
  options.argv = {"/bin/sh",
                  "-c",
                  "\"$0\" mcp --service=\"$1\" --harness=codex < \"$2\" > out 2> err & echo $! > "
                  "pid; exec sleep 60",
                  program("robot-council-net"),
                  fleet_.url(),
                  fifo};
  for (const auto& [name, value] : environment()) {
    options.environment.push_back(name + "=" + value);
  }
  options.directory = dir_ / "work";
  base::Result<base::Child> shell = base::Child::start(options);
  ASSERT_TRUE(shell.ok());
  ASSERT_TRUE(wait_until([&] { return base::exists(files().bridge()); }));
  const pid_t bridge =
      static_cast<pid_t>(*base::parse_digits(base::trim(read_text(dir_ / "work/pid"))));
  ASSERT_EQ(::kill(shell->pid(), SIGKILL), 0);
  static_cast<void>(shell->wait(test::in_time()));
  EXPECT_TRUE(wait_until(
      [&] {
        return ::kill(bridge, 0) != 0 ||
               bytes_of("/proc/" + std::to_string(bridge) + "/stat").find(") Z") !=
                   std::string::npos;
      },
      base::Milliseconds(6500)));
}

// Two bridges of one checkout, one sink: each stores what is its own, a broadcast in both joins.
TEST_F(ProcessTest, TwoBridgesShareASink) {
  std::atomic<int> sessions{50};
  fleet_.on("POST sessions", [&](const FleetRequest&) -> std::optional<FleetReply> {
    return FleetReply{201,
                      R"({"session_id":)" + std::to_string(++sessions) +
                          R"(,"token":"S|0","feed_cursor":)" + std::to_string(fleet_.head()) + "}",
                      {}};
  });
  const auto first = launch();
  join_fleet(*first);
  const auto second = launch();
  join_fleet(*second);
  fleet_.post("directive", R"("meta":{"targets":[51]})");
  fleet_.directive("all");
  EXPECT_TRUE(wait_rows(3));
  EXPECT_EQ(rows().size(), 3U);
}

// 129: the options of the command line
TEST_F(ProcessTest, OptionsAreReadAndStdoutStaysClean) {
  options_.harness = "claude";
  const auto bare = launch({"--keep-warm"});
  bare->harness().close_input();
  ASSERT_TRUE(bare->child().wait(test::in_time()).ok());
  EXPECT_NE(bare->said().find("robot-council: --keep-warm takes a whole number of minutes, at "
                              "least 1; keep-alives are off.\n"),
            std::string::npos);
  EXPECT_TRUE(bare->harness().lines().empty());
  const Ran usage = run({program("robot-council-net"), "mcp", "--role=boss"}, environment());
  EXPECT_EQ(usage.code, 2);
  const Ran none = run({program("robot-council-net"), "mcp"}, environment());
  EXPECT_EQ(none.code, 1);
  EXPECT_EQ(
      none.err,
      "robot-council: Pass --service, or set ROBOT_COUNCIL_SERVICE, with the URL of your fleet.\n");
  EXPECT_EQ(none.out, "");
}

}  // namespace
}  // namespace robot_council::test
