#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "harness/brake_entry.hpp"

// The marked block in mistral_vibe's hooks.toml. The file is read as TOML to judge it, and edited
// as text.
namespace robot_council::harness {

// Both marker lines included, with a final newline.
[[nodiscard]] std::string brake_toml_block(std::string_view command, bool old_event_name);

// Appends the block, or replaces the one that is there. invalid: no TOML, `hooks` is a plain table
// or value, or the result would be no TOML with our hook in it.
[[nodiscard]] base::Result<BrakeEdit> wire_brake_toml(std::string_view text,
                                                      const std::string& block);
[[nodiscard]] base::Result<BrakeEdit> unwire_brake_toml(std::string_view text);

}  // namespace robot_council::harness
