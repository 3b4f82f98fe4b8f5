#include "fleet/sqlite_store.hpp"

#include <map>
#include <utility>

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include "base/files.hpp"
#include "base/mutex.hpp"
#include "fleet/schema.hpp"

namespace robot_council::fleet {

namespace {

constexpr int kBusyWait =
    2000;  // ms; nobody else writes, but a person may look with the sqlite3 shell
constexpr unsigned kFileMode = 0600;

base::Error from_sqlite(const SQLite::Exception& exception, std::string_view what) {
  base::Errc code = base::Errc::io;
  switch (exception.getErrorCode()) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      code = base::Errc::busy;
      break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      code = base::Errc::corrupt;
      break;
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH:
      code = base::Errc::refused;
      break;
    case SQLITE_ERROR:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_RANGE:
      code = base::Errc::invalid;
      break;
    default:
      break;
  }
  return base::Error{code, std::string(what) + ": " + exception.what()};
}

void bind(SQLite::Statement& statement, const Values& values) {
  int index = 0;
  for (const Value& value : values) {
    ++index;
    if (value.is_null()) {
      statement.bind(index);
    } else if (value.is_text()) {
      statement.bind(index, value.text());
    } else {
      statement.bind(index, value.integer());
    }
  }
}

Value column_of(const SQLite::Column& column) {
  if (column.isNull()) {
    return {};
  }
  if (column.isInteger()) {
    return column.getInt64();
  }
  return std::string(column.getText(), static_cast<std::size_t>(column.getBytes()));
}

// Prepared statements by their text, kept for the life of the connection.
class Statements {
 public:
  explicit Statements(SQLite::Database& database) : database_(database) {}

  SQLite::Statement& get(std::string_view sql) {
    auto found = statements_.find(sql);
    if (found == statements_.end()) {
      found = statements_.try_emplace(std::string(sql), database_, std::string(sql)).first;
    }
    return found->second;
  }

 private:
  SQLite::Database& database_;
  std::map<std::string, SQLite::Statement, std::less<>> statements_;
};

// Resets the statement at the end of its use: one left in the middle keeps the transaction open.
class Use {
 public:
  explicit Use(SQLite::Statement& statement) : statement_(statement) {}
  ~Use() {
    statement_.tryReset();
    try {
      statement_.clearBindings();
    } catch (const SQLite::Exception&) {  // NOLINT(bugprone-empty-catch): the next bind() tells
    }
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  Use(Use&&) = delete;
  Use& operator=(Use&&) = delete;

 private:
  SQLite::Statement& statement_;
};

class SqliteTransaction final : public Transaction {
 public:
  SqliteTransaction(SQLite::Database& database, Statements& statements)
      : database_(database), statements_(statements) {}

  Rows query(std::string_view sql, const Values& values) override {
    Rows rows;
    if (failure()) {
      return rows;
    }
    try {
      SQLite::Statement& statement = statements_.get(sql);
      const Use use(statement);
      bind(statement, values);
      while (statement.executeStep()) {
        std::vector<Value> columns;
        const int count = statement.getColumnCount();
        columns.reserve(static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i) {
          columns.push_back(column_of(statement.getColumn(i)));
        }
        rows.emplace_back(std::move(columns));
      }
    } catch (const SQLite::Exception& exception) {
      fail(from_sqlite(exception, "cannot read the fleet's store"));
      rows.clear();
    }
    return rows;
  }

  std::int64_t execute(std::string_view sql, const Values& values) override {
    if (failure()) {
      return 0;
    }
    try {
      SQLite::Statement& statement = statements_.get(sql);
      const Use use(statement);
      bind(statement, values);
      while (statement.executeStep()) {
      }
      return database_.getChanges();
    } catch (const SQLite::Exception& exception) {
      fail(from_sqlite(exception, "cannot write the fleet's store"));
      return 0;
    }
  }

