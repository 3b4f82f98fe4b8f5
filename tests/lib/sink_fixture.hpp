#pragma once

#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/child.hpp"
#include "base/context.hpp"
#include "base/environment.hpp"
#include "base/json.hpp"
#include "base/json_scan.hpp"
#include "base/log.hpp"
#include "sink/store.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::test {

// Fixtures for tests that need a sink: header only, so that the programs of several rooms can use
// them.

inline constexpr const char* kService = "https://fleet.example.test";
inline constexpr const char* kTime = "2026-09-22T12:00:00+00:00";

// `{"id":7,"type":"directive","body":"<body>","meta":{},"created_at":"<time>","actor":{"github_login":"otherdev"}}`
std::string event_json(std::int64_t id, const std::string& body,
                       const std::string& type = "directive", const std::string& at = kTime);
sink::FeedEvent event(std::int64_t id, const std::string& body = "",
                      const std::string& type = "directive");
// Events with ids from..to, bodies "event <id>".
std::vector<sink::FeedEvent> events(std::int64_t from, std::int64_t to);

// The line of event(id).
inline std::string line_of_event(std::int64_t id) {
  return "[directive] event " + std::to_string(id) + " from otherdev at " + kTime;
}

// A sink syncs each commit. Nothing in these tests needs a real disk, and in memory they take a
// tenth of the time.
struct FoldersInMemory {
  FoldersInMemory() {
    if (::getenv("TMPDIR") == nullptr && ::access("/dev/shm", W_OK | X_OK) == 0) {
      ::setenv("TMPDIR", "/dev/shm", 1);
    }
  }
};

// A private state folder with one seat, a clock that stands still, and a log that is kept.
class SinkHome {
 public:
  SinkHome();
  [[nodiscard]] sink::SeatFiles files() const { return files_; }
  [[nodiscard]] std::string folder() const { return files_.folder; }
  [[nodiscard]] base::Context context();
  // A join of the test process itself (so it is live), its client the given process.
  [[nodiscard]] sink::JoinInfo join(std::int64_t session = 1, sink::ProcessName client = {});
  // A join of a bridge that is gone.
  [[nodiscard]] sink::JoinInfo dead_join(std::int64_t session = 1);
  // Opens the bridge's side; the test fails if it cannot.
  [[nodiscard]] sink::BridgeStore bridge(const sink::JoinInfo& join);
  [[nodiscard]] sink::BridgeStore bridge() { return bridge(join()); }

  // All rows by seq, read by a connection of its own.
  [[nodiscard]] std::vector<sink::Entry> rows() const;
  [[nodiscard]] std::vector<std::string> bodies(
      std::optional<sink::RowState> state = std::nullopt) const;
  [[nodiscard]] std::vector<sink::HistoryRow> history() const;
  // Runs SQL on the file as another program would.
  void sql(const std::string& statements) const;
  [[nodiscard]] std::string sql_value(const std::string& query) const;
  // Writes over a part of the database file.
  void spoil(std::streamoff at, const std::string& bytes) const;
  // Makes the first page of the table of entries say that it has 65,535 cells; returns its number.
  std::string spoil_entries() const;

  FoldersInMemory in_memory;
  TempDir dir;
  FakeClock clock;
  base::MemoryLog log;
  base::MapEnvironment environment;

 private:
  sink::SeatFiles files_;
};

// Appends; the test fails if that fails.
sink::Appended must_append(sink::BridgeStore& store, const sink::Page& page);
// Body of a stored entry.
std::string body_of(const std::string& json);
// A process that has ended: its pid with a start time that no process has.
sink::ProcessName gone_process();
[[nodiscard]] unsigned mode_of(const std::string& path);
// Runs `work` in a child process, which must not use gtest's assertions for its result; returns its
// exit code, or 128 + the signal that ended it.
int in_child(const std::function<int()>& work);
// The two halves of it.
pid_t start_child(const std::function<int()>& work);
int wait_child(pid_t pid);

inline std::string event_json(std::int64_t id, const std::string& body, const std::string& type,
                              const std::string& at) {
  return "{\"id\":" + std::to_string(id) + ",\"type\":" + base::quote_json(type) +
         ",\"body\":" + base::quote_json(body) +
         ",\"meta\":{},\"created_at\":" + base::quote_json(at) +
         ",\"actor\":{\"session_id\":9,\"github_login\":\"otherdev\"}}";
}

inline sink::FeedEvent event(std::int64_t id, const std::string& body, const std::string& type) {
  return sink::FeedEvent::from_json(
      event_json(id, body.empty() ? "event " + std::to_string(id) : body, type));
}

inline std::vector<sink::FeedEvent> events(std::int64_t from, std::int64_t to) {
  std::vector<sink::FeedEvent> list;
  for (std::int64_t id = from; id <= to; ++id) {
    list.push_back(event(id));
  }
  return list;
}

