#include "bridge/feed_page.hpp"

#include "base/json_scan.hpp"
#include "base/json_value.hpp"
#include "bridge/limits.hpp"

namespace robot_council::bridge {

namespace {

std::optional<std::int64_t> integer_of(std::string_view bytes) {
  if (bytes.empty() || base::json_kind(bytes) != base::JsonKind::number) {
    return std::nullopt;
  }
  const base::Result<base::Json> value = base::parse_bounded(bytes, bytes.size());
  return value.ok() ? base::as_integer(*value) : std::nullopt;
}

FeedEvent read_event(std::string_view bytes) {
  FeedEvent event;
  event.bytes = std::string(bytes);
  base::Result<base::Json> json = base::parse_bounded(bytes, bytes.size(), kMaxDepth);
  if (json.ok()) {
    event.json = *std::move(json);
  } else {
    // A number that fits no double somewhere in it: the parts that decide are read one by one, so
    // that it is not lost.
    event.json = base::Json::object();
    for (const char* key : {"id", "type", "meta", "actor"}) {
      const std::string_view part = base::json_member(bytes, key);
      base::Result<base::Json> value = base::parse_bounded(part, part.size(), kMaxDepth);
      if (value.ok()) {
        event.json[key] = *std::move(value);
      }
    }
  }
  event.id = base::get_integer(event.json, "id");
  event.type = base::get_string(event.json, "type").value_or("");
  return event;
}

}  // namespace

base::Result<FeedPage> read_feed_page(std::string_view body) {
  if (!base::validate_json(body, kMaxDepth).ok() ||
      base::json_kind(body) != base::JsonKind::object) {
    return base::Error{base::Errc::invalid,
                       "the service answered with something that is not a page"};
  }
  FeedPage page;
  const std::string_view events = base::json_member(body, "events");
  if (!events.empty() && base::json_kind(events) == base::JsonKind::array) {
    for (const std::string_view element : base::json_elements(events)) {
      ++page.listed;
      if (base::json_kind(element) == base::JsonKind::object) {
        page.events.push_back(read_event(element));
      }
    }
  } else if (!events.empty() && base::json_kind(events) != base::JsonKind::null) {
    return base::Error{base::Errc::invalid,
                       "the service answered with something that is not a page"};
  }
  page.cursor = integer_of(base::json_member(body, "cursor"));
  page.oldest = integer_of(base::json_member(body, "oldest"));
  page.epoch_head = integer_of(base::json_member(body, "epoch_head"));
  const std::string_view epoch = base::json_member(body, "epoch");
  if (!epoch.empty()) {
    const base::JsonKind kind = base::json_kind(epoch);
    if (kind == base::JsonKind::string) {
      page.epoch = base::json_unescape(epoch);
    } else if (kind == base::JsonKind::number) {
      page.epoch = std::string(epoch);
    }
  }
  return page;
}

GapVerdict feed_gap(const FeedPage& page, std::optional<std::int64_t> after,
                    std::string_view seen_epoch) {
  GapVerdict verdict;
  if (!after) {
    return verdict;
  }
  if (page.epoch && !seen_epoch.empty() && *page.epoch != seen_epoch && page.epoch_head &&
      *page.epoch_head < *after) {
    return {FeedGap::went_back, *after, *page.epoch_head, true};
  }
  if (page.cursor && *page.cursor < *after) {
    return {FeedGap::went_back, *after, *page.cursor, false};
  }
  if (page.oldest && *page.oldest > *after + 1) {
    return {FeedGap::pruned, *after + 1, *page.oldest - 1, false};
  }
  return verdict;
}

}  // namespace robot_council::bridge
