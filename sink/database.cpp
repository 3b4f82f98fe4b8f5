#include "sink/database.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>
#include <utility>

#include <sqlite3.h>

#include "base/files.hpp"
#include "sink/given_path.hpp"
#include "sink/limits.hpp"
#include "sink/schema.hpp"

namespace robot_council::sink {
namespace {

bool is_missing(int error_number) {
  return error_number == ENOENT || error_number == ENOTDIR;
}

}  // namespace

Location locate(const SeatFiles& files) {
  Location result;
  struct ::stat info {};
  if (::lstat(files.folder.c_str(), &info) != 0) {
    result.at = is_missing(errno) ? AtPath::nothing : AtPath::refused;
    return result;
  }
  if (!S_ISDIR(info.st_mode)) {
    result.at = S_ISLNK(info.st_mode) ? AtPath::refused : AtPath::nothing;
    return result;
  }
  const bool folder_is_ours = info.st_uid == ::geteuid();
  result.folder_mode = info.st_mode & 07777U;
  if (::lstat(files.database().c_str(), &info) != 0) {
    result.at = is_missing(errno) ? AtPath::nothing : AtPath::refused;
    return result;
  }
  if (S_ISLNK(info.st_mode)) {
    result.at = AtPath::refused;
    return result;
  }
  if (!S_ISREG(info.st_mode)) {
    return result;
  }
  result.exists = true;
  result.device = static_cast<std::uint64_t>(info.st_dev);
  result.inode = static_cast<std::uint64_t>(info.st_ino);
  result.mode = info.st_mode & 07777U;
  if (!folder_is_ours || info.st_uid != ::geteuid()) {
    result.at = AtPath::refused;
  } else if (info.st_size > 0) {
    result.at = AtPath::file;
  }
  return result;
}

void narrow_modes(const SeatFiles& files, const Location& location) {
  constexpr unsigned kOthers = 07077;
  constexpr unsigned kOwner = 0700;
  if ((location.folder_mode & kOthers) != 0) {
    static_cast<void>(base::set_mode(files.folder, location.folder_mode & kOwner));
  }
  if ((location.mode & kOthers) != 0) {
    static_cast<void>(base::set_mode(files.database(), location.mode & 0600U));
  }
}

int wait_for_lock(void* connection, int /*tries*/) {
  const auto left = base::time_left(static_cast<Connection*>(connection)->deadline_);
  if (left.count() <= 0) {
    return 0;
  }
  std::this_thread::sleep_for(std::min(left, kBusyStep));
  return 1;
}

Connection::Connection(const std::string& path, int flags, base::SteadyTime deadline)
    : db_(path.c_str(), flags, 0, given_path_vfs()), path_(path), deadline_(deadline) {
  sqlite3_busy_handler(db_.getHandle(), wait_for_lock, this);
}

std::unique_ptr<Connection> Connection::open(const SeatFiles& files, Mode mode,
                                             base::SteadyTime deadline,
                                             const std::optional<Location>& seen) {
  const int flags = (mode == Mode::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) |
                    SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX;
  std::unique_ptr<Connection> connection;
  Location location;
  Location after = seen ? *seen : locate(files);
  // Which file SQLite has open is known only when the path named the same one before and after.
  do {
    location = after;
    // The constructor is private, so make_unique cannot call it.
    connection.reset(new Connection(files.database(), flags, deadline));
    after = locate(files);
  } while (after.device != location.device || after.inode != location.inode);
  connection->device_ = location.device;
  connection->inode_ = location.inode;
  // Each as a call where there is one: a statement would be parsed at every turn end.
  sqlite3* const handle = connection->db_.getHandle();
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, 1, nullptr);
  sqlite3_int64 no_map = 0;
  sqlite3_file_control(handle, "main", SQLITE_FCNTL_MMAP_SIZE, &no_map);
  connection->db_.exec("PRAGMA cell_size_check=ON");
  return connection;
}

void Connection::prepare_writing() {
  if (!writing_prepared_) {
    db_.exec("PRAGMA synchronous=FULL");
    // Never WAL: SQLite before 3.51.3 can lose committed pages when its log is reset.
    db_.execAndGet("PRAGMA journal_mode=TRUNCATE");
    writing_prepared_ = true;
  }
}

