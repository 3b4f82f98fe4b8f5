#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stop-hook/scan.hpp"

// The part of the scan whose lines the earlier program printed, byte for byte: four files of Claude
// Code, any command.
namespace robot_council::stop_hook {

struct RecordedScan {
  enum class Verdict : std::uint8_t { none, found, disabled };
  std::vector<std::string> unreadable;  // whole lines, in the order of the files
  Verdict verdict = Verdict::none;
  std::string file;  // of found, disabled
};

// CLAUDE_CONFIG_DIR, else <home>/.claude; "" when there is neither.
[[nodiscard]] std::string claude_user_folder(const base::Environment& environment);
// Non-blank HOME, else USERPROFILE, else "".
[[nodiscard]] std::string scan_home(const base::Environment& environment);

[[nodiscard]] RecordedScan scan_recorded(const ScanWorld& world);

}  // namespace robot_council::stop_hook
