#include "bridge/inbox.hpp"

#include "bridge/limits.hpp"

namespace robot_council::bridge {

void WaitingRoom::Ticket::release() {
  if (room_ != nullptr) {
    std::exchange(room_, nullptr)->leave(bytes_);
  }
}

WaitingRoom::Ticket WaitingRoom::enter(std::size_t bytes) {
  const base::MutexLock lock(mu_);
  while (!wide_ && messages_ > 0 &&
         (messages_ >= kMaxWaitingMessages || bytes_ + bytes > kMaxWaitingBytes)) {
    room_.wait(mu_);
  }
  ++messages_;
  bytes_ += bytes;
  return {this, bytes};
}

void WaitingRoom::leave(std::size_t bytes) {
  {
    const base::MutexLock lock(mu_);
    --messages_;
    bytes_ -= bytes;
  }
  room_.notify_all();
}

void WaitingRoom::open_wide() {
  {
    const base::MutexLock lock(mu_);
    wide_ = true;
  }
  room_.notify_all();
}

void Inbox::push(Event event) {
  {
    const base::MutexLock lock(mu_);
    events_.push_back(std::move(event));
  }
  some_.notify_one();
}

std::optional<Event> Inbox::pop(std::optional<base::SteadyTime> deadline) {
  const base::MutexLock lock(mu_);
  while (events_.empty()) {
    if (!deadline) {
      some_.wait(mu_);
    } else if (!some_.wait_until(mu_, *deadline) && events_.empty()) {
      return std::nullopt;
    }
  }
  Event event = std::move(events_.front());
  events_.pop_front();
  return event;
}

}  // namespace robot_council::bridge
