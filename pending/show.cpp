#include "pending/show.hpp"

#include <vector>

#include "base/json.hpp"
#include "base/json_scan.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "pending/limits.hpp"
#include "pending/render.hpp"
#include "sink/delivery_store.hpp"

namespace robot_council::pending {
namespace {

using sink::DeliveryStore;
using sink::Entry;

base::Result<std::vector<Entry>> rows_of_share(const sink::SeatFiles& files) {
  auto store = DeliveryStore::open(files, sink::Access::read_only, sink::WaitBudget());
  if (!store) {
    return store.error();
  }
  std::vector<Entry> rows;
  if (!store->has_value()) {
    return rows;
  }
  auto look = (*store)->look(std::nullopt);
  if (!look) {
    return look.error();
  }
  for (Entry& row : look->rows) {
    if (row.in_share) {
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::string row_json(const Entry& row) {
  // What is no JSON cannot be shown as stored without breaking the whole answer.
  const bool valid = base::validate_json(row.json, kMaxEntryDepth).ok();
  const char* state = row.state == sink::RowState::waiting
                          ? "waiting"
                          : (row.state == sink::RowState::offered ? "offered" : "written");
  return "{\"event\":" + (valid ? row.json : base::quote_json(base::to_utf8(row.json))) +
         R"(,"state":")" + state + R"(","writes":)" + std::to_string(row.writes) +
         ",\"earlier_session\":" + (row.earlier_session ? "true" : "false") + "}";
}

void append_item(std::string& list, const std::string& item) {
  if (!list.empty()) {
    list += ",";
  }
  list += item;
}

}  // namespace

base::Result<std::string> peek_lines(const sink::SeatFiles& files) {
  auto rows = rows_of_share(files);
  if (!rows) {
    return rows.error();
  }
  std::string text;
  for (const Entry& row : *rows) {
    if (row.state != sink::RowState::written) {
      text += row_line(row) + "\n";
    }
  }
  return text;
}

base::Result<std::string> peek_json(const sink::SeatFiles& files) {
  auto rows = rows_of_share(files);
  if (!rows) {
    return rows.error();
  }
  std::string waiting;
  std::string written;
  for (const Entry& row : *rows) {
    append_item(row.state == sink::RowState::written ? written : waiting, row_json(row));
  }
  return "{\"key\":" + base::quote_json(files.key) +
         ",\"sink\":" + base::quote_json(base::to_utf8(files.database())) + ",\"waiting\":[" +
         waiting + "],\"written\":[" + written + "]}\n";
}

base::Result<std::string> history_lines(const sink::SeatFiles& files, std::size_t count) {
  auto store = DeliveryStore::open(files, sink::Access::read_only, sink::WaitBudget());
  if (!store) {
    return store.error();
  }
  std::string text;
  if (!store->has_value()) {
    return text;
  }
  auto rows = (*store)->history(count);
  if (!rows) {
    return rows.error();
  }
  for (const sink::HistoryRow& row : *rows) {
    text += base::iso_zulu(row.left_ms) + " " + row.why + " " + std::to_string(row.writes) + "x " +
            entry_line(row.json) + "\n";
  }
  return text;
}

}  // namespace robot_council::pending
