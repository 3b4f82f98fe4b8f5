#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace robot_council::net {

// Whether `host` is an address of this machine's loopback: 127.0.0.0/8, ::1, [::1], localhost.
[[nodiscard]] bool is_loopback_host(const std::string& host);

// A listening non-blocking socket, ours alone: SO_REUSEADDR (a restart need not wait for old
// connections), never SO_REUSEPORT (a second process would share the port in silence). busy: the
// port is taken; refused: not allowed; invalid: no IP address.
[[nodiscard]] base::Result<base::Fd> listen_on(const std::string& host, std::uint16_t port);
[[nodiscard]] base::Result<std::uint16_t> port_of(const base::Fd& listener);

// Raises the soft limit of open descriptors to the hard one; the limit that then holds.
[[nodiscard]] std::size_t raise_descriptor_limit();

enum class Accepted : std::uint8_t {
  connection,
  none,            // nobody waits
  failed,          // this one is lost, the next may do
  no_descriptors,  // this process or the system has no descriptor left
};
struct AcceptResult {
  Accepted outcome = Accepted::none;
  base::Fd fd;       // non-blocking, TCP_NODELAY
  std::string peer;  // IP address; an IPv4 one never in IPv6 form
};
[[nodiscard]] AcceptResult accept_from(const base::Fd& listener);

}  // namespace robot_council::net
