#include "fleet/feed_window.hpp"

#include <algorithm>
#include <utility>

#include "fleet/limits.hpp"
#include "service-api/limits.hpp"

namespace robot_council::fleet {

void FeedWindow::start(std::int64_t head, std::int64_t oldest) {
  const base::MutexLock lock(mu_);
  events_.clear();
  bytes_ = 0;
  head_ = head;
  oldest_ = oldest;
}

void FeedWindow::add(std::vector<StoredEvent> events) {
  const base::MutexLock lock(mu_);
  for (StoredEvent& event : events) {
    head_ = event.id;
    bytes_ += event.json.size();
    events_.push_back(std::move(event));
  }
  while (events_.size() > kWindowEvents || (bytes_ > kWindowBytes && events_.size() > 1)) {
    bytes_ -= events_.front().json.size();
    events_.pop_front();
  }
}

std::optional<Page> FeedWindow::page(std::int64_t after, std::int64_t limit,
                                     const Reader& reader) const {
  const base::MutexLock lock(mu_);
  Page page;
  if (after >= head_) {
    page.cursor = head_;
    page.at_once = after > head_;
    return page;
  }
  if (events_.empty() || events_.front().id > after + 1) {
    return std::nullopt;
  }
  page.cursor = after;
  std::int64_t examined = 0;
  const auto first = static_cast<std::size_t>(after + 1 - events_.front().id);
  for (std::size_t i = first; i < events_.size() && examined < service_api::kMaxExamined; ++i) {
    const StoredEvent& event = events_[i];
    page.cursor = event.id;
    ++examined;
    if (!event.visibility.seen_by(reader)) {
      continue;
    }
    page.events.push_back(event.json);
    if (static_cast<std::int64_t>(page.events.size()) == limit) {
      break;
    }
  }
  page.at_once = !page.events.empty() || page.cursor < head_;
  return page;
}

std::int64_t FeedWindow::head() const {
  const base::MutexLock lock(mu_);
  return head_;
}

std::int64_t FeedWindow::oldest() const {
  const base::MutexLock lock(mu_);
  return std::min(oldest_, head_ + 1);
}

void FeedWindow::set_oldest(std::int64_t oldest) {
  const base::MutexLock lock(mu_);
  oldest_ = oldest;
  while (!events_.empty() && events_.front().id < oldest) {
    bytes_ -= events_.front().json.size();
    events_.pop_front();
  }
}

Page read_page(Transaction& transaction, std::int64_t after, std::int64_t limit,
               const Reader& reader) {
  // An event closed to others is looked up among its addressees; the open ones and the reader's own
  // cost nothing more.
  static const std::string sql =
      "SELECT " + std::string(kEventColumns) +
      ", CASE WHEN e.developer_id = ? THEN 1"
      " WHEN e.type NOT IN ('narration', 'lane.quiet', 'lane.condition', 'placement.instruction') "
      "THEN 1"
      " WHEN e.direct = 1 AND e.type <> 'placement.instruction' THEN 1"
      " WHEN EXISTS(SELECT 1 FROM event_addressees a WHERE a.event_id = e.id AND a.session_id = ? "
      "AND a.developer_id = ?)"
      " THEN 1 ELSE 0 END FROM events e WHERE e.id > ? ORDER BY e.id LIMIT ?";
  constexpr std::size_t kVisibleColumn = 10;
  Page page;
  page.cursor = after;
  std::int64_t examined = 0;
  bool more = true;
  while (more && examined < service_api::kMaxExamined) {
    const std::int64_t chunk = std::min(kPageChunk, service_api::kMaxExamined - examined);
    const Rows rows = transaction.query(
        sql, {reader.developer_id, reader.session_id, reader.developer_id, page.cursor, chunk});
    for (const Row& row : rows) {
      page.cursor = row.integer(0);
      ++examined;
      if (!reader.sees_all && !row.flag(kVisibleColumn)) {
        continue;
      }
      page.events.push_back(event_json(row));
      if (static_cast<std::int64_t>(page.events.size()) == limit) {
        page.at_once = true;
        return page;
      }
    }
    more = static_cast<std::int64_t>(rows.size()) == chunk;
  }
  page.at_once = more || !page.events.empty();
  return page;
}

}  // namespace robot_council::fleet
