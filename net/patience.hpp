#pragma once

#include <sys/socket.h>

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/fd.hpp"
#include "base/result.hpp"

namespace robot_council::net {

// A flag that a poll can wait for. Threads: any.
class Interrupt {
 public:
  [[nodiscard]] static base::Result<Interrupt> open();
  void raise() const;
  void clear() const;
  [[nodiscard]] int fd() const { return pipe_.read_end.get(); }

 private:
  explicit Interrupt(base::Pipe pipe) : pipe_(std::move(pipe)) {}
  base::Pipe pipe_;
};

// What ends a wait for a peer.
struct Patience {
  base::SteadyTime deadline;
  int interrupt = -1;  // readable: given up
};

// Waits for POLLIN or POLLOUT of `fd` (a peer that hung up counts). timeout; refused "cancelled";
// io.
[[nodiscard]] base::Status wait_for(int fd, short events, const Patience& patience);

// The same without a wait and a descriptor: whether patience is over.
[[nodiscard]] base::Status check(const Patience& patience);

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;
};

// The addresses of `host`: itself if it is one, both loopback addresses for "localhost", else the
// system resolver's. timeout, refused (cancelled), io (no such name, no resolver). The resolver
// itself cannot be cancelled: a lookup given up goes on by itself until the resolver ends it, and
// nothing waits for it.
[[nodiscard]] base::Result<std::vector<Address>> resolve(const std::string& host,
                                                         std::uint16_t port,
                                                         const Patience& patience);

// A connected non-blocking socket. The addresses share the time that is left, so that a dead one
// leaves some to the next. refused: no address took the connection, or cancelled; timeout; io.
[[nodiscard]] base::Result<base::Fd> connect_to(const std::vector<Address>& addresses,
                                                const Patience& patience);

}  // namespace robot_council::net
