#include "tests/crash/sink_view.hpp"

#include <memory>

#include <sqlite3.h>

#include "base/files.hpp"

namespace robot_council::crash {
namespace {

constexpr int kBusyMs = 10000;

class Statement {
 public:
  Statement(sqlite3* db, const std::string& text) {
    sqlite3_prepare_v2(db, text.c_str(), -1, &statement_, nullptr);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  Statement(Statement&&) = delete;
  Statement& operator=(Statement&&) = delete;
  bool next() { return sqlite3_step(statement_) == SQLITE_ROW; }
  std::int64_t integer(int column) { return sqlite3_column_int64(statement_, column); }
  std::optional<std::int64_t> optional(int column) {
    return sqlite3_column_type(statement_, column) == SQLITE_NULL ? std::nullopt
                                                                  : std::optional(integer(column));
  }
  std::string text(int column) {
    const void* bytes = sqlite3_column_blob(statement_, column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace

SinkView read_sink(const std::string& database, std::int64_t history_after) {
  SinkView view;
  if (!base::exists(database)) {
    return view;
  }
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(database.c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> db(opened, sqlite3_close);
  if (code != SQLITE_OK) {
    view.problem = sqlite3_errmsg(opened);
    return view;
  }
  sqlite3_busy_timeout(opened, kBusyMs);
  // One read transaction: the parts belong together.
  sqlite3_exec(opened, "BEGIN", nullptr, nullptr, nullptr);
  Statement check(opened, "PRAGMA quick_check(1)");
  view.problem = check.next() ? check.text(0) : sqlite3_errmsg(opened);
  if (view.problem == "ok") {
    view.problem.clear();
  }
  Statement tables(opened, "SELECT count(*) FROM sqlite_master WHERE name = 'history'");
  view.exists = tables.next() && tables.integer(0) == 1;
  if (!view.problem.empty() || !view.exists) {
    return view;
  }
  Statement rows(opened,
                 "SELECT seq, join_no, event_id, type, json, state FROM entry ORDER BY seq");
  while (rows.next()) {
    view.rows.push_back({rows.integer(0), rows.integer(1), rows.optional(2), rows.text(3),
                         rows.text(4), static_cast<int>(rows.integer(5))});
  }
  Statement left(opened, "SELECT seq, join_no, event_id, why, json FROM history WHERE seq > " +
                             std::to_string(history_after) + " ORDER BY seq");
  while (left.next()) {
    view.history.push_back(
        {left.integer(0), left.integer(1), left.optional(2), left.text(3), left.text(4)});
  }
  Statement joins(opened, "SELECT join_no, session, cursor FROM joined ORDER BY join_no");
  while (joins.next()) {
    view.joins.push_back({joins.integer(0), joins.optional(1), joins.optional(2)});
  }
  return view;
}

}  // namespace robot_council::crash
