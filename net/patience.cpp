#include "net/patience.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace robot_council::net {
namespace {

base::Result<base::Fd> connect_one(const Address& address, const Patience& patience) {
  base::Fd fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) {
    return base::errno_error("socket");
  }
  const int on = 1;
  (void)::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const auto* name = static_cast<const sockaddr*>(static_cast<const void*>(&address.storage));
  if (::connect(fd.get(), name, address.length) == 0) {
    return fd;
  }
  if (errno != EINPROGRESS && errno != EINTR) {
    return base::errno_error("connect");
  }
  if (base::Status waited = wait_for(fd.get(), POLLOUT, patience); !waited.ok()) {
    return waited.error();
  }
  int failure = 0;
  socklen_t size = sizeof failure;
  if (::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &failure, &size) != 0) {
    return base::errno_error("getsockopt");
  }
  if (failure == ECONNREFUSED) {
    return base::Error{base::Errc::refused, "connection refused"};
  }
  if (failure != 0) {
    return base::errno_error("connect", failure);
  }
  return fd;
}

}  // namespace

base::Result<Interrupt> Interrupt::open() {
  base::Result<base::Pipe> pipe = base::Pipe::open();
  if (!pipe.ok()) {
    return pipe.error();
  }
  for (const int fd : {pipe->read_end.get(), pipe->write_end.get()}) {
    if (base::Status set = base::set_nonblocking(fd); !set.ok()) {
      return set.error();
    }
  }
  return Interrupt(std::move(pipe).value());
}

// A full pipe is raised already; nothing else can go wrong with one that we hold both ends of.
void Interrupt::raise() const {
  (void)!::write(pipe_.write_end.get(), "!", 1);
}

void Interrupt::clear() const {
  std::array<char, 64> dropped{};
  while (::read(pipe_.read_end.get(), dropped.data(), dropped.size()) > 0) {
  }
}

base::Status wait_for(int fd, short events, const Patience& patience) {
  while (true) {
    std::array<pollfd, 2> waits{pollfd{fd, events, 0}, pollfd{patience.interrupt, POLLIN, 0}};
    const base::Milliseconds left =
        std::min(base::time_left(patience.deadline), base::Milliseconds(1000000000));
    const int ready = ::poll(waits.data(), waits.size(), static_cast<int>(left.count()));
    if (ready < 0 && errno != EINTR) {
      return base::errno_error("poll");
    }
    if (waits[1].revents != 0 && ready > 0) {
      return base::Error{base::Errc::refused, "cancelled"};
    }
    // A dripping peer is ready each time: the deadline counts all the same.
    if (base::time_left(patience.deadline).count() == 0) {
      return base::Error{base::Errc::timeout, "no answer in time"};
    }
    if (ready > 0) {
      return {};
    }
  }
}

base::Status check(const Patience& patience) {
  pollfd wait{patience.interrupt, POLLIN, 0};
  if (::poll(&wait, 1, 0) > 0) {
    return base::Error{base::Errc::refused, "cancelled"};
  }
  if (base::time_left(patience.deadline).count() == 0) {
    return base::Error{base::Errc::timeout, "no answer in time"};
  }
  return {};
}

base::Result<base::Fd> connect_to(const std::vector<Address>& addresses, const Patience& patience) {
  base::Error last{base::Errc::io, "no address"};
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const base::Milliseconds share =
        base::time_left(patience.deadline) / static_cast<int>(addresses.size() - i);
    Patience mine = patience;
    mine.deadline = i + 1 == addresses.size() ? patience.deadline : base::deadline_in(share);
    base::Result<base::Fd> fd = connect_one(addresses[i], mine);
    if (fd.ok() || fd.error().what == "cancelled") {
      return fd;
    }
    last = fd.error();
    if (last.code == base::Errc::timeout) {
      last.what = "no connection in time";
    }
  }
  return last;
}

}  // namespace robot_council::net
