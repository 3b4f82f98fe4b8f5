#include <utility>

#include "base/json_scan.hpp"
#include "base/json_value.hpp"
#include "sink/bridge_store.hpp"

namespace robot_council::sink {

FeedEvent FeedEvent::from_json(std::string json) {
  FeedEvent event;
  const std::string_view id = base::json_member(json, "id");
  if (!id.empty() && base::json_kind(id) == base::JsonKind::number) {
    if (auto number = base::parse_bounded(id, id.size())) {
      event.id = base::as_integer(*number);
    }
  }
  event.type = base::json_unescape(base::json_member(json, "type"));
  event.json = std::move(json);
  return event;
}

}  // namespace robot_council::sink
