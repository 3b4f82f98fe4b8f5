#include "brake/repository.hpp"

#include <limits.h>  // NOLINT(modernize-deprecated-headers): PATH_MAX is POSIX
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): realpath() is POSIX
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <string_view>

#include "base/files.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "brake/disk.hpp"
#include "brake/limits.hpp"

namespace robot_council::brake {
namespace {

constexpr std::size_t kKeyDigits = 32;

struct Freed {
  // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): realpath(3) allocated it
  void operator()(char* bytes) const { ::free(bytes); }
};

// 0 or errno.
int resolve(const std::string& path, std::string* into) {
  if (path.find('\0') != std::string::npos) {
    return EINVAL;
  }
  const std::unique_ptr<char, Freed> real(::realpath(path.c_str(), nullptr));
  if (real == nullptr) {
    return errno;
  }
  *into = real.get();
  return 0;
}

// Real path of the path, or of its nearest parent that exists.
bool resolve_nearest(std::string path, std::string* into) {
  while (true) {
    const int error_number = resolve(path, into);
    if (error_number == 0) {
      return true;
    }
    if (!is_absent(error_number) || path == "/" || path == ".") {
      return false;
    }
    path = base::parent_path(base::without_trailing(path, '/'));
  }
}

std::string child_of(const std::string& folder, std::string_view name) {
  return base::join_path(folder, name);
}

bool is_there(const std::string& path) {
  struct ::stat info {};
  return look_through(path, &info) == 0;
}

bool is_git_directory(const std::string& folder) {
  return is_there(child_of(folder, "HEAD")) && is_there(child_of(folder, "objects")) &&
         is_there(child_of(folder, "refs"));
}

// Follows `commondir` of a git directory, given by its real path.
bool follow_commondir(const std::string& git_directory, std::string* common) {
  std::string text;
  const int error_number =
      read_followed(child_of(git_directory, "commondir"), kMaxGitFileBytes, &text);
  if (is_absent(error_number)) {
    *common = git_directory;
    return true;
  }
  if (error_number != 0) {
    return false;
  }
  const std::string target(base::trim(text));
  if (target.empty()) {
    return false;
  }
  return resolve(target.front() == '/' ? target : child_of(git_directory, target), common) == 0;
}

Repository make_repository(const std::string& common) {
  Repository repository;
  repository.common = common;
  repository.main_checkout = base::base_name(common) == ".git" ? base::parent_path(common) : common;
  repository.key = repository_key(common);
  return repository;
}

enum class Entry : unsigned char { none, followed, broken };

// The ".git" entry of a folder, given by its real path.
Entry follow_git_entry(const std::string& folder, std::string* common) {
  const std::string entry = child_of(folder, ".git");
  struct ::stat info {};
  const int error_number = look(entry, &info);
  if (is_absent(error_number)) {
    return Entry::none;
  }
  std::string git_directory;
  const mode_t link = info.st_mode;
  if (error_number != 0 || (S_ISLNK(link) && look_through(entry, &info) != 0)) {
    return Entry::broken;
  }
  if (S_ISDIR(info.st_mode)) {
    if (!S_ISLNK(link)) {
      git_directory = entry;  // below a real path and no link: its own real path
    } else if (resolve(entry, &git_directory) != 0) {
      return Entry::broken;  // LCOV_EXCL_LINE: a folder that vanishes between two calls
    }
    return follow_commondir(git_directory, common) ? Entry::followed : Entry::broken;
  }
  std::string text;
  constexpr std::string_view kHead = "gitdir:";
  if (read_followed(entry, kMaxGitFileBytes, &text) != 0 || text.rfind(kHead, 0) != 0) {
    return Entry::broken;
  }
  const std::string target(base::trim(std::string_view(text).substr(kHead.size())));
  if (target.empty() ||
      resolve(target.front() == '/' ? target : child_of(folder, target), &git_directory) != 0) {
    return Entry::broken;
  }
  return follow_commondir(git_directory, common) ? Entry::followed : Entry::broken;
}

void add_repository(Places& places, const std::string& common) {
  const bool known =
      std::any_of(places.repositories.begin(), places.repositories.end(),
                  [&common](const Repository& repository) { return repository.common == common; });
  if (!known) {
    places.repositories.push_back(make_repository(common));
  }
}

void walk_up(Places& places, std::string folder) {
  while (std::find(places.folders.begin(), places.folders.end(), folder) == places.folders.end()) {
    places.folders.push_back(folder);
    std::string common;
    const Entry entry = follow_git_entry(folder, &common);
    if (entry == Entry::followed) {
      add_repository(places, common);
    } else if (entry == Entry::broken) {
      places.unresolved = true;
    }
    if (is_git_directory(folder)) {
      if (follow_commondir(folder, &common)) {
        add_repository(places, common);
      } else {
        places.unresolved = true;
      }
    }
    if (folder == "/") {
      return;
    }
    folder = base::parent_path(folder);
  }
}

}  // namespace

std::string repository_key(const std::string& real_path) {
  return base::sha256_hex(real_path).substr(0, kKeyDigits);
}

std::string Repository::name() const {
  std::string last = base::base_name(main_checkout);
  constexpr std::string_view kEnd = ".git";
  if (last.size() > kEnd.size() &&
      last.compare(last.size() - kEnd.size(), kEnd.size(), kEnd) == 0) {
    last.resize(last.size() - kEnd.size());
  }
  return last;
}

std::string Repository::stop_file() const {
  return child_of(main_checkout, ".robot-council/stop.json");
}

Repository plain_folder(const std::string& folder) {
  return Repository{folder, folder, repository_key(folder), false};
}

Places find_places(const std::vector<std::string>& candidates) {
  Places places;
  for (auto at = candidates.begin(); at != candidates.end(); ++at) {
    const std::string& candidate = *at;
    if (candidate.empty() || std::find(candidates.begin(), at, candidate) != at) {
      continue;
    }
    std::string real;
    if (resolve_nearest(candidate, &real)) {
      walk_up(places, std::move(real));
    } else {
      places.unresolved = true;
    }
  }
  return places;
}

RepositoryAt repository_at(const std::string& folder) {
  RepositoryAt at;
  std::string real;
  struct ::stat info {};
  const int error_number = resolve(folder, &real);
  if (error_number != 0 || look_through(real, &info) != 0 || !S_ISDIR(info.st_mode)) {
    at.problem = "no directory";
    return at;
  }
  std::string common;
  for (std::string level = real;; level = base::parent_path(level)) {
    const Entry entry = follow_git_entry(level, &common);
    if (entry == Entry::broken) {
      at.problem = "its " + child_of(level, ".git") + " leads nowhere";
      return at;
    }
    const bool bare = entry == Entry::none && is_git_directory(level);
    if (bare && !follow_commondir(level, &common)) {
      at.problem = "its git directory cannot be followed";
      return at;
    }
    if (bare || entry == Entry::followed) {
      at.found = true;
      at.repository = make_repository(common);
      at.worktree = bare ? at.repository.main_checkout : level;
      return at;
    }
    if (level == "/") {
      break;
    }
  }
  at.found = true;
  at.repository = plain_folder(real);
  at.worktree = real;
  return at;
}

std::string process_directory() {
  std::array<char, PATH_MAX> buffer{};
  if (::getcwd(buffer.data(), buffer.size()) != nullptr) {
    // "(unreachable)" paths are not absolute.
    return buffer[0] == '/' ? std::string(buffer.data()) : std::string();
  }
  const ssize_t length = ::readlink("/proc/self/cwd", buffer.data(), buffer.size());
  // LCOV_EXCL_START: a system without /proc
  if (length <= 0 || buffer[0] != '/') {
    return {};
  }
  // LCOV_EXCL_STOP
  std::string path(buffer.data(), static_cast<std::size_t>(length));
  constexpr std::string_view kGone = " (deleted)";
  if (path.size() > kGone.size() &&
      path.compare(path.size() - kGone.size(), kGone.size(), kGone) == 0) {
    path.resize(path.size() - kGone.size());
  }
  return path;
}

}  // namespace robot_council::brake
