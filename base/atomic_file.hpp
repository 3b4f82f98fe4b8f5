#pragma once

#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace robot_council::base {

enum class Sync : unsigned char {
  yes,  // the data and the folder reach the disk before commit() returns
  no,   // best-effort side files
};

// Replaces a file as a whole: readers see the old bytes or the new ones. Writes to
// "<path>.tmp.<pid>.<n>" beside it, commit() syncs and renames. Without a commit the destructor
// removes the temporary file; the old file stays.
class AtomicFile {
 public:
  // mode: permission bits of the new file, whatever the umask. Errors: refused, not_found (folder),
  // io.
  [[nodiscard]] static Result<AtomicFile> create(const std::string& path, unsigned mode = 0600);
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) noexcept;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  [[nodiscard]] Status write(std::string_view bytes);
  [[nodiscard]] Status commit(Sync sync);

 private:
  AtomicFile(Fd fd, std::string path, std::string temporary);
  void discard();
  Fd fd_;
  std::string path_;
  std::string temporary_;
};

// create, write, commit.
[[nodiscard]] Status replace_file(const std::string& path, std::string_view bytes, Sync sync,
                                  unsigned mode = 0600);

}  // namespace robot_council::base
