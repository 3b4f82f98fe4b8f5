#include "stop-hook/sink_watch.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/files.hpp"
#include "stop-hook/limits.hpp"

namespace robot_council::stop_hook {

namespace {

constexpr short kHangUp = POLLHUP | POLLERR | POLLNVAL;

}  // namespace

void SinkWatch::open_watch() {
  if (watch_) {
    return;
  }
  const base::Result<std::string> network = base::network_file_system(files_.folder);
  if (!network.ok() || !network->empty()) {
    return;
  }
  base::Result<base::FolderWatch> opened = base::FolderWatch::open(files_.folder);
  if (opened.ok()) {
    watch_.emplace(std::move(*opened));
  }
}

bool SinkWatch::hung_up() const {
  if (others_.hang_up_fd < 0) {
    return false;
  }
  pollfd entry{others_.hang_up_fd, 0, 0};
  return ::poll(&entry, 1, 0) > 0 && (entry.revents & kHangUp) != 0;
}

// One poll(2). Nothing: no reason to return yet. A change that comes before `earliest` is left
// unread, and noted.
std::optional<SinkWatch::Woke> SinkWatch::wait_once(base::SteadyTime deadline,
                                                    base::SteadyTime earliest) {
  std::array<pollfd, 3> entries = {{
      {others_.signals != nullptr ? others_.signals->fd() : -1, POLLIN, 0},
      {others_.hang_up_fd, 0, 0},
      {watch_ && !changed_early_ ? watch_->fd() : -1, POLLIN, 0},
  }};
  const int ready =
      ::poll(entries.data(), entries.size(), static_cast<int>(base::time_left(deadline).count()));
  if (ready < 0 && errno != EINTR) {
    return Woke::hung_up;  // nothing can be waited for any more
  }
  if (ready <= 0) {
    return std::nullopt;
  }
  if ((entries[0].revents & POLLIN) != 0 && others_.signals->take()) {
    return Woke::signal;
  }
  if ((entries[1].revents & kHangUp) != 0) {
    return Woke::hung_up;
  }
  if (entries[2].revents != 0) {
    if (base::time_left(earliest).count() > 0) {
      changed_early_ = true;
      return std::nullopt;
    }
    const base::FolderWatch::Seen seen = watch_->take(files_.key);
    if (seen == base::FolderWatch::Seen::gone) {
      watch_.reset();
    }
    if (seen != base::FolderWatch::Seen::nothing) {
      return Woke::look;
    }
  }
  return std::nullopt;
}

SinkWatch::Woke SinkWatch::sleep(base::SteadyTime deadline) {
  const base::SteadyTime earliest = base::deadline_in(kLookStep);
  const bool had_watch = watch_.has_value();
  open_watch();
  if (!had_watch && watch_) {
    deadline = earliest;  // what happened between the caller's look and this moment was not told
  }
  if (!watch_) {
    deadline = std::min(deadline, base::deadline_in(kPollStep));
  }
  deadline = std::max(deadline, earliest);
  // Changes within the first step are gathered: they stay in the watch and are read after it. A
  // quiet sleep is one wait.
  changed_early_ = false;
  while (true) {
    const base::SteadyTime until = changed_early_ ? earliest : deadline;
    if (base::time_left(until).count() > 0) {
      if (const std::optional<Woke> woke = wait_once(until, earliest)) {
        return *woke;
      }
    } else if (changed_early_) {
      changed_early_ = false;
    } else {
      break;
    }
  }
  return Woke::look;
}

}  // namespace robot_council::stop_hook
