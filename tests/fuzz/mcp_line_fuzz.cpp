// JSON-RPC lines as a harness may send them: framing, classification, batches, join arguments,
// tools/list paging.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "base/json_scan.hpp"
#include "bridge/framing.hpp"
#include "bridge/join_request.hpp"
#include "bridge/limits.hpp"
#include "bridge/message.hpp"
#include "bridge/tools_list.hpp"

namespace rc = robot_council;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data),
                               size);  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast): bytes
  rc::bridge::LineFramer framer;
  framer.feed(bytes.substr(0, size / 2));
  framer.feed(bytes.substr(size / 2));
  while (auto frame = framer.next()) {
    const rc::bridge::Message message = rc::bridge::classify(frame->text);
    RC_CHECK(rc::base::validate_json(rc::bridge::error_line(message.id, -1, frame->text),
                                     rc::bridge::kMaxDepth)
                 .ok());
    if (message.kind == rc::bridge::MessageKind::batch) {
      static_cast<void>(rc::bridge::batch_content(message.line));
    }
    if (message.kind == rc::bridge::MessageKind::request) {
      static_cast<void>(message.tool());
      static_cast<void>(rc::bridge::join_arguments(message.params()));
      static_cast<void>(rc::bridge::has_cursor(message.line));
      RC_CHECK(rc::base::validate_json(rc::bridge::with_cursor(message.line, "\"c\""),
                                       rc::bridge::kMaxDepth + 1)
                   .ok());
    }
  }
  return 0;
}
