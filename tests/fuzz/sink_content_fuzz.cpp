#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.hpp"
#include "base/json_scan.hpp"
#include "base/utf8.hpp"
#include "pending/limits.hpp"
#include "pending/render.hpp"

// Any bytes as a stored entry. What is printed is UTF-8 without control bytes, one entry never
// looks like two, and an answer is JSON within its budget.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace robot_council;  // NOLINT(google-build-using-namespace): inside one function
  using namespace robot_council::pending;  // NOLINT(google-build-using-namespace): inside one
                                           // function
  sink::Entry row;
  row.json.assign(data, data + size);
  row.event_id = 7;
  row.maybe = size % 2 == 0;
  const std::string line = entry_line(row.json);
  RC_CHECK(base::is_utf8(line) && !line.empty() && line.front() == '[');
  RC_CHECK(base::without_controls(line, base::Keep::line_breaks_and_tabs) == line);
  for (std::size_t at = line.find('\n'); at != std::string::npos; at = line.find('\n', at + 1)) {
    RC_CHECK(line.compare(at, 3, "\n  ") == 0);
  }
  for (const Budget budget : {Budget::characters, Budget::codex_bytes}) {
    for (const Shape shape : {Shape::block, Shape::cursor, Shape::deny}) {
      const Answer answer = build_answer({row, row}, shape, budget);
      RC_CHECK(answer.rows >= 1 && base::validate_json(answer.bytes, 4).ok());
      if (budget == Budget::characters) {
        RC_CHECK(base::count_utf16(answer.bytes) <= kMaxAnswerJson);
      } else {
        const char* key = shape == Shape::cursor ? "followup_message" : "reason";
        RC_CHECK(base::json_unescape(base::json_member(answer.bytes, key)).size() <=
                 kMaxCodexBytes);
      }
    }
  }
  return 0;
}
