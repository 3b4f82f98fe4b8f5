#pragma once

#include <string>

#include "base/environment.hpp"

namespace robot_council::base {

// Where a person's files are (architecture, section 6). An XDG variable counts only if it is not
// blank and absolute; one trailing "/" or more is removed. Nothing is created and nothing is ever
// relative to the working directory.

// Non-blank HOME, else the password database's, else the temporary folder.
[[nodiscard]] std::string home_directory(const Environment& environment);
// XDG_STATE_HOME, else <home>/.local/state.
[[nodiscard]] std::string state_home(const Environment& environment);
// XDG_CONFIG_HOME, else <home>/.config; with "/robot-council".
[[nodiscard]] std::string config_directory(const Environment& environment);
// XDG_DATA_HOME, else <home>/.local/share; with "/robot-council".
[[nodiscard]] std::string data_directory(const Environment& environment);
// state_home + "/robot-council/pending": the sinks.
[[nodiscard]] std::string pending_directory(const Environment& environment);
// TMPDIR if absolute, else /tmp.
[[nodiscard]] std::string temporary_directory(const Environment& environment);
// Real path of the running program (Linux /proc/self/exe); "" if not to be told.
[[nodiscard]] std::string own_executable();

}  // namespace robot_council::base