inline SinkHome::SinkHome() {
  environment.set("HOME", dir.path());
  environment.set("XDG_STATE_HOME", dir / "state");
  files_ = sink::seat_files(environment, "7496bacc869b71b2e3a0d2b12c73bd5f");
}

inline base::Context SinkHome::context() {
  return {clock, environment, log};
}

inline sink::JoinInfo SinkHome::join(std::int64_t session, sink::ProcessName client) {
  sink::JoinInfo info;
  info.session = session;
  info.cursor = 0;
  info.bridge = sink::own_process();
  info.client = client.pid != 0 ? client : sink::parent_process();
  info.holds_seat = true;
  return info;
}

inline sink::JoinInfo SinkHome::dead_join(std::int64_t session) {
  sink::JoinInfo info = join(session);
  info.bridge = gone_process();
  info.client = gone_process();
  return info;
}

inline sink::BridgeStore SinkHome::bridge(const sink::JoinInfo& info) {
  auto store = sink::BridgeStore::open(files_, info, context());
  EXPECT_TRUE(store.ok()) << store.error().what;
  return std::move(*store);
}

inline std::vector<sink::Entry> SinkHome::rows() const {
  auto store = sink::DeliveryStore::open(files_, sink::Access::read_only, sink::WaitBudget());
  EXPECT_TRUE(store.ok()) << (store.ok() ? "" : store.error().what);
  if (!store || !store->has_value()) {
    return {};
  }
  auto look = (*store)->look(std::nullopt);
  EXPECT_TRUE(look.ok()) << (look.ok() ? "" : look.error().what);
  return look ? look->rows : std::vector<sink::Entry>();
}

inline std::vector<std::string> SinkHome::bodies(std::optional<sink::RowState> state) const {
  std::vector<std::string> list;
  for (const sink::Entry& row : rows()) {
    if (!state || row.state == *state) {
      list.push_back(body_of(row.json));
    }
  }
  return list;
}

inline std::vector<sink::HistoryRow> SinkHome::history() const {
  auto store = sink::DeliveryStore::open(files_, sink::Access::read_only, sink::WaitBudget());
  EXPECT_TRUE(store.ok());
  if (!store || !store->has_value()) {
    return {};
  }
  return (*store)->history(100000).value_or({});
}

inline void SinkHome::sql(const std::string& statements) const {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open_v2(files_.database().c_str(), &db,
                            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr),
            SQLITE_OK);
  sqlite3_busy_timeout(db, 5000);
  EXPECT_EQ(sqlite3_exec(db, statements.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(db);
  sqlite3_close(db);
}

inline void SinkHome::spoil(std::streamoff at, const std::string& bytes) const {
  std::fstream file(files_.database(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(at);
  file << bytes;
  EXPECT_TRUE(file.flush()) << "cannot write over " << files_.database();
}

inline std::string SinkHome::spoil_entries() const {
  constexpr std::streamoff kPageSize = 4096;
  constexpr std::streamoff kCellCount = 3;  // where it lies in a page
  const std::string page = sql_value("SELECT rootpage FROM sqlite_master WHERE name = 'entry'");
  spoil((std::stol(page) - 1) * kPageSize + kCellCount, "\xff\xff");
  return page;
}

inline std::string SinkHome::sql_value(const std::string& query) const {
  sqlite3* db = nullptr;
  std::string value;
  EXPECT_EQ(sqlite3_open_v2(files_.database().c_str(), &db, SQLITE_OPEN_READWRITE, nullptr),
            SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(db, query.c_str(), -1, &statement, nullptr), SQLITE_OK)
      << sqlite3_errmsg(db);
  if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0) != nullptr) {
    value = reinterpret_cast<const char*>(
        sqlite3_column_text(statement, 0));  // NOLINT: SQLite's text is unsigned char
  }
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return value;
}

inline sink::Appended must_append(sink::BridgeStore& store, const sink::Page& page) {
  auto added = store.append(page);
  EXPECT_TRUE(added.ok()) << (added.ok() ? "" : added.error().what);
  return added.value_or({});
}

inline std::string body_of(const std::string& json) {
  return base::json_unescape(base::json_member(json, "body"));
}

inline sink::ProcessName gone_process() {
  return {::getpid(), "1"};
}

inline unsigned mode_of(const std::string& path) {
  struct ::stat info {};
  return ::lstat(path.c_str(), &info) == 0 ? info.st_mode & 07777U : 0;
}

inline pid_t start_child(const std::function<int()>& work) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::_exit(work());
  }
  return pid;
}

inline int wait_child(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

inline int in_child(const std::function<int()>& work) {
  return wait_child(start_child(work));
}

}  // namespace robot_council::test
