#pragma once

#include <string>
#include <string_view>

namespace robot_council::brake {

// What the check writes, and the exit code it ends with.
struct Answer {
  std::string out;
  std::string err;
  int code = 0;
};

// A refusal in the dialect of the client `id` (an unknown one: exit 2 and stderr alone). `text` is
// R, U or K; `event` the payload's event name, which vscode_copilot wants back ("" = PreToolUse).
[[nodiscard]] Answer refusal(std::string_view id, std::string_view text, std::string_view event);
// No opinion: silence, but for antigravity and cursor, where silence is an error or a prompt.
[[nodiscard]] Answer no_opinion(std::string_view id);

}  // namespace robot_council::brake
