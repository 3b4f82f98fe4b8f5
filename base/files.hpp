#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace robot_council::base {

enum class FileKind : std::uint8_t { regular, directory, symlink, other };

// What lstat(2) or stat(2) says. Times in ms since 1970.
struct FileInfo {
  FileKind kind = FileKind::other;
  unsigned mode = 0;  // permission bits, 07777
  unsigned owner = 0;
  std::int64_t size = 0;
  std::int64_t modified_ms = 0;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};

enum class Links : std::uint8_t { follow, dont };
[[nodiscard]] Result<FileInfo> file_info(const std::string& path, Links links);
[[nodiscard]] Result<FileInfo> file_info(int fd);
[[nodiscard]] bool exists(const std::string& path);

// A regular file's bytes. invalid: no regular file, or over max_bytes; never hangs on a FIFO or
// device.
[[nodiscard]] Result<std::string> read_file(const std::string& path, std::size_t max_bytes,
                                            Links links = Links::follow);
// realpath(3).
[[nodiscard]] Result<std::string> real_path(const std::string& path);
// getcwd(3).
[[nodiscard]] Result<std::string> working_directory();
// Names in a folder, without "." and "..", sorted by byte. invalid: over max_names.
[[nodiscard]] Result<std::vector<std::string>> list_directory(const std::string& path,
                                                              std::size_t max_names = 100000);

// Makes the folder and its missing parents, each new one 0700. An existing last folder is set to
// 0700 if it is ours and wider. refused: the last component is a link or another user's; invalid:
// no folder.
[[nodiscard]] Status make_private_directory(const std::string& path);
// Regular file, no link, owner us, mode & 077 = 0; the same for its folder. refused otherwise,
// `what` = the reason.
[[nodiscard]] Status check_private_file(const std::string& path);
[[nodiscard]] Status check_private_directory(const std::string& path);

[[nodiscard]] Status remove_file(const std::string& path);  // not_found is an error here
[[nodiscard]] Status rename_file(const std::string& from, const std::string& to);
// chmod(2).
[[nodiscard]] Status set_mode(const std::string& path, unsigned mode);
// Makes a rename or a new name in the folder durable.
[[nodiscard]] Status sync_directory(const std::string& path);
// mtime = now; creates an empty 0600 file if there is none.
[[nodiscard]] Status touch_file(const std::string& path);

// "a" + "/" + "b" without a doubled slash.
[[nodiscard]] std::string join_path(std::string_view folder, std::string_view name);
// Everything before the last "/": "/" for "/x", "." for "x".
[[nodiscard]] std::string parent_path(std::string_view path);
[[nodiscard]] std::string base_name(std::string_view path);

// Name of the file system under `path` if file locks are not reliable there ("nfs", "cifs", "9p",
// "afs", "ceph", "fuse"), "" if it is local. Linux statfs(2).
[[nodiscard]] Result<std::string> network_file_system(const std::string& path);

}  // namespace robot_council::base
