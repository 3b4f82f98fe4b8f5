#include "fleet/presence.hpp"

#include <algorithm>

namespace robot_council::fleet {

namespace {

void raise(std::optional<std::int64_t>& time, std::int64_t to) {
  time = std::max(time.value_or(to), to);
}

}  // namespace

void Presence::contact(std::int64_t session_id, std::int64_t now) {
  const base::MutexLock lock(mu_);
  raise(times_[session_id].contact, now);
}

void Presence::watcher(std::int64_t session_id, std::int64_t now) {
  const base::MutexLock lock(mu_);
  raise(times_[session_id].watcher, now);
}

Presence::Times Presence::of(std::int64_t session_id) const {
  const base::MutexLock lock(mu_);
  const auto found = times_.find(session_id);
  return found == times_.end() ? Times{} : found->second;
}

bool Presence::dirty() const {
  const base::MutexLock lock(mu_);
  return !times_.empty();
}

void Presence::flush(Transaction& transaction) {
  const base::MutexLock lock(mu_);
  flushed_ = times_;
  for (const auto& [session_id, times] : flushed_) {
    if (times.contact) {
      transaction.execute(
          "UPDATE sessions SET contact_at = ? WHERE id = ? AND contact_at < ? AND status <> 'gone'",
          {*times.contact, session_id, *times.contact});
    }
    if (times.watcher) {
      transaction.execute(
          "UPDATE sessions SET watcher_at = ? WHERE id = ? AND COALESCE(watcher_at, 0) < ?",
          {*times.watcher, session_id, *times.watcher});
    }
  }
}

void Presence::forget_flushed() {
  const base::MutexLock lock(mu_);
  for (const auto& [session_id, times] : flushed_) {
    const auto found = times_.find(session_id);
    // A time that came after the flush stays for the next one.
    if (found != times_.end() && found->second.contact == times.contact &&
        found->second.watcher == times.watcher) {
      times_.erase(found);
    }
  }
  flushed_.clear();
}

}  // namespace robot_council::fleet
