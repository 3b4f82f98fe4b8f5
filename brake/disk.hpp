#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <string>

namespace robot_council::brake {

// The few calls of the check, with their errno: what an error means differs by its number (ENOENT
// is "no stop", EACCES refuses), and nothing is allocated for the common "not there".

// lstat(2) and stat(2): 0 or errno.
[[nodiscard]] int look(const std::string& path, struct ::stat* into);
[[nodiscard]] int look_through(const std::string& path, struct ::stat* into);
// Whether errno says that the path is not there: ENOENT, ENOTDIR.
[[nodiscard]] bool is_absent(int error_number);
[[nodiscard]] std::string errno_words(int error_number);

// A regular file's bytes: lstat first, then O_NOFOLLOW|O_NONBLOCK, so that a link, FIFO or device
// neither leads elsewhere nor blocks. 0, errno, or EFBIG over max_bytes, EFTYPE-like EINVAL for no
// regular file.
[[nodiscard]] int read_regular(const std::string& path, std::size_t max_bytes, std::string* into);
// The same for files that git wrote, links followed.
[[nodiscard]] int read_followed(const std::string& path, std::size_t max_bytes, std::string* into);

}  // namespace robot_council::brake
