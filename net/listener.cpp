#include "net/listener.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "net/limits.hpp"
#include "net/url.hpp"

namespace robot_council::net {
namespace {

std::string without_brackets(const std::string& host) {
  return host.size() > 2 && host.front() == '[' && host.back() == ']'
             ? host.substr(1, host.size() - 2)
             : host;
}

struct Name {
  sockaddr_storage storage{};
  socklen_t length = 0;
  [[nodiscard]] const sockaddr* get() const {
    return static_cast<const sockaddr*>(static_cast<const void*>(&storage));
  }
  [[nodiscard]] sockaddr* get() { return static_cast<sockaddr*>(static_cast<void*>(&storage)); }
};

std::optional<Name> name_of(const std::string& host, std::uint16_t port) {
  const std::string text = host == "localhost" ? "127.0.0.1" : without_brackets(host);
  Name name;
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (::inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(&name.storage, &v4, sizeof v4);
    name.length = sizeof v4;
    return name;
  }
  if (::inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    std::memcpy(&name.storage, &v6, sizeof v6);
    name.length = sizeof v6;
    return name;
  }
  return std::nullopt;
}

std::string address_text(const Name& name) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (name.storage.ss_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &name.storage, sizeof v4);
    (void)::inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    return text.data();
  }
  sockaddr_in6 v6{};
  std::memcpy(&v6, &name.storage, sizeof v6);
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
    constexpr std::size_t kPrefix = 12;  // bytes before the IPv4 address
    (void)::inet_ntop(AF_INET, v6.sin6_addr.s6_addr + kPrefix, text.data(), text.size());
  } else {
    (void)::inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
  }
  return text.data();
}

}  // namespace

bool is_loopback_host(const std::string& host) {
  Url url;
  url.host = without_brackets(host);
  return url.loopback();
}

base::Result<base::Fd> listen_on(const std::string& host, std::uint16_t port) {
  const std::optional<Name> name = name_of(host, port);
  const std::string what = "cannot listen on " + host + ":" + std::to_string(port);
  if (!name) {
    return base::Error{base::Errc::invalid, what + ": the host must be an IP address or localhost"};
  }
  base::Fd fd(::socket(name->storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) {
    return base::errno_error(what);
  }
  const int on = 1;
  (void)::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(fd.get(), name->get(), name->length) != 0 || ::listen(fd.get(), kListenBacklog) != 0) {
    return errno == EADDRINUSE ? base::Error{base::Errc::busy, what + ": the port is taken"}
                               : base::errno_error(what);
  }
  return fd;
}

base::Result<std::uint16_t> port_of(const base::Fd& listener) {
  Name name;
  name.length = sizeof name.storage;
  if (::getsockname(listener.get(), name.get(), &name.length) != 0) {
    return base::errno_error("getsockname");
  }
  std::uint16_t port = 0;  // both families have it at the same place
  std::memcpy(&port,
              static_cast<const char*>(static_cast<const void*>(&name.storage)) +
                  offsetof(sockaddr_in, sin_port),
              sizeof port);
  return ntohs(port);
}

std::size_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return 1024;  // the usual one
  }
  if (limit.rlim_cur < limit.rlim_max) {
    rlimit raised = limit;
    raised.rlim_cur = limit.rlim_max;
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) {
      limit = raised;
    }
  }
  constexpr std::size_t kEnough = std::size_t{1} << 20U;  // "unlimited" as a number
  return std::min(static_cast<std::size_t>(limit.rlim_cur), kEnough);
}

AcceptResult accept_from(const base::Fd& listener) {
  Name name;
  name.length = sizeof name.storage;
  AcceptResult result;
  result.fd =
      base::Fd(::accept4(listener.get(), name.get(), &name.length, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (result.fd.valid()) {
    const int on = 1;
    (void)::setsockopt(result.fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    result.outcome = Accepted::connection;
    result.peer = address_text(name);
    return result;
  }
  if (errno == EAGAIN) {
    result.outcome = Accepted::none;
  } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
    result.outcome = Accepted::no_descriptors;
  } else {
    result.outcome = Accepted::failed;
  }
  return result;
}

}  // namespace robot_council::net
