#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "base/json_scan.hpp"
#include "base/utf8.hpp"
#include "stops/local_judge.hpp"
#include "stops/redact.hpp"
#include "stops/tail.hpp"

// Any text as a closing message: redaction stays UTF-8 and changes nothing the second time, the
// state is JSON, and judge local answers.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace robot_council;  // NOLINT(google-build-using-namespace): inside one function
  const std::string text = base::to_utf8(std::string_view(
      reinterpret_cast<const char*>(data),
      size));  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast): the fuzzer's type
  const stops::Redacted once = stops::redact(text);
  RC_CHECK(base::is_utf8(once.text));
  RC_CHECK(stops::redact(once.text).text == once.text);
  const stops::Tail tail = stops::cut_tail(once.text, 200);
  RC_CHECK(tail.chars <= 200);
  const std::string state = stops::state_json(tail);
  RC_CHECK(base::validate_json(state, 4).ok());
  const stops::JudgeResult result = stops::ask_local({{{"asks_approval", "x", {}}}, state});
  RC_CHECK(std::holds_alternative<stops::Reply>(result));
  return 0;
}
