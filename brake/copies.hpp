#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/file_lock.hpp"
#include "base/result.hpp"
#include "brake/repository.hpp"
#include "brake/stop_file.hpp"

namespace robot_council::brake {

// Writing and removing stop files. Readers take no lock: each file is replaced by rename, so it is
// whole at every instant.

// A home that exists and belongs to this user; only such a home is written to.
[[nodiscard]] bool is_own_home(const std::string& home);

// The paths of one stop, in the order in which they are written and removed: home copies first, so
// that the stop is on (or still on) when the process dies in between.
struct CopyPaths {
  std::vector<std::string> home;        // in homes of this user
  std::vector<std::string> repository;  // main checkout's; empty for the machine
  std::vector<std::string>
      read_only;  // further copies that count: in foreign homes, of this worktree
  [[nodiscard]] std::vector<std::string> all() const;
};
[[nodiscard]] CopyPaths copy_paths(const std::vector<std::string>& homes,
                                   const Repository& repository, const std::string& worktree);
[[nodiscard]] CopyPaths everywhere_paths(const std::vector<std::string>& homes);

// Writes one copy: its folders made 0700, "<name>.tmp.<pid>" beside it (O_EXCL, no link followed),
// fsync, rename, fsync of the folder. refused: a folder on the way, `.robot-council` or `stops`, is
// not this user's.
[[nodiscard]] base::Status write_copy(const std::string& path, const Stop& stop);
// Removes one copy, whatever it is; a folder only if it is empty. Not there: ok.
[[nodiscard]] base::Status remove_copy(const std::string& path);
// The `.robot-council` of a checkout's copy goes too when nothing is left in it: it was made for
// the copy. Not a home's: that one holds the lock. Best effort.
void remove_empty_folder(const std::string& checkout_copy);

// The writers' locks S/.lock of the own homes, so that a stop and a resume do not interleave. The
// check takes none.
struct WriterLocks {
  std::vector<base::FileLock> held;
  bool all = true;      // every own home's lock was had before the deadline
  std::string problem;  // why not
};
[[nodiscard]] WriterLocks lock_writers(const std::vector<std::string>& homes,
                                       base::SteadyTime deadline);

}  // namespace robot_council::brake