void Connection::leave_open() {
  static Connection* left = nullptr;
  left_before_ = left;
  left = this;
}

bool Connection::read_only_file() {
  return sqlite3_db_readonly(db_.getHandle(), "main") == 1;
}

bool Connection::still_at_path() const {
  struct ::stat info {};
  return ::lstat(path_.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         static_cast<std::uint64_t>(info.st_dev) == device_ &&
         static_cast<std::uint64_t>(info.st_ino) == inode_;
}

Identity identify(SQLite::Database& db) {
  const std::int64_t id = db.execAndGet("PRAGMA application_id").getInt64();
  const std::int64_t version = db.execAndGet("PRAGMA user_version").getInt64();
  if (id == kApplicationId && version != 0) {
    return {version > kSchemaVersion
                ? Content::newer
                : (version == kSchemaVersion ? Content::ours : Content::foreign),
            version};
  }
  const bool no_tables = db.execAndGet(sql::kCountTables).getInt64() == 0;
  const bool may_be_new = version == 0 && (id == 0 || id == kApplicationId);
  return {may_be_new && no_tables ? Content::blank : Content::foreign, version};
}

Scoped::Scoped(SQLite::Database& db, const char* begin) : db_(db) {
  db_.exec(begin);
}

Scoped::~Scoped() {
  if (open_) {
    // The raw call: a failed COMMIT may have rolled back already, and a destructor must not throw.
    sqlite3_exec(db_.getHandle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

void Scoped::commit() {
  db_.exec("COMMIT");
  open_ = false;
}

base::Status write_transaction(Connection& connection, const WaitBudget& budget,
                               const std::function<base::Status()>& work) {
  connection.set_deadline(budget.deadline());
  while (true) {
    try {
      connection.prepare_writing();
      Scoped transaction(connection.db(), kBeginWrite);
      if (auto done = work(); !done) {
        return done;
      }
      transaction.commit();
      return {};
    } catch (const SQLite::Exception& x) {
      if (fault_of(x, Phase::writing) != Fault::busy || !budget.pause()) {
        throw;  // LCOV_EXCL_LINE: tests get here, but clang does not count what only rethrows
      }
    }
  }
}

Fault fault_of(const SQLite::Exception& exception, Phase phase) {
  switch (exception.getErrorCode() & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      return Fault::busy;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
      return Fault::damaged;
    case SQLITE_ERROR:  // a table or column is missing
    case SQLITE_MISMATCH:
      return Fault::foreign;
    default:
      return phase == Phase::writing ? Fault::not_written : Fault::not_opened;
  }
}

base::Error reader_error(const SeatFiles& files, const SQLite::Exception& exception, Phase phase) {
  switch (fault_of(exception, phase)) {
    case Fault::busy:
      return not_locked(files);
    case Fault::damaged:
      return damaged(files, exception.what());
    case Fault::foreign:
      return foreign_file(files);
    case Fault::not_written:
      return not_written(files, exception.what());
    case Fault::not_opened:
      break;
  }
  return not_opened(files);
}

SQLite::Statement& Reused::again() {
  if (!statement_) {
    statement_.emplace(db_, sql_);
  } else {
    statement_->reset();
  }
  return *statement_;
}

std::optional<std::int64_t> optional_integer(const SQLite::Column& column) {
  return column.isNull() ? std::nullopt : std::optional<std::int64_t>(column.getInt64());
}

std::optional<std::string> optional_text(const SQLite::Column& column) {
  return column.isNull() ? std::nullopt : std::optional<std::string>(column.getString());
}

void bind_optional(SQLite::Statement& statement, int index,
                   const std::optional<std::int64_t>& value) {
  if (value) {
    statement.bind(index, *value);
  } else {
    statement.bind(index);
  }
}

void bind_optional(SQLite::Statement& statement, int index,
                   const std::optional<std::string>& value) {
  if (value) {
    statement.bind(index, *value);
  } else {
    statement.bind(index);
  }
}

}  // namespace robot_council::sink
