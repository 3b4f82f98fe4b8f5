// One line of a transcript as the stop report reads it, and the label of its words.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "base/utf8.hpp"
#include "stops/html_parts.hpp"
#include "stops/label.hpp"
#include "stops/transcript_line.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace stops = robot_council::stops;
  const std::string_view bytes(
      reinterpret_cast<const char*>(data),  // NOLINT: the fuzzer's bytes are text
      size);
  static_cast<void>(stops::worth_parsing(bytes));
  if (const auto line = stops::classify_line(bytes)) {
    RC_CHECK(robot_council::base::is_utf8(line->text));
    static_cast<void>(stops::label_reply({line->text, line->attachment}));
    RC_CHECK(stops::html::escape(line->text).find('<') == std::string::npos);
  }
  return 0;
}
