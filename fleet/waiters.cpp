#include "fleet/waiters.hpp"

#include <algorithm>

#include "fleet/limits.hpp"

namespace robot_council::fleet {

bool Waiters::add(std::uint64_t request, const Waiter& waiter) {
  const base::MutexLock lock(mu_);
  auto& own = of_session_[waiter.reader.session_id];
  const std::size_t most = waiter.reader.session_id == 0 ? kHeldOfOperator : kHeldOfSession;
  if (held_.size() >= max_held_ || own.size() >= most) {
    if (own.empty()) {
      of_session_.erase(waiter.reader.session_id);
    }
    return false;
  }
  own.insert(request);
  held_[request] = waiter;
  return true;
}

std::optional<Waiter> Waiters::find(std::uint64_t request) const {
  const base::MutexLock lock(mu_);
  const auto found = held_.find(request);
  return found == held_.end() ? std::nullopt : std::optional<Waiter>(found->second);
}

void Waiters::remove(std::uint64_t request) {
  const base::MutexLock lock(mu_);
  const auto found = held_.find(request);
  if (found == held_.end()) {
    return;
  }
  const auto own = of_session_.find(found->second.reader.session_id);
  if (own != of_session_.end()) {
    own->second.erase(request);
    if (own->second.empty()) {
      of_session_.erase(own);
    }
  }
  held_.erase(found);
}

std::vector<std::uint64_t> Waiters::who_sees(const std::vector<StoredEvent>& events) const {
  std::vector<std::uint64_t> woken;
  if (events.empty()) {
    return woken;
  }
  const base::MutexLock lock(mu_);
  for (const auto& [request, waiter] : held_) {
    const bool sees =
        std::any_of(events.begin(), events.end(), [&w = waiter](const StoredEvent& event) {
          return event.id > w.after && event.visibility.seen_by(w.reader);
        });
    if (sees) {
      woken.push_back(request);
    }
  }
  return woken;
}

std::vector<std::uint64_t> Waiters::end_sessions(const std::vector<std::int64_t>& sessions) {
  std::vector<std::uint64_t> woken;
  const base::MutexLock lock(mu_);
  for (const std::int64_t session : sessions) {
    const auto own = of_session_.find(session);
    if (session == 0 || own == of_session_.end()) {
      continue;
    }
    for (const std::uint64_t request : own->second) {
      held_[request].ended = true;
      woken.push_back(request);
    }
  }
  return woken;
}

std::size_t Waiters::count() const {
  const base::MutexLock lock(mu_);
  return held_.size();
}

}  // namespace robot_council::fleet
