#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "base/json_scan.hpp"
#include "base/utf8.hpp"
#include "harness/limits.hpp"
#include "harness/payload.hpp"

// Any bytes as a hook's payload. What is read must be fit for the sink and for a strict parser.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace robot_council;  // NOLINT(google-build-using-namespace): inside one function
  const std::string_view bytes(
      reinterpret_cast<const char*>(data),
      size);  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast): the fuzzer's type
  harness::ObjectScanner whole;
  harness::ObjectScanner pieces;
  const harness::ObjectScanner::State state = whole.advance(bytes);
  pieces.advance(bytes.substr(0, size / 3));
  pieces.advance(bytes.substr(0, size / 2));
  RC_CHECK(pieces.advance(bytes) == state);
  RC_CHECK(state != harness::ObjectScanner::State::complete || pieces.end() == whole.end());
  const base::Result<harness::Payload> payload = harness::parse_payload(bytes);
  if (!payload.ok()) {
    return 0;
  }
  RC_CHECK(state == harness::ObjectScanner::State::complete);
  for (const harness::PayloadMember& member : payload->members) {
    RC_CHECK(base::is_utf8(member.key) && base::is_utf8(member.text));
    RC_CHECK(payload->member(member.key) == &member);
    if (member.kind != base::JsonKind::string) {
      RC_CHECK(base::validate_json(member.text, harness::kMaxPayloadDepth).ok());
    }
  }
  return 0;
}
