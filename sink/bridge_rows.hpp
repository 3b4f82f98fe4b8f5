#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

#include "sink/bridge_store.hpp"
#include "sink/rows.hpp"

namespace robot_council::sink {

// What a bridge does inside one write transaction, for bridge_store.cpp only. Throws
// SQLite::Exception.
class BridgeRows {
 public:
  BridgeRows(SQLite::Database& db, const JoinInfo& join, std::int64_t now_ms);

  // A new row in `joined`; old ones are pruned. Result: its number.
  [[nodiscard]] std::int64_t add_join(const std::optional<std::int64_t>& cursor);
  // Events not stored before under this join number. Result: rows added.
  [[nodiscard]] std::size_t add_events(std::int64_t join_no, const std::vector<FeedEvent>& events);
  // Replaces the entry of its type in the share.
  void add_local(std::int64_t join_no, const LocalEntry& entry);
  // The oldest waiting fleet events of the share above the bound leave, and are told. Result: how
  // many.
  [[nodiscard]] std::size_t drop_above_bound(std::int64_t join_no);
  void set_cursor(std::int64_t join_no, std::int64_t cursor);
  void set_seat(const std::vector<std::int64_t>& join_nos);
  // Also in rows stored before it was known.
  void set_session(const std::vector<std::int64_t>& join_nos, std::int64_t session);
  // Fleet entries of this session and of these joins, and their bridge.capacity-changed, leave; the
  // joins are ended.
  void end_session(const std::vector<std::int64_t>& join_nos);
  // The lowest id stored under this join that is not confirmed.
  [[nodiscard]] std::optional<std::int64_t> lowest_unconfirmed(std::int64_t join_no);
  // An entry of this type is waiting or not yet confirmed.
  [[nodiscard]] bool has_local(const std::string& type);

 private:
  [[nodiscard]] std::vector<Entry> share_rows();
  SQLite::Database& db_;
  const JoinInfo& join_;
  std::int64_t now_ms_;
  LiveJoins live_;
  HistoryMover history_;
};

// Body of `bridge.events-dropped`, and what it says, for adding up.
struct DroppedEvents {
  std::int64_t count = 0;
  std::optional<std::int64_t> first;
  std::optional<std::int64_t> last;
};
[[nodiscard]] std::string dropped_body(const DroppedEvents& dropped);
[[nodiscard]] DroppedEvents read_dropped(const std::string& entry_json);

inline constexpr const char* kEventsDropped = "bridge.events-dropped";
inline constexpr const char* kSinkGap = "bridge.sink-gap";
inline constexpr const char* kCapacityChanged = "bridge.capacity-changed";

}  // namespace robot_council::sink
