#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fleet/callers.hpp"
#include "fleet/core.hpp"
#include "fleet/input.hpp"
#include "fleet/reply.hpp"

namespace robot_council::fleet {

// Query of GET events (service contract, 4.1 and 8.4).
struct FeedQuery {
  std::optional<std::int64_t> after;
  std::int64_t limit = 0;
  bool acknowledge = true;
  std::int64_t wait = 0;  // s, already cut to the longest
};
[[nodiscard]] FeedQuery read_feed_query(Fields& fields);

// The page after `after` for this reader: from memory near the head, else from the store. nothing:
// the store failed.
[[nodiscard]] std::optional<Page> feed_page(Core& core, std::int64_t after, std::int64_t limit,
                                            const Reader& reader);
// {"events","cursor","oldest","epoch","epoch_head"}
[[nodiscard]] std::string page_text(const Core& core, const Page& page);

// Stores the position read from: only forward, only if an event with that id or a higher one
// exists.
Reply acknowledge(Core& core, const Session& session, std::int64_t position);
// Tool events_read: GET events without `wait`.
Reply read_events(Core& core, const Session& session, const Input& input);
// Position before the last `limit` events: where the operator's read begins without `after`.
[[nodiscard]] std::int64_t before_last(Core& core, std::int64_t limit);

}  // namespace robot_council::fleet
