#pragma once

#include <string>
#include <string_view>

namespace robot_council::brake {

// The three refusals (wiki/Brake.md, "texts"). Every client shows them to its agent.

// `stopped: <reason> -- do not retry ...`. The reason is cleaned here too.
[[nodiscard]] std::string stopped_text(std::string_view reason);
// `stopped: a stop file could not be read (<path>); a person must run resume -- ...`
[[nodiscard]] std::string unreadable_text(std::string_view path);
// `stopped: the stop check could not run; a person must look -- ...`
[[nodiscard]] std::string cannot_run_text();

// A reason as it is stored and shown: control characters and line breaks become blanks, bad UTF-8
// U+FFFD, trimmed, at most kMaxReasonBytes on a character boundary; "stopped by a person" when
// nothing is left.
[[nodiscard]] std::string clean_reason(std::string_view reason);
// The same cleaning for another one-line field, without a limit and without the default.
[[nodiscard]] std::string clean_line(std::string_view text);

}  // namespace robot_council::brake
