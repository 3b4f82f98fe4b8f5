#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"

// Read, edit and replace a file of another program, so that two editors never lose each other's
// work.
namespace robot_council::base {

struct FileEdit {
  std::string path;         // a link is kept, its target is replaced
  std::string lock_folder;  // private; the lock is <folder>/<32 hex of SHA-256(real path)>
  std::size_t max_bytes = 0;
  unsigned new_mode = 0600;    // of a new file; an old one keeps its mode
  bool private_folder = true;  // missing folders are made 0700, else as the umask says
  // The new bytes for the old ones (nothing: no file); nothing: the file goes. Called again when
  // another program wrote meanwhile.
  std::function<Result<std::optional<std::string>>(const std::optional<std::string>&)> build;
  // Checks what is read back; an error puts the old bytes back. Optional.
  std::function<Status(const std::optional<std::string>& before, std::string_view after)> verify;
  // A copy of the old bytes is kept here before the first change, with the old mode; "" = none. Not
  // written if it is there.
  std::string backup;
};

struct FileEdited {
  bool changed = false;
  bool made = false;  // there was no file
  bool removed = false;
  std::optional<std::string> before;
};

// Lock (5 s), read, build, read again (other bytes: start over, 5 times), temporary file beside the
// target with the same mode, fsync, rename, fsync of the folder, read back. A killed editor leaves
// the old bytes or the new ones. Errors  busy: the lock is held, or other programs wrote each time;
// what build and verify say; invalid: no regular file, over
//         max_bytes; refused, io. The old bytes are then in place.
[[nodiscard]] Result<FileEdited> edit_file(const FileEdit& edit, SteadyTime lock_deadline);

}  // namespace robot_council::base
