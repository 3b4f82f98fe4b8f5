#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/fd.hpp"
#include "base/result.hpp"

namespace robot_council::base {

// An exclusive flock(2) on a file, held until this object or the process dies; the kernel frees it
// then, also after SIGKILL. The file stays. Not inherited by children (close-on-exec).
class FileLock {
 public:
  // One try. The file is made 0600 if missing. busy: held by another; refused: a link or another
  // user's.
  [[nodiscard]] static Result<FileLock> try_acquire(const std::string& path);
  // Tries every `step` until the deadline. busy: still held then.
  [[nodiscard]] static Result<FileLock> acquire(const std::string& path, SteadyTime deadline,
                                                Milliseconds step = Milliseconds(50));

  // Writes "<pid>\n" into the file, for people and for owner().
  [[nodiscard]] Status write_owner();
  // Device and inode are still those of the file at `path`.
  [[nodiscard]] bool still_at_path() const;
  void release() { fd_.reset(); }

  // The pid inside, whoever holds the lock; nothing if there is none.
  [[nodiscard]] static std::optional<std::int64_t> owner(const std::string& path);
  // Whether some process holds it now: true, false (also: no file). Creates nothing.
  [[nodiscard]] static Result<bool> held(const std::string& path);

 private:
  FileLock(Fd fd, std::string path);
  Fd fd_;
  std::string path_;
};

}  // namespace robot_council::base
