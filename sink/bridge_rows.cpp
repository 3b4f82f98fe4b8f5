#include "sink/bridge_rows.hpp"

#include <algorithm>
#include <set>

#include "base/json.hpp"
#include "base/json_scan.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "sink/database.hpp"
#include "sink/limits.hpp"
#include "sink/schema.hpp"

namespace robot_council::sink {
namespace {

constexpr std::string_view kDroppedMiddle =
    " fleet events left this seat unread, because more than 200 were waiting";

std::string local_json(const LocalEntry& entry, std::int64_t now_ms) {
  return "{\"type\":" + base::quote_json(entry.type) + ",\"body\":" + base::quote_json(entry.body) +
         ",\"created_at\":" + base::quote_json(base::iso_offset(now_ms)) + "}";
}

// The number at the start of `text`, which is moved behind it.
std::optional<std::int64_t> take_number(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  auto number = base::parse_digits(text.substr(0, end));
  text.remove_prefix(end);
  return number;
}

bool take(std::string_view& text, std::string_view head) {
  if (text.substr(0, head.size()) != head) {
    return false;
  }
  text.remove_prefix(head.size());
  return true;
}

}  // namespace

std::string dropped_body(const DroppedEvents& dropped) {
  const std::string head = std::to_string(dropped.count) + std::string(kDroppedMiddle);
  if (!dropped.first || !dropped.last) {
    return head + ". Call events_read to read them.";  // events without a usable id
  }
  return head + ": feed ids " + std::to_string(*dropped.first) + " to " +
         std::to_string(*dropped.last) +
         ". Call events_read with after=" + std::to_string(*dropped.first - 1) + " to read them.";
}

DroppedEvents read_dropped(const std::string& entry_json) {
  const std::string body = base::json_unescape(base::json_member(entry_json, "body"));
  std::string_view rest = body;
  DroppedEvents dropped;
  const auto count = take_number(rest);
  if (!count || !take(rest, kDroppedMiddle)) {
    return dropped;
  }
  dropped.count = *count;
  if (take(rest, ": feed ids ")) {
    dropped.first = take_number(rest);
    dropped.last = take(rest, " to ") ? take_number(rest) : std::nullopt;
  }
  return dropped;
}

BridgeRows::BridgeRows(SQLite::Database& db, const JoinInfo& join, std::int64_t now_ms)
    : db_(db), join_(join), now_ms_(now_ms), live_(read_live_joins(db)), history_(db) {}

std::int64_t BridgeRows::add_join(const std::optional<std::int64_t>& cursor) {
  SQLite::Statement insert(db_, sql::kInsertJoin);
  bind_optional(insert, 1, join_.session);
  bind_optional(insert, 2, cursor);
  insert.bind(3, join_.bridge.pid);
  insert.bind(4, join_.bridge.started);
  insert.bind(5, join_.client.pid);
  insert.bind(6, join_.client.started);
  insert.bind(7, join_.holds_seat ? 1 : 0);
  insert.exec();
  const std::int64_t number = db_.getLastInsertRowid();
  std::vector<std::int64_t> old;
  SQLite::Statement list(db_, sql::kOldJoins);
  list.bind(1, static_cast<std::int64_t>(kMaxEndedJoins));
  while (list.executeStep()) {
    old.push_back(list.getColumn(0).getInt64());
  }
  for (const std::int64_t join_no : old) {
    if (!live_.is_live(join_no)) {
      SQLite::Statement remove(db_, sql::kDeleteJoin);
      remove.bind(1, join_no);
      remove.exec();
    }
  }
  return number;
}

std::size_t BridgeRows::add_events(std::int64_t join_no, const std::vector<FeedEvent>& events) {
  std::set<std::int64_t> left;
  SQLite::Statement ids(db_, sql::kJoinHistoryIds);
  ids.bind(1, join_no);
  while (ids.executeStep()) {
    left.insert(ids.getColumn(0).getInt64());
  }
  std::size_t added = 0;
  SQLite::Statement insert(db_, sql::kInsertEvent);
  for (const FeedEvent& event : events) {
    if (event.id && left.count(*event.id) != 0) {
      continue;
    }
    insert.reset();
    insert.bind(1, join_no);
    bind_optional(insert, 2, join_.session);
    bind_optional(insert, 3, event.id);
    insert.bind(4, event.type);
    insert.bind(5, event.json);
    insert.bind(6, now_ms_);
    added += static_cast<std::size_t>(insert.exec());
  }
  return added;
}

std::vector<Entry> BridgeRows::share_rows() {
  std::vector<Entry> rows =
      read_entries(db_, States::not_delivered, live_, share_of_bridge(live_, join_.bridge));
  rows.erase(
      std::remove_if(rows.begin(), rows.end(), [](const Entry& row) { return !row.in_share; }),
      rows.end());
  return rows;
}

void BridgeRows::add_local(std::int64_t join_no, const LocalEntry& entry) {
  for (const Entry& row : share_rows()) {
    if (row.local && row.type == entry.type) {
      history_.move(row.seq, Why::replaced, now_ms_);
    }
  }
  SQLite::Statement insert(db_, sql::kInsertEntry);
  insert.bind(1, join_no);
  bind_optional(insert, 2, join_.session);
  insert.bind(3);
  insert.bind(4, entry.type);
  insert.bind(5, local_json(entry, now_ms_));
  insert.bind(6, now_ms_);
  insert.exec();
  history_.prune();
}

std::size_t BridgeRows::drop_above_bound(std::int64_t join_no) {
  std::vector<Entry> waiting;
  DroppedEvents dropped;
  for (Entry& row : share_rows()) {
    if (row.local && row.type == kEventsDropped) {
      dropped = read_dropped(row.json);
    } else if (!row.local && row.state == RowState::waiting) {
      waiting.push_back(std::move(row));
    }
  }
  if (waiting.size() <= kMaxWaitingEvents) {
    return 0;
  }
  waiting.resize(waiting.size() - kMaxWaitingEvents);
  for (const Entry& row : waiting) {
    history_.move(row.seq, Why::dropped, now_ms_);
    if (row.event_id) {
      dropped.first = std::min(dropped.first.value_or(*row.event_id), *row.event_id);
      dropped.last = std::max(dropped.last.value_or(*row.event_id), *row.event_id);
    }
  }
  dropped.count += static_cast<std::int64_t>(waiting.size());
  history_.prune();
  add_local(join_no, {kEventsDropped, dropped_body(dropped)});
  return waiting.size();
}

void BridgeRows::set_cursor(std::int64_t join_no, std::int64_t cursor) {
  SQLite::Statement update(db_, sql::kSetCursor);
  update.bind(1, cursor);
  update.bind(2, join_no);
  update.exec();
}

void BridgeRows::set_seat(const std::vector<std::int64_t>& join_nos) {
  for (const std::int64_t join_no : join_nos) {
    SQLite::Statement update(db_, sql::kSetSeat);
    update.bind(1, join_no);
    update.exec();
  }
}

void BridgeRows::set_session(const std::vector<std::int64_t>& join_nos, std::int64_t session) {
  for (const std::int64_t join_no : join_nos) {
    for (const char* statement : {sql::kSetSession, sql::kSetEntrySession}) {
      SQLite::Statement update(db_, statement);
      update.bind(1, session);
      update.bind(2, join_no);
      update.exec();
    }
  }
}

void BridgeRows::end_session(const std::vector<std::int64_t>& join_nos) {
  const std::set<std::int64_t> mine(join_nos.begin(), join_nos.end());
  for (const Entry& row : read_entries(db_, States::all, live_, std::nullopt)) {
    const bool of_session =
        mine.count(row.join_no) != 0 || (join_.session && row.session == join_.session);
    if (of_session && (!row.local || row.type == kCapacityChanged)) {
      history_.move(row.seq, Why::session_ended, now_ms_);
    }
  }
  history_.prune();
  for (const std::int64_t join_no : join_nos) {
    SQLite::Statement update(db_, sql::kSetEnded);
    update.bind(1, now_ms_);
    update.bind(2, join_no);
    update.exec();
  }
}

std::optional<std::int64_t> BridgeRows::lowest_unconfirmed(std::int64_t join_no) {
  SQLite::Statement query(db_, sql::kLowestUnconfirmed);
  query.bind(1, join_no);
  query.executeStep();
  return optional_integer(query.getColumn(0));
}

bool BridgeRows::has_local(const std::string& type) {
  SQLite::Statement query(db_, sql::kCountOfType);
  query.bind(1, type);
  query.executeStep();
  return query.getColumn(0).getInt64() > 0;
}

}  // namespace robot_council::sink
