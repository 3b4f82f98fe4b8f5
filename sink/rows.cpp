#include "sink/rows.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/child.hpp"
#include "sink/database.hpp"
#include "sink/limits.hpp"
#include "sink/schema.hpp"

namespace robot_council::sink {
namespace {

ProcessName process_in(const SQLite::Column& pid, const SQLite::Column& started) {
  return {optional_integer(pid).value_or(0), optional_text(started).value_or(std::string())};
}

// Start times that cannot be told do not make two processes different.
bool same_process(const ProcessName& a, const ProcessName& b) {
  return a.pid == b.pid && (a.started == b.started || a.started.empty() || b.started.empty());
}

Entry entry_in(SQLite::Statement& row) {
  Entry entry;
  int at = 0;
  entry.seq = row.getColumn(at++).getInt64();
  entry.join_no = row.getColumn(at++).getInt64();
  entry.session = optional_integer(row.getColumn(at++));
  entry.event_id = optional_integer(row.getColumn(at++));
  entry.type = row.getColumn(at++).getString();
  entry.json = row.getColumn(at++).getString();
  entry.stored_ms = row.getColumn(at++).getInt64();
  entry.state = static_cast<RowState>(row.getColumn(at++).getInt());
  entry.writes = row.getColumn(at++).getInt();
  entry.maybe = row.getColumn(at++).getInt() != 0;
  entry.offer = optional_text(row.getColumn(at++));
  entry.to_session = optional_text(row.getColumn(at++));
  entry.to_turn = optional_text(row.getColumn(at++));
  entry.to_end = optional_text(row.getColumn(at++));
  entry.loops = optional_integer(row.getColumn(at++));
  entry.transcript = optional_text(row.getColumn(at++));
  entry.transcript_at = optional_integer(row.getColumn(at++));
  entry.proof = static_cast<Proof>(optional_integer(row.getColumn(at++)).value_or(0));
  entry.printed_ms = optional_integer(row.getColumn(at++));
  return entry;
}

}  // namespace

bool is_local(const std::optional<std::int64_t>& event_id, std::string_view type) {
  constexpr std::string_view kHead = "bridge.";
  return !event_id && type.substr(0, kHead.size()) == kHead;
}

bool LiveJoins::is_live(std::int64_t join_no) const {
  return std::any_of(joins.begin(), joins.end(),
                     [&](const Join& join) { return join.number == join_no; });
}

LiveJoins read_live_joins(SQLite::Database& db) {
  LiveJoins live;
  SQLite::Statement rows(db, sql::kUnendedJoins);
  while (rows.executeStep()) {
    LiveJoins::Join join{rows.getColumn(0).getInt64(),
                         process_in(rows.getColumn(1), rows.getColumn(2)),
                         process_in(rows.getColumn(3), rows.getColumn(4))};
    // What cannot be told counts as alive: its rows are then not called another session's.
    if (base::process_alive(static_cast<pid_t>(join.bridge.pid), join.bridge.started)
            .value_or(true)) {
      live.joins.push_back(std::move(join));
    }
  }
  return live;
}

Share share_of_caller(const LiveJoins& live, const Ancestors& ancestors) {
  if (live.joins.size() < 2) {
    return std::nullopt;
  }
  for (const ProcessName& ancestor : ancestors ? ancestors() : own_ancestors()) {
    std::set<std::int64_t> mine;
    for (const auto& join : live.joins) {
      if (same_process(join.client, ancestor)) {
        mine.insert(join.number);
      }
    }
    if (!mine.empty()) {
      return mine;
    }
  }
  return std::nullopt;
}

Share share_of_bridge(const LiveJoins& live, const ProcessName& bridge) {
  std::set<std::int64_t> mine;
  for (const auto& join : live.joins) {
    if (same_process(join.bridge, bridge)) {
      mine.insert(join.number);
    }
  }
  return mine;
}

std::vector<Entry> read_entries(SQLite::Database& db, States states, const LiveJoins& live,
                                const Share& share) {
  std::vector<Entry> entries;
  SQLite::Statement rows(db, sql::kEntryColumns);
  rows.bind(1, states == States::all ? static_cast<int>(RowState::written)
                                     : static_cast<int>(RowState::offered));
  while (rows.executeStep()) {
    Entry entry = entry_in(rows);
    const bool over = !live.is_live(entry.join_no);
    entry.local = is_local(entry.event_id, entry.type);
    entry.earlier_session = over && !entry.local;
    entry.in_share = over || !share || share->count(entry.join_no) != 0;
    entries.push_back(std::move(entry));
  }
  return entries;
}

void find_duplicates(SQLite::Database& db, const std::optional<std::string>& session,
                     std::vector<Entry>& rows) {
  // An id alone does not make two rows one event: a restored feed gives ids again.
  using Copy = std::pair<std::int64_t, std::string>;
  std::set<Copy> shown;  // to this session, or about to be
  SQLite::Statement printed(db, sql::kPrintedCopies);
  while (printed.executeStep()) {
    if (optional_text(printed.getColumn(2)) == session) {
      shown.emplace(printed.getColumn(0).getInt64(), printed.getColumn(1).getString());
    }
  }
  for (const Entry& row : rows) {
    if (row.event_id && row.writes > 0 && row.to_session == session) {
      shown.emplace(*row.event_id, row.json);
    }
  }
  for (Entry& row : rows) {
    if (!row.event_id || !row.in_share) {
      continue;
    }
    Copy copy{*row.event_id, row.json};
    row.duplicate = shown.count(copy) != 0;
    if (row.state != RowState::written) {
      shown.insert(std::move(copy));
    }
  }
}

void HistoryMover::move(std::int64_t seq, Why why, std::int64_t now_ms) {
  SQLite::Statement& copy = copy_.again();
  copy.bind(1, now_ms);
  copy.bind(2, std::string(why_text(why)));
  copy.bind(3, seq);
  copy.exec();
  SQLite::Statement& remove = remove_.again();
  remove.bind(1, seq);
  remove.exec();
  moved_ms_ = now_ms;
}

void HistoryMover::prune() {
  if (!moved_ms_) {
    return;
  }
  SQLite::Statement by_count(db_, sql::kPruneByCount);
  by_count.bind(1, static_cast<std::int64_t>(kMaxHistoryRows));
  by_count.exec();
  SQLite::Statement by_age(db_, sql::kPruneByAge);
  by_age.bind(1, *moved_ms_ - kHistoryAgeMs);
  by_age.exec();
  moved_ms_.reset();
}

}  // namespace robot_council::sink
