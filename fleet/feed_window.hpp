#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "fleet/event.hpp"

namespace robot_council::fleet {

// One answer of GET events.
struct Page {
  std::vector<std::string> events;  // JSON texts, ids ascending
  std::int64_t cursor = 0;
  bool at_once =
      false;  // not to be held: an event, a full examination, a start beyond the head (8.4)
};

// The newest events in memory, so that a reader near the head costs no query: 1,000 readers woken
// by one event share one text. Threads  safe from any.
class FeedWindow {
 public:
  // Empty, standing at `head`.
  void start(std::int64_t head, std::int64_t oldest);
  // Events of one commit, in the order of the commits.
  void add(std::vector<StoredEvent> events);

  // The page after `after`, or nothing if the window no longer reaches back that far (then the
  // store has it).
  [[nodiscard]] std::optional<Page> page(std::int64_t after, std::int64_t limit,
                                         const Reader& reader) const;

  [[nodiscard]] std::int64_t head() const;
  // The smallest id still kept, head + 1 if none.
  [[nodiscard]] std::int64_t oldest() const;
  // After pruning: events below it leave the memory too.
  void set_oldest(std::int64_t oldest);

 private:
  mutable base::Mutex mu_;
  std::deque<StoredEvent> events_ RC_GUARDED_BY(mu_);  // ids begin_ .. head_, without a gap
  std::size_t bytes_ RC_GUARDED_BY(mu_) = 0;
  std::int64_t head_ RC_GUARDED_BY(mu_) = 0;
  std::int64_t oldest_ RC_GUARDED_BY(mu_) = 1;
};

// The same page from the store: examines ids after `after` in chunks until the page is full or
// kMaxExamined were examined.
[[nodiscard]] Page read_page(Transaction& transaction, std::int64_t after, std::int64_t limit,
                             const Reader& reader);

}  // namespace robot_council::fleet
