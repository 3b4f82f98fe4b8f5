#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace robot_council::stop_hook {

// File name of the script, in the source tree (resources/stop-hook/), installed, and where setup
// puts a filled copy.
inline constexpr std::string_view kScriptName = "robot-council-stop-hook";

// The values in the marked lines at the top of the script. "" = the script takes the variable of
// that name.
struct ScriptValues {
  std::string version;  // of the program that filled it; for people and doctor
  std::string service;  // ROBOT_COUNCIL_SERVICE
  std::string harness;  // ROBOT_COUNCIL_HARNESS
  std::string program;  // ROBOT_COUNCIL_BIN, an absolute path
  std::string project;  // ROBOT_COUNCIL_PROJECT
  std::string rounds;   // ROBOT_COUNCIL_ROUNDS
  std::string midturn;  // ROBOT_COUNCIL_MIDTURN
  // Codex only: XDG_STATE_HOME of its server entry, "" = the entry has none, so that the script
  // unsets it. Nothing: the script leaves the variable alone, as every other harness needs it.
  std::optional<std::string> state_home;
  bool operator==(const ScriptValues&) const = default;
};

// The script with these values in place of those it has. Bytes outside the marked lines stay.
// Errors  invalid: the marks are missing, or a value has a control character or is no UTF-8.
[[nodiscard]] base::Result<std::string> fill_script(std::string_view script,
                                                    const ScriptValues& values);

// The values of a script. Errors: invalid: the marks are missing, so that it is none of ours or of
// an earlier program.
[[nodiscard]] base::Result<ScriptValues> read_script(std::string_view script);

}  // namespace robot_council::stop_hook
