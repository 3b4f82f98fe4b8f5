// A hook payload from any client, whole and in pieces: both readings agree, and nothing is kept
// beyond the limit.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "base/json_scan.hpp"
#include "brake/limits.hpp"
#include "brake/payload.hpp"
#include "brake/stop_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace brake = robot_council::brake;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as characters
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  brake::PayloadReader whole;
  whole.feed(text);
  const brake::HookPayload at_once = whole.finish();
  brake::PayloadReader pieces;
  // The byte order mark is looked for in the first piece only.
  constexpr std::size_t kFirst = 3;
  pieces.feed(text.substr(0, kFirst));
  for (std::size_t at = kFirst; at < text.size(); ++at) {
    pieces.feed(text.substr(at, 1));
  }
  const brake::HookPayload piecewise = pieces.finish();
  RC_CHECK(at_once.readable == piecewise.readable && at_once.fields == piecewise.fields &&
           at_once.roots == piecewise.roots);
  // What strict JSON takes for an object is readable here as well.
  const bool object = robot_council::base::validate_json(text, 100).ok() &&
                      robot_council::base::json_kind(text) == robot_council::base::JsonKind::object;
  RC_CHECK(!object || at_once.readable || size > brake::kMaxPayloadKept);
  (void)brake::parse_stop(text);
  return 0;
}
