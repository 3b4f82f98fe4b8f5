#pragma once

#include <string>
#include <vector>

#include "base/environment.hpp"

namespace robot_council::brake {

// The home folders that hold this user's stop files: the password database's (/etc/passwd, read as
// a file; the name service only if the user is not in it) and $HOME when it is absolute and
// different. XDG variables are not looked at: a hook and a terminal may have different ones. Empty:
// none can be told.
[[nodiscard]] std::vector<std::string> find_homes(const base::Environment& environment);

// "<home>/.robot-council/stops", and the machine's stop file in it.
[[nodiscard]] std::string stops_folder(const std::string& home);
[[nodiscard]] std::string everywhere_file(const std::string& home);

// The home folder of `uid` in the text of /etc/passwd, "" if it is not there.
[[nodiscard]] std::string home_in_passwd(const std::string& passwd, unsigned uid);

}  // namespace robot_council::brake
