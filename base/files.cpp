#include "base/files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>
#include <span>

#include "base/fd.hpp"

namespace robot_council::base {
namespace {

constexpr unsigned kPermissionBits = 07777;
constexpr unsigned kOthersBits = 077;

FileInfo info_of(const struct stat& status) {
  FileInfo info;
  if (S_ISREG(status.st_mode)) {
    info.kind = FileKind::regular;
  } else if (S_ISDIR(status.st_mode)) {
    info.kind = FileKind::directory;
  } else if (S_ISLNK(status.st_mode)) {
    info.kind = FileKind::symlink;
  }
  info.mode = status.st_mode & kPermissionBits;
  info.owner = status.st_uid;
  info.size = status.st_size;
  info.modified_ms =
      static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1000 + status.st_mtim.tv_nsec / 1000000;
  info.device = status.st_dev;
  info.inode = status.st_ino;
  return info;
}

Status check_private(const std::string& path, FileKind kind) {
  auto info = file_info(path, Links::dont);
  if (!info) {
    return info.error();
  }
  if (info->kind == FileKind::symlink) {
    return Error{Errc::refused, "`" + path + "` is a symbolic link"};
  }
  if (info->kind != kind) {
    return Error{Errc::refused, "`" + path + "` is not a " +
                                    (kind == FileKind::regular ? "regular file" : "folder")};
  }
  if (info->owner != ::geteuid()) {
    return Error{Errc::refused, "`" + path + "` belongs to another user"};
  }
  if ((info->mode & kOthersBits) != 0) {
    return Error{Errc::refused, "`" + path + "` is readable by more than its owner"};
  }
  return {};
}

}  // namespace

Result<FileInfo> file_info(const std::string& path, Links links) {
  struct stat status {};
  const int got =
      links == Links::follow ? ::stat(path.c_str(), &status) : ::lstat(path.c_str(), &status);
  if (got != 0) {
    return errno_error("look at " + path);
  }
  return info_of(status);
}

Result<FileInfo> file_info(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) {
    return errno_error("look at an open file");
  }
  return info_of(status);
}

bool exists(const std::string& path) {
  return file_info(path, Links::dont).ok();
}

Result<std::string> read_file(const std::string& path, std::size_t max_bytes, Links links) {
  auto fd =
      open_file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | (links == Links::dont ? O_NOFOLLOW : 0));
  if (!fd) {
    return fd.error();
  }
  auto info = file_info(fd->get());
  if (!info) {
    return info.error();
  }
  if (info->kind != FileKind::regular) {
    return Error{Errc::invalid, "read " + path + ": not a regular file"};
  }
  if (info->size > 0 && static_cast<std::uint64_t>(info->size) > max_bytes) {
    return Error{Errc::invalid,
                 "read " + path + ": larger than " + std::to_string(max_bytes) + " bytes"};
  }
  // Read in place: a buffer on the stack would touch pages that a file of a line does not need. One
  // byte more than the file has, so that its end is seen; some files of the kernel's say 0.
  constexpr std::size_t kFirst = 4096;
  std::string content(info->size > 0 ? static_cast<std::size_t>(info->size) + 1 : kFirst, '\0');
  std::size_t used = 0;
  while (true) {
    if (used == content.size()) {
      content.resize(2 * used);  // it grew meanwhile
    }
    auto got = read_some(fd->get(), std::span<char>(content).subspan(used));
    if (!got) {
      return Error{got.error().code, "read " + path + ": " + got.error().what};
    }
    if (*got == 0) {
      content.resize(used);
      return content;
    }
    used += *got;
    if (used > max_bytes) {
      return Error{Errc::invalid,
                   "read " + path + ": larger than " + std::to_string(max_bytes) + " bytes"};
    }
  }
}

Result<std::string> real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> resolved(::realpath(path.c_str(), nullptr),
                                                             &std::free);
  if (!resolved) {
    return errno_error("resolve " + path);
  }
  return std::string(resolved.get());
}

Result<std::string> working_directory() {
  std::array<char, PATH_MAX> path{};
  if (::getcwd(path.data(), path.size()) == nullptr) {
    return errno_error("working directory");
  }
  return std::string(path.data());
}

Result<std::vector<std::string>> list_directory(const std::string& path, std::size_t max_names) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), &::closedir);
  if (!folder) {
    return errno_error("list " + path);
  }
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(folder.get());
    if (entry == nullptr) {
      if (errno != 0) {
        return errno_error("list " + path);
      }
      break;
    }
    std::string name = static_cast<const char*>(entry->d_name);
    if (name == "." || name == "..") {
      continue;
    }
    if (names.size() == max_names) {
      return Error{Errc::invalid,
                   "list " + path + ": more than " + std::to_string(max_names) + " names"};
    }
    names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Status make_private_directory(const std::string& path) {
  if (path.empty() || path.front() != '/') {
    return Error{Errc::invalid, "make folder " + path + ": not an absolute path"};
  }
  for (std::size_t at = 1; at <= path.size(); ++at) {
    if (at != path.size() && path[at] != '/') {
      continue;
    }
    const std::string part = path.substr(0, at);
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) {
      const int why = errno;
      // A parent that exists behind a mount or permission may refuse mkdir with another errno.
      if (!exists(part)) {
        return errno_error("make folder " + part, why);
      }
    }
  }
  auto info = file_info(path, Links::dont);
  if (!info) {
    return info.error();
  }
  if (info->kind == FileKind::symlink) {
    return Error{Errc::refused, "make folder " + path + ": it is a symbolic link"};
  }
  if (info->kind != FileKind::directory) {
    return Error{Errc::invalid, "make folder " + path + ": it is not a folder"};
  }
  if (info->owner != ::geteuid()) {
    return Error{Errc::refused, "make folder " + path + ": it belongs to another user"};
  }
  if (info->mode != 0700) {
    return set_mode(path, 0700);
  }
  return {};
}

Status check_private_directory(const std::string& path) {
  return check_private(path, FileKind::directory);
}

Status check_private_file(const std::string& path) {
  if (auto file = check_private(path, FileKind::regular); !file) {
    return file;
  }
  return check_private_directory(parent_path(path));
}

Status remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0) {
    return errno_error("remove " + path);
  }
  return {};
}

Status rename_file(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    return errno_error("rename " + from + " to " + to);
  }
  return {};
}

Status set_mode(const std::string& path, unsigned mode) {
  if (::chmod(path.c_str(), mode) != 0) {
    return errno_error("set the mode of " + path);
  }
  return {};
}

Status sync_directory(const std::string& path) {
  auto fd = open_file(path, O_RDONLY | O_DIRECTORY);
  if (!fd) {
    return fd.error();
  }
  if (::fsync(fd->get()) != 0 && errno != EINVAL) {  // some file systems cannot sync a folder
    return errno_error("sync " + path);
  }
  return {};
}

Status touch_file(const std::string& path) {
  auto fd = open_file(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (!fd) {
    return fd.error();
  }
  if (::futimens(fd->get(), nullptr) != 0) {
    return errno_error("touch " + path);
  }
  return {};
}

std::string join_path(std::string_view folder, std::string_view name) {
  std::string path(folder);
  if (path.empty() || path.back() != '/') {
    path += '/';
  }
  path += name;
  return path;
}

std::string parent_path(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos) {
    return ".";
  }
  return slash == 0 ? "/" : std::string(path.substr(0, slash));
}

std::string base_name(std::string_view path) {
  const auto slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

}  // namespace robot_council::base
