#pragma once

namespace robot_council::sink {

// Name of a file system of SQLite's that opens a database at the path it is given: the usual one of
// this process, but that it does not complete the path. Completing asks lstat of each folder in it,
// at every turn end, and refuses a link in any of them; a home may lie behind one. A link at the
// file itself is still refused, by open(2) with O_NOFOLLOW. Paths that are not absolute cannot be
// opened. Any thread; nullptr when SQLite does not start, which is then its default and its error.
[[nodiscard]] const char* given_path_vfs();

}  // namespace robot_council::sink
