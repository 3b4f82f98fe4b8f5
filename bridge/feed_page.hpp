#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_value.hpp"
#include "base/result.hpp"

namespace robot_council::bridge {

// One event of a page: its bytes as received, and the same read.
struct FeedEvent {
  std::optional<std::int64_t> id;
  std::string type;   // "" if it is no string
  std::string bytes;  // the object
  base::Json json;  // of an event with a number that fits no double: only id, type, meta and actor,
                    // where they can be read
};

// An answer to GET events.
struct FeedPage {
  std::vector<FeedEvent> events;  // objects only, in order
  std::size_t listed = 0;  // items of the list, other values included: what makes a page full
  std::optional<std::int64_t> cursor;
  std::optional<std::int64_t> oldest;
  std::optional<std::string> epoch;  // an id as text, also when it is a number
  std::optional<std::int64_t> epoch_head;
};

// invalid: not a JSON object within kMaxDepth, or `events` is there and no list.
[[nodiscard]] base::Result<FeedPage> read_feed_page(std::string_view body);

// What a page says about the feed behind it.
enum class FeedGap : std::uint8_t { none, went_back, pruned };
struct GapVerdict {
  FeedGap gap = FeedGap::none;
  std::int64_t from = 0;   // went_back: the old position; pruned: first id lost
  std::int64_t to = 0;     // went_back: the new position; pruned: last id lost
  bool page_left = false;  // the page is not used; following goes on from `to`
};
// `after`: what was asked for, nothing on a first read without a cursor. `seen_epoch`: that of this
// join's reads, "" before the first.
[[nodiscard]] GapVerdict feed_gap(const FeedPage& page, std::optional<std::int64_t> after,
                                  std::string_view seen_epoch);

}  // namespace robot_council::bridge
