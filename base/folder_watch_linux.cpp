#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "base/folder_watch.hpp"

namespace robot_council::base {

namespace {

constexpr std::uint32_t kMask = IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE |
                                IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
constexpr std::size_t kEventBytes = 16UL * 1024;  // some hundred events a read

}  // namespace

Result<FolderWatch> FolderWatch::open(const std::string& folder) {
  Fd fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!fd.valid()) {
    return errno_error("inotify");
  }
  if (::inotify_add_watch(fd.get(), folder.c_str(), kMask) < 0) {
    return errno_error("watch " + folder);
  }
  return FolderWatch(std::move(fd));
}

FolderWatch::Seen FolderWatch::take(std::string_view name_prefix) {
  Seen seen = Seen::nothing;
  alignas(inotify_event) std::array<char, kEventBytes> buffer{};
  while (true) {
    const Result<std::size_t> got = read_some(fd_.get(), buffer);
    if (!got.ok() || *got == 0) {
      return seen;
    }
    for (std::size_t at = 0; at + sizeof(inotify_event) <= *got;) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof(event));
      const char* name = buffer.data() + at + sizeof(event);
      if ((event.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)) != 0) {
        seen = Seen::gone;
      } else if (seen != Seen::gone &&
                 ((event.mask & IN_Q_OVERFLOW) != 0 ||
                  (event.len > 0 && std::string_view(name).starts_with(name_prefix)))) {
        seen = Seen::change;
      }
      at += sizeof(event) + event.len;
    }
  }
}

}  // namespace robot_council::base
