#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/environment.hpp"
#include "base/result.hpp"

namespace robot_council::brake {

// What to do with a file.
struct Edited {
  enum class Kind : std::uint8_t { keep, write, remove };
  Kind kind = Kind::keep;
  std::string text;
  bool keep_backup = false;
  std::optional<std::string> before;  // filled by edit_file: what it read; nothing: no file
};
// From the content (nothing when the file is not there) to the edit. An error means: leave the file
// alone.
using Editor = std::function<base::Result<Edited>(const std::optional<std::string>& text)>;

enum class DryRun : std::uint8_t { yes, no };

// Locked read, edit, replace of a client's settings file: lock <data>/locks/<32 hex of SHA-256 of
// the path> (kEditLockWait), read, edit, read again (other bytes: start over, kEditTries times),
// temporary file beside the link's target with the same mode, fsync, rename, read back. A new file
// is 0600 in folders of 0700 (`shared`: by the umask, for files that are committed). With
// keep_backup the old bytes go first, with their mode, to <path> + kBackupSuffix; a backup that is
// there is the older one and stays, until an edit gives its bytes back. A dry run edits and writes
// nothing.
inline constexpr std::string_view kBackupSuffix = ".robot-council-brake-backup";
enum class NewFile : std::uint8_t { personal, shared };
[[nodiscard]] base::Result<Edited> edit_file(const base::Environment& environment,
                                             const std::string& path, NewFile new_file,
                                             DryRun dry_run, const Editor& editor);

}  // namespace robot_council::brake
