#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace robot_council::cli {

// The completion script for a shell ("bash", "zsh", "fish"), made from the command table; nothing
// for another name.
[[nodiscard]] std::optional<std::string> completion_script(std::string_view shell);

}  // namespace robot_council::cli
