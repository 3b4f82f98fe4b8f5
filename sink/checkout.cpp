#include "sink/checkout.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string_view>

#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "sink/limits.hpp"

namespace robot_council::sink {
namespace {

using base::Result;

bool is_absent(int error_number) {
  return error_number == ENOENT || error_number == ENOTDIR || error_number == EACCES ||
         error_number == ELOOP;
}

// stat(2) or lstat(2): nothing when absent.
Result<std::optional<struct ::stat>> look_at(const std::string& path, base::Links links) {
  struct ::stat info {};
  const int got =
      links == base::Links::follow ? ::stat(path.c_str(), &info) : ::lstat(path.c_str(), &info);
  if (got == 0) {
    return std::optional(info);
  }
  if (is_absent(errno)) {
    return std::optional<struct ::stat>();
  }
  return base::errno_error(path);
}

enum class Longer : unsigned char { cut, absent };

// The first bytes of a regular file; nothing when it is absent, no regular file, or
// (Longer::absent) too large.
Result<std::optional<std::string>> read_start(const std::string& path, std::size_t max_bytes,
                                              Longer longer) {
  const std::optional<std::string> nothing;
  int raw = -1;
  do {
    raw = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  } while (raw < 0 && errno == EINTR);
  if (raw < 0) {
    return is_absent(errno) || errno == ENXIO
               ? Result<std::optional<std::string>>(nothing)
               : Result<std::optional<std::string>>(base::errno_error(path));
  }
  const base::Fd fd(raw);
  struct ::stat info {};
  // LCOV_EXCL_START: fstat(2) of a descriptor that was just opened
  if (::fstat(fd.get(), &info) != 0) {
    return base::errno_error(path);
  }
  // LCOV_EXCL_STOP
  if (!S_ISREG(info.st_mode)) {
    return nothing;
  }
  std::string text;
  std::array<char, 4096> part{};
  while (text.size() <= max_bytes) {
    const ssize_t got = ::read(fd.get(), part.data(), part.size());
    // LCOV_EXCL_START: a signal in the middle of a read
    if (got < 0 && errno == EINTR) {
      continue;
    }
    // LCOV_EXCL_STOP
    if (got < 0) {
      return base::errno_error(path);
    }
    if (got == 0) {
      return std::optional(text);
    }
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  if (longer == Longer::absent) {
    return nothing;
  }
  text.resize(max_bytes);
  return std::optional(text);
}

std::string without_line_end(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
    text.pop_back();
  }
  return text.substr(0, text.find('\0'));
}

std::string against(const std::string& folder, const std::string& path) {
  return !path.empty() && path.front() == '/' ? path : base::join_path(folder, path);
}

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool names_a_commit(std::string_view head) {
  constexpr std::string_view kRef = "ref:";
  if (head.substr(0, kRef.size()) == kRef) {
    head.remove_prefix(kRef.size());
    while (!head.empty() &&
           std::string_view(" \t\n\r\v\f").find(head.front()) != std::string_view::npos) {
      head.remove_prefix(1);
    }
    return head.substr(0, 5) == "refs/";
  }
  constexpr std::size_t kShortestHash = 40;
  return head.size() >= kShortestHash &&
         std::all_of(head.begin(), head.begin() + kShortestHash, is_hex);
}

Result<bool> good_head(const std::string& folder) {
  const std::string path = base::join_path(folder, "HEAD");
  auto info = look_at(path, base::Links::dont);
  if (!info) {
    return info.error();
  }
  if (!info->has_value()) {
    return false;
  }
  if (S_ISLNK((*info)->st_mode)) {
    std::array<char, 256> target{};
    const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
    // LCOV_EXCL_START: a link that vanishes between two calls
    if (size < 0) {
      return is_absent(errno) ? Result<bool>(false) : Result<bool>(base::errno_error(path));
    }
    // LCOV_EXCL_STOP
    return std::string_view(target.data(), static_cast<std::size_t>(size)).substr(0, 5) == "refs/";
  }
  auto text = read_start(path, kMaxHeadBytes, Longer::cut);
  if (!text) {
    return text.error();
  }
  return text->has_value() && names_a_commit(**text);
}

// git asks for the right to enter, so that a folder of another user without it is passed over.
Result<bool> can_enter(const std::string& path) {
  if (::access(path.c_str(), X_OK) == 0) {
    return true;
  }
  return is_absent(errno) ? Result<bool>(false) : Result<bool>(base::errno_error(path));
}

Result<bool> is_git_directory(const std::string& folder) {
  auto head = good_head(folder);
  if (!head || !*head) {
    return head;
  }
  auto common = read_start(base::join_path(folder, "commondir"), kMaxGitFileBytes, Longer::absent);
  if (!common) {
    return common.error();
  }
  const std::string home =
      common->has_value() ? against(folder, without_line_end(**common)) : folder;
  for (const char* part : {"objects", "refs"}) {
    auto there = can_enter(base::join_path(home, part));
    if (!there || !*there) {
      return there;
    }
  }
  return true;
}

// The real path; a path that vanished in between is the path itself.
std::string real_or_same(const std::string& path) {
  return base::real_path(path).value_or(path);
}

struct Found {
  bool stop = false;     // no repository, whatever is above
  std::string git_path;  // the git directory, "" = not here
};

// `P/.git` as a file.
Result<Found> through_git_file(const std::string& folder, const std::string& git) {
  constexpr std::string_view kHead = "gitdir: ";
  auto text = read_start(git, kMaxGitFileBytes, Longer::absent);
  if (!text) {
    return text.error();
  }
  if (!text->has_value() || text->value().compare(0, kHead.size(), kHead) != 0) {
    return Found{true, {}};
  }
  const std::string target = without_line_end(text->value().substr(kHead.size()));
  if (target.empty()) {
    return Found{true, {}};
  }
  const std::string path = against(folder, target);
  auto good = is_git_directory(path);
  if (!good) {
    return good.error();
  }
  return *good ? Found{false, real_or_same(path)} : Found{true, {}};
}

// `folder` is a real path.
Result<Found> look_in(const std::string& folder) {
  const std::string git = base::join_path(folder, ".git");
  auto info = look_at(git, base::Links::dont);
  const bool link = info && info->has_value() && S_ISLNK((*info)->st_mode);
  if (link) {
    info = look_at(git, base::Links::follow);
  }
  if (!info) {
    return info.error();
  }
  if (info->has_value() && S_ISREG((*info)->st_mode)) {
    return through_git_file(folder, git);
  }
  for (const std::string& path : {git, folder}) {
    if (path == git && !info->has_value()) {
      continue;
    }
    auto good = is_git_directory(path);
    if (!good) {
      return good.error();
    }
    if (*good) {
      return Found{false, link && path == git ? real_or_same(path) : path};
    }
  }
  return Found{};
}

Result<Checkout> search(const std::string& start) {
  const Checkout none{start, CheckoutKind::folder};
  std::optional<dev_t> device;
  for (std::string folder = start;; folder = base::parent_path(folder)) {
    auto info = look_at(folder, base::Links::follow);
    // LCOV_EXCL_START: the path is a real one, so only a disk that fails gets here
    if (!info) {
      return info.error();
    }
    // LCOV_EXCL_STOP
    if (info->has_value()) {
      if (device && *device != (*info)->st_dev) {
        return none;
      }
      device = (*info)->st_dev;
    }
    auto found = look_in(folder);
    if (!found) {
      return found.error();
    }
    if (!found->git_path.empty()) {
      return Checkout{found->git_path, CheckoutKind::git_directory};
    }
    if (found->stop || folder == "/") {
      return none;
    }
  }
}

}  // namespace

Result<Checkout> find_checkout(const std::string& folder) {
  return find_checkout(folder, base::real_path(folder));
}

Result<Checkout> find_checkout(const std::string& folder, const Result<std::string>& real) {
  if (!real) {
    return Checkout{base::without_trailing(folder, '/'), CheckoutKind::folder};
  }
  return search(*real);
}

}  // namespace robot_council::sink
