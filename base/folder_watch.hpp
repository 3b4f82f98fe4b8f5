#pragma once

#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace robot_council::base {

// Tells that files in a folder were made, written, renamed or removed, without polling (Linux
// inotify). What other machines do on a network file system is not seen. Threads: one.
class FolderWatch {
 public:
  // Errors: unsupported: not to be had on this system; not_found: no such folder; io: the system's
  // limit of watches.
  [[nodiscard]] static Result<FolderWatch> open(const std::string& folder);

  // Readable when something happened.
  [[nodiscard]] int fd() const { return fd_.get(); }

  enum class Seen : unsigned char {
    nothing,  // only names that do not begin with the prefix
    change,   // a matching name; or events were lost, so that one may have changed
    gone,     // the folder itself was removed or moved: open a new watch
  };
  // Reads all that happened since the last call; never waits.
  [[nodiscard]] Seen take(std::string_view name_prefix);

 private:
  explicit FolderWatch(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

}  // namespace robot_council::base
