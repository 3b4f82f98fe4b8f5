#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

#include "sink/bridge_store.hpp"
#include "sink/database.hpp"
#include "sink/delivery_store.hpp"
#include "sink/entry.hpp"
#include "sink/schema.hpp"

namespace robot_council::sink {

// Reading and moving rows, for the files of this room only. Everything throws SQLite::Exception and
// must run inside a transaction.

enum class States : unsigned char { not_delivered, all };  // waiting and offered; or written too

// Joins whose bridge runs; all others are over.
struct LiveJoins {
  struct Join {
    std::int64_t number = 0;
    ProcessName bridge;
    ProcessName client;
  };
  std::vector<Join> joins;
  [[nodiscard]] bool is_live(std::int64_t join_no) const;
};
[[nodiscard]] LiveJoins read_live_joins(SQLite::Database& db);

// Whose rows a reader may take: nothing = of all joins; else of these live joins and of those that
// are over.
using Share = std::optional<std::set<std::int64_t>>;
// By the nearest ancestor that is the client of a live join; only asked when more than one join is
// live.
[[nodiscard]] Share share_of_caller(const LiveJoins& live, const Ancestors& ancestors);
// By the bridge's own live joins.
[[nodiscard]] Share share_of_bridge(const LiveJoins& live, const ProcessName& bridge);

// Rows by seq with `local`, `earlier_session` and `in_share` filled in.
[[nodiscard]] std::vector<Entry> read_entries(SQLite::Database& db, States states,
                                              const LiveJoins& live, const Share& share);
// Fills in `duplicate`: another join's copy of the same event was printed to `session`, or is
// printed before it.
void find_duplicates(SQLite::Database& db, const std::optional<std::string>& session,
                     std::vector<Entry>& rows);

// Moves rows to the history. A transaction that moved any prunes once, at its end.
class HistoryMover {
 public:
  explicit HistoryMover(SQLite::Database& db)
      : db_(db), copy_(db, sql::kToHistory), remove_(db, sql::kDeleteEntry) {}
  void move(std::int64_t seq, Why why, std::int64_t now_ms);
  void prune();

 private:
  SQLite::Database& db_;
  Reused copy_;
  Reused remove_;
  std::optional<std::int64_t> moved_ms_;  // of the last one; none: nothing to prune
};

[[nodiscard]] bool is_local(const std::optional<std::int64_t>& event_id, std::string_view type);

}  // namespace robot_council::sink