 private:
  SQLite::Database& database_;
  Statements& statements_;
};

class SqliteStore final : public Store {
 public:
  explicit SqliteStore(const std::string& path)
      : database_(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, kBusyWait),
        statements_(database_) {}

  base::Status write(const Work& work, const Committed& committed) override {
    const base::MutexLock lock(mu_);
    try {
      SQLite::Statement& begin = statements_.get("BEGIN IMMEDIATE");
      {
        const Use use(begin);
        begin.executeStep();
      }
      SqliteTransaction transaction(database_, statements_);
      const Ending ending = work(transaction);
      if (transaction.failure() || ending == Ending::undo) {
        roll_back();
        return transaction.failure() ? base::Status(*transaction.failure()) : base::Status();
      }
      SQLite::Statement& commit = statements_.get("COMMIT");
      const Use use(commit);
      commit.executeStep();
    } catch (const SQLite::Exception& exception) {
      roll_back();
      return from_sqlite(exception, "cannot write the fleet's store");
    }
    if (committed) {
      committed();
    }
    return {};
  }

  base::Status read(const Reading& reading) override {
    const base::MutexLock lock(mu_);
    SqliteTransaction transaction(database_, statements_);
    reading(transaction);
    return transaction.failure() ? base::Status(*transaction.failure()) : base::Status();
  }

  std::int64_t last_event_id(Transaction& transaction) override {
    const auto row = transaction.first("SELECT seq FROM sqlite_sequence WHERE name = 'events'", {});
    return row ? row->integer(0) : 0;
  }

  std::string_view kind() const override { return "sqlite"; }

  // Journal, sync, schema. Throws SQLite::Exception.
  base::Status prepare() {
    database_.exec("PRAGMA locking_mode = NORMAL");
    database_.exec("PRAGMA journal_mode = TRUNCATE");
    const std::string journal = database_.execAndGet("PRAGMA journal_mode").getText();
    if (journal != "truncate") {
      return base::Error{base::Errc::busy, "cannot leave journal mode " + journal +
                                               ": another program has the file open"};
    }
    database_.exec("PRAGMA synchronous = FULL");
    database_.exec("PRAGMA foreign_keys = ON");
    const std::int64_t version = database_.execAndGet("PRAGMA user_version").getInt64();
    if (version > schema::kVersion) {
      return base::Error{base::Errc::unsupported,
                         "it was written by a newer version (schema " + std::to_string(version) +
                             ", this program knows " + std::to_string(schema::kVersion) + ")"};
    }
    if (version < schema::kVersion) {
      SQLite::Transaction transaction(database_);
      for (const std::string_view statement : schema::kCreate) {
        database_.exec(std::string(statement));
      }
      database_.exec("PRAGMA user_version = " + std::to_string(schema::kVersion));
      transaction.commit();
    }
    return {};
  }

 private:
  void roll_back() {
    if (sqlite3_get_autocommit(database_.getHandle()) == 0) {
      database_.tryExec("ROLLBACK");
    }
  }

  base::Mutex mu_;
  SQLite::Database database_;
  Statements statements_;
};

}  // namespace

base::Result<std::unique_ptr<Store>> open_sqlite_store(const std::string& path, base::Log& log) {
  const std::string what = "cannot open the fleet's store " + path;
  try {
    // SQLite would make the file with the umask's mode.
    if (!base::exists(path)) {
      if (auto made = base::touch_file(path); !made) {
        return made.error();
      }
    }
    if (auto mode = base::set_mode(path, kFileMode); !mode) {
      return mode.error();
    }
    auto store = std::make_unique<SqliteStore>(path);
    if (auto ready = store->prepare(); !ready) {
      return base::Error{ready.error().code, what + ": " + ready.error().what};
    }
    log.debug("opened " + path + " with SQLite " + sqlite_version());
    return std::unique_ptr<Store>(std::move(store));
  } catch (const SQLite::Exception& exception) {
    return from_sqlite(exception, what);
  }
}

std::string sqlite_version() {
  return sqlite3_libversion();
}

}  // namespace robot_council::fleet
