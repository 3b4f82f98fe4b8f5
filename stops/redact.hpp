#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace robot_council::stops {

struct Redacted {
  std::string text;
  std::vector<std::string> kinds;  // by first appearance, each once
};

// Replaces what has the shape of a credential by [REDACTED:kind]; scheme, user, host and variable
// names stay. Names, paths, URLs and customer data are not touched. Idempotent, linear; UTF-8 in,
// UTF-8 out. Threads: any.
[[nodiscard]] Redacted redact(std::string_view text);

}  // namespace robot_council::stops
