#include "tests/sink/sink_fixture.hpp"

#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.hpp"
#include "base/json.hpp"
#include "base/json_scan.hpp"

namespace robot_council::test {

std::string event_json(std::int64_t id, const std::string& body, const std::string& type, const std::string& at) {
  return "{\"id\":" + std::to_string(id) + ",\"type\":" + base::quote_json(type) + ",\"body\":" + base::quote_json(body) +
         ",\"meta\":{},\"created_at\":" + base::quote_json(at) + ",\"actor\":{\"session_id\":9,\"github_login\":\"otherdev\"}}";
}

sink::FeedEvent event(std::int64_t id, const std::string& body, const std::string& type) {
  return sink::FeedEvent::from_json(event_json(id, body.empty() ? "event " + std::to_string(id) : body, type));
}

std::vector<sink::FeedEvent> events(std::int64_t from, std::int64_t to) {
  std::vector<sink::FeedEvent> list;
  for (std::int64_t id = from; id <= to; ++id) {
    list.push_back(event(id));
  }
  return list;
}

SinkHome::SinkHome() {
  environment.set("HOME", dir.path());
  environment.set("XDG_STATE_HOME", dir / "state");
  files_ = sink::seat_files(environment, "7496bacc869b71b2e3a0d2b12c73bd5f");
}

base::Context SinkHome::context() { return {clock, environment, log}; }

sink::JoinInfo SinkHome::join(std::int64_t session, sink::ProcessName client) {
  sink::JoinInfo info;
  info.session = session;
  info.cursor = 0;
  info.bridge = sink::own_process();
  info.client = client.pid != 0 ? client : sink::parent_process();
  info.holds_seat = true;
  return info;
}

sink::JoinInfo SinkHome::dead_join(std::int64_t session) {
  sink::JoinInfo info = join(session);
  info.bridge = gone_process();
  info.client = gone_process();
  return info;
}

sink::BridgeStore SinkHome::bridge(const sink::JoinInfo& info) {
  auto store = sink::BridgeStore::open(files_, info, context());
  EXPECT_TRUE(store.ok()) << store.error().what;
  return std::move(*store);
}

std::vector<sink::Entry> SinkHome::rows() const {
  auto store = sink::DeliveryStore::open(files_, sink::Access::read_only, sink::WaitBudget());
  EXPECT_TRUE(store.ok()) << (store.ok() ? "" : store.error().what);
  if (!store || !store->has_value()) {
    return {};
  }
  auto look = (*store)->look(std::nullopt);
  EXPECT_TRUE(look.ok()) << (look.ok() ? "" : look.error().what);
  return look ? look->rows : std::vector<sink::Entry>();
}

std::vector<std::string> SinkHome::bodies(std::optional<sink::RowState> state) const {
  std::vector<std::string> list;
  for (const sink::Entry& row : rows()) {
    if (!state || row.state == *state) {
      list.push_back(body_of(row.json));
    }
  }
  return list;
}

std::vector<sink::HistoryRow> SinkHome::history() const {
  auto store = sink::DeliveryStore::open(files_, sink::Access::read_only, sink::WaitBudget());
  EXPECT_TRUE(store.ok());
  if (!store || !store->has_value()) {
    return {};
  }
  return (*store)->history(100000).value_or({});
}

void SinkHome::sql(const std::string& statements) const {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open_v2(files_.database().c_str(), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr), SQLITE_OK);
  sqlite3_busy_timeout(db, 5000);
  EXPECT_EQ(sqlite3_exec(db, statements.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
}

std::string SinkHome::sql_value(const std::string& query) const {
  sqlite3* db = nullptr;
  std::string value;
  EXPECT_EQ(sqlite3_open_v2(files_.database().c_str(), &db, SQLITE_OPEN_READWRITE, nullptr), SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(db, query.c_str(), -1, &statement, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0) != nullptr) {
    value = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));  // NOLINT: SQLite's text is unsigned char
  }
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return value;
}

std::string body_of(const std::string& json) { return base::json_unescape(base::json_member(json, "body")); }

sink::ProcessName gone_process() { return {::getpid(), "1"}; }

unsigned mode_of(const std::string& path) {
  struct ::stat info {};
  return ::lstat(path.c_str(), &info) == 0 ? info.st_mode & 07777U : 0;
}

pid_t start_child(const std::function<int()>& work) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::_exit(work());
  }
  return pid;
}

int wait_child(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int in_child(const std::function<int()>& work) { return wait_child(start_child(work)); }

}  // namespace robot_council::test
