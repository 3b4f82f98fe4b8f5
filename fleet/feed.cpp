#include "fleet/feed.hpp"

#include <algorithm>

#include "base/json_value.hpp"
#include "fleet/json_text.hpp"
#include "service-api/limits.hpp"

namespace robot_council::fleet {

FeedQuery read_feed_query(Fields& fields) {
  FeedQuery query;
  query.after = fields.integer("after", Need::optional, 0, INT64_MAX);
  query.limit = fields.integer("limit", Need::optional, 1, service_api::kMaxPageEvents)
                    .value_or(service_api::kMaxPageEvents);
  if (fields.has("acknowledge")) {
    const auto word = fields.text("acknowledge", {Need::required, 0, [](std::string_view text) {
                                                    return text == "0" || text == "1" ||
                                                           text == "true" || text == "false";
                                                  }});
    query.acknowledge = !word || *word == "1" || *word == "true";
  }
  const auto wait = fields.integer("wait", Need::optional, 0, INT64_MAX);
  query.wait = std::min(wait.value_or(0), service_api::kMaxWait);
  return query;
}

std::optional<Page> feed_page(Core& core, std::int64_t after, std::int64_t limit,
                              const Reader& reader) {
  if (auto page = core.window.page(after, limit, reader)) {
    return page;
  }
  Page page;
  const Reply reply = core.read([&](Unit& unit) {
    page = read_page(unit.tx, after, limit, reader);
    return ok({});
  });
  return reply.refused() ? std::nullopt : std::optional<Page>(std::move(page));
}

std::string page_text(const Core& core, const Page& page) {
  return ObjectText()
      .raw("events", array_text(page.events))
      .integer("cursor", page.cursor)
      .integer("oldest", core.window.oldest())
      .integer("epoch", core.epoch())
      .integer("epoch_head", core.epoch_head())
      .done();
}

Reply acknowledge(Core& core, const Session& session, std::int64_t position) {
  if (position <= session.feed_cursor || position > core.window.head()) {
    return ok({});
  }
  return core.write([&](Unit& unit) {
    unit.tx.execute("UPDATE sessions SET feed_cursor = ? WHERE id = ? AND feed_cursor < ?",
                    {position, session.id, position});
    return ok({});
  });
}

Reply read_events(Core& core, const Session& session, const Input& input) {
  Fields fields(input);
  FeedQuery query;
  query.after = fields.integer("after", Need::optional, 0, INT64_MAX);
  query.limit = fields.integer("limit", Need::optional, 1, service_api::kMaxPageEvents)
                    .value_or(service_api::kMaxPageEvents);
  if (!fields.ok()) {
    return invalid_input(fields.errors());
  }
  const std::int64_t after = query.after.value_or(session.feed_cursor);
  Reply stored = acknowledge(core, session, after);
  if (stored.refused()) {
    return stored;
  }
  const auto page = feed_page(core, after, query.limit, session.reader());
  return page ? ok(page_text(core, *page)) : unavailable();
}

std::int64_t before_last(Core& core, std::int64_t limit) {
  std::int64_t position = 0;
  (void)core.read([&](Unit& unit) {
    const auto row = unit.tx.first(
        "SELECT MIN(id) FROM (SELECT id FROM events ORDER BY id DESC LIMIT ?) AS newest", {limit});
    position = row ? row->maybe_integer(0).value_or(unit.head + 1) - 1 : unit.head;
    return ok({});
  });
  return position;
}

}  // namespace robot_council::fleet
