#pragma once

#include <string>
#include <string_view>

namespace robot_council::harness {

// Whether one statement of a TOML text has more dotted parts than kMaxTomlParts. The library bounds
// the depth of brackets but not that of `a.a.a.a = 1`, and takes such a tree down by recursion: a
// file of 40 kB ends the process. Strings and comments do not count; in doubt the answer is no, and
// the parser says what is wrong.
[[nodiscard]] bool toml_too_deep(std::string_view text);

// A text as the library may see it, without characters from U+0080 to U+FFFF, and back what was
// read of it. `text` is valid UTF-8.
[[nodiscard]] std::string shield_toml(std::string_view text);
[[nodiscard]] std::string unshield_toml(std::string_view text);

}  // namespace robot_council::harness
