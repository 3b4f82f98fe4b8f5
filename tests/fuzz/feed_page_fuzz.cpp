// Pages of the feed as a service may send them: reading, gaps, interest, held tasks.

#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>

#include "bridge/feed_page.hpp"
#include "bridge/interest.hpp"

namespace rc = robot_council;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data),
                               size);  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast): bytes
  const auto page = rc::bridge::read_feed_page(bytes);
  if (!page.ok()) {
    return 0;
  }
  static_cast<void>(rc::bridge::feed_gap(*page, 7, "epoch"));
  std::set<std::int64_t> held = {1};
  for (const rc::bridge::FeedEvent& event : page->events) {
    static_cast<void>(rc::bridge::interest(event.json, {7, true, &held}));
    static_cast<void>(rc::bridge::interest(event.json, {7, false, &held}));
    rc::bridge::follow_held(event.json, 7, held);
  }
  return 0;
}
