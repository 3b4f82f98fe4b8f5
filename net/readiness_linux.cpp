#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "net/readiness.hpp"

namespace robot_council::net {
namespace {

constexpr std::size_t kEventsPerTurn = 512;

std::uint32_t mask_of(Interest interest) {
  switch (interest) {
    case Interest::read:
      return EPOLLIN | EPOLLRDHUP;
    case Interest::closed:
      return EPOLLRDHUP;
    case Interest::write:
      return EPOLLOUT;
    case Interest::listen:
      return EPOLLIN;
    case Interest::none:
      break;
  }
  return 0;
}

}  // namespace

base::Result<Readiness> Readiness::open() {
  base::Fd poll(::epoll_create1(EPOLL_CLOEXEC));
  if (!poll.valid()) {
    return base::errno_error("epoll");
  }
  base::Fd event(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!event.valid()) {
    return base::errno_error("eventfd");
  }
  epoll_event wanted{};
  wanted.events = EPOLLIN;
  wanted.data.u64 = kNotified;
  if (::epoll_ctl(poll.get(), EPOLL_CTL_ADD, event.get(), &wanted) != 0) {
    return base::errno_error("epoll");
  }
  return Readiness(std::move(poll), std::move(event));
}

base::Status Readiness::set(int fd, std::uint64_t key, Interest was, Interest wanted) const {
  if (was == wanted) {
    return {};
  }
  epoll_event event{};
  event.events = mask_of(wanted);
  event.data.u64 = key;
  int operation = EPOLL_CTL_MOD;
  if (was == Interest::none) {
    operation = EPOLL_CTL_ADD;
  } else if (wanted == Interest::none) {
    // With an empty mask a broken connection would be reported without end.
    operation = EPOLL_CTL_DEL;
  }
  return ::epoll_ctl(poll_.get(), operation, fd, &event) == 0 ? base::Status{}
                                                              : base::errno_error("epoll");
}

base::Status Readiness::wait(base::SteadyTime until, std::vector<ReadyEvent>& ready) const {
  ready.clear();
  std::array<epoll_event, kEventsPerTurn> events{};
  const base::Milliseconds left = std::min(base::time_left(until), base::Milliseconds(1000000000));
  const int count = ::epoll_wait(poll_.get(), events.data(), static_cast<int>(events.size()),
                                 static_cast<int>(left.count()));
  if (count < 0) {
    return errno == EINTR ? base::Status{} : base::errno_error("epoll");
  }
  for (const epoll_event& event : std::span(events).first(static_cast<std::size_t>(count))) {
    if (event.data.u64 == kNotified) {
      std::uint64_t dropped = 0;
      (void)!::read(event_.get(), &dropped, sizeof dropped);
    }
    ready.push_back({event.data.u64, (event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0});
  }
  return {};
}

void Readiness::notify() const {
  const std::uint64_t one = 1;
  (void)!::write(event_.get(), &one, sizeof one);
}

}  // namespace robot_council::net
