#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <SQLiteCpp/SQLiteCpp.h>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "sink/seat_files.hpp"
#include "sink/sentences.hpp"
#include "sink/wait_budget.hpp"

namespace robot_council::sink {

// One SQLite connection to a sink, for the files of this room only. Throws SQLite::Exception unless
// it says otherwise; the callers are the public functions of the stores, which turn it into
// base::Error.
//
// Locks of SQLite are per process (fcntl): no other descriptor of the database file may ever be
// opened and closed in a process that has a connection. So the file is only looked at with lstat
// here.

// What lies at the path of a database, before SQLite is asked.
enum class AtPath : unsigned char {
  nothing,  // no file, zero bytes, or neither a regular file nor a link
  file,     // a regular file of ours
  refused,  // a link, another user's, in a folder that is one of these, or not to be looked at
};
struct Location {
  AtPath at = AtPath::nothing;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  unsigned mode = 0;  // of the file; 0 when there is none
  unsigned folder_mode = 0;
  bool exists = false;  // also with zero bytes
};
[[nodiscard]] Location locate(const SeatFiles& files);
// Permission bits of group and others are taken away from the file and its folder.
void narrow_modes(const SeatFiles& files, const Location& location);

class Connection {
 public:
  enum class Mode : unsigned char { read_only, read_write };
  // Opens without following a link at the file, sets the limits of the contract and checks nothing
  // of the content. Waits for locks until the deadline of set_deadline(). `seen`: what locate() has
  // just said, where the caller asked.
  static std::unique_ptr<Connection> open(const SeatFiles& files, Mode mode,
                                          base::SteadyTime deadline,
                                          const std::optional<Location>& seen = std::nullopt);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  Connection(Connection&&) = delete;
  Connection& operator=(Connection&&) = delete;
  ~Connection() = default;

  [[nodiscard]] SQLite::Database& db() { return db_; }
  void set_deadline(base::SteadyTime deadline) { deadline_ = deadline; }
  [[nodiscard]] bool read_only_file();
  // How a commit reaches the disk; before the first write of a connection, and not in a
  // transaction.
  void prepare_writing();
  // The path still names the open file.
  [[nodiscard]] bool still_at_path() const;
  [[nodiscard]] std::uint64_t inode() const { return inode_; }
  // Not to be closed any more; reachable until the process ends, so that it is no leak.
  void leave_open();

 private:
  Connection(const std::string& path, int flags, base::SteadyTime deadline);
  SQLite::Database db_;
  std::string path_;
  base::SteadyTime deadline_;
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
  bool writing_prepared_ = false;
  Connection* left_before_ = nullptr;  // the one that was left open before this
  friend int wait_for_lock(void* connection, int tries);
};

// What the header and the table list say.
enum class Content : unsigned char {
  blank,    // new: no version, no tables
  ours,     // application id and version 1
  foreign,  // another application id, or tables without a version
  newer,    // ours, of a higher version
};
struct Identity {
  Content content = Content::blank;
  std::int64_t version = 0;
};
[[nodiscard]] Identity identify(SQLite::Database& db);

// A read or write transaction that is rolled back unless committed.
class Scoped {
 public:
  Scoped(SQLite::Database& db, const char* begin);
  ~Scoped();
  Scoped(const Scoped&) = delete;
  Scoped& operator=(const Scoped&) = delete;
  Scoped(Scoped&&) = delete;
  Scoped& operator=(Scoped&&) = delete;
  void commit();

 private:
  SQLite::Database& db_;
  bool open_ = true;
};
inline constexpr const char* kBeginRead = "BEGIN";
inline constexpr const char* kBeginWrite = "BEGIN IMMEDIATE";

// Runs `work` in BEGIN IMMEDIATE ... COMMIT; busy anywhere inside: rolled back and repeated whole
// until the budget is over, then the SQLite::Exception of the last try. An error of `work` rolls
// back and is returned.
[[nodiscard]] base::Status write_transaction(Connection& connection, const WaitBudget& budget,
                                             const std::function<base::Status()>& work);

// Kinds of failure, by primary result code.
enum class Fault : unsigned char { busy, damaged, not_written, not_opened, foreign };
enum class Phase : unsigned char { reading, writing };
[[nodiscard]] Fault fault_of(const SQLite::Exception& exception, Phase phase);

// The sentence of exit 3 for it.
[[nodiscard]] base::Error reader_error(const SeatFiles& files, const SQLite::Exception& exception,
                                       Phase phase);

// A statement that is prepared when it is needed first and used again after that: for what is done
// row by row. Lives no longer than its transaction.
class Reused {
 public:
  Reused(SQLite::Database& db, const char* sql) : db_(db), sql_(sql) {}
  // It still has the values of its last use: each is to be bound.
  [[nodiscard]] SQLite::Statement& again();

 private:
  SQLite::Database& db_;
  const char* sql_;
  std::optional<SQLite::Statement> statement_;
};

// Column helpers.
[[nodiscard]] std::optional<std::int64_t> optional_integer(const SQLite::Column& column);
[[nodiscard]] std::optional<std::string> optional_text(const SQLite::Column& column);
void bind_optional(SQLite::Statement& statement, int index,
                   const std::optional<std::int64_t>& value);
void bind_optional(SQLite::Statement& statement, int index,
                   const std::optional<std::string>& value);

}  // namespace robot_council::sink
