#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <memory>

#include "net/patience.hpp"

namespace robot_council::net {
namespace {

Address v4_address(const in_addr& ip, std::uint16_t port) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
  name.sin_addr = ip;
  Address address;
  std::memcpy(&address.storage, &name, sizeof name);
  address.length = sizeof name;
  return address;
}

Address v6_address(const in6_addr& ip, std::uint16_t port) {
  sockaddr_in6 name{};
  name.sin6_family = AF_INET6;
  name.sin6_port = htons(port);
  name.sin6_addr = ip;
  Address address;
  std::memcpy(&address.storage, &name, sizeof name);
  address.length = sizeof name;
  return address;
}

// One lookup; owned by who asks and, until it is over, by the resolver.
struct Lookup {
  std::string host;
  std::string port;
  addrinfo hints{};
  gaicb request{};
  base::Pipe done;

  Lookup() = default;
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;
  Lookup(Lookup&&) = delete;
  Lookup& operator=(Lookup&&) = delete;
  ~Lookup() {
    if (request.ar_result != nullptr) {
      ::freeaddrinfo(request.ar_result);
    }
  }
};

void lookup_over(sigval value) {
  const std::unique_ptr<std::shared_ptr<Lookup>> lookup(
      static_cast<std::shared_ptr<Lookup>*>(value.sival_ptr));
  (void)!::write((*lookup)->done.write_end.get(), "!", 1);
}

base::Error no_address(int code) {
  return {base::Errc::io,
          "the host name has no address (" + std::string(::gai_strerror(code)) + ")"};
}

}  // namespace

base::Result<std::vector<Address>> resolve(const std::string& host, std::uint16_t port,
                                           const Patience& patience) {
  in_addr v4{};
  in6_addr v6{};
  if (host == "localhost") {
    v4.s_addr = htonl(INADDR_LOOPBACK);
    return std::vector<Address>{v4_address(v4, port), v6_address(in6addr_loopback, port)};
  }
  if (::inet_pton(AF_INET, host.c_str(), &v4) == 1) {
    return std::vector<Address>{v4_address(v4, port)};
  }
  if (::inet_pton(AF_INET6, host.c_str(), &v6) == 1) {
    return std::vector<Address>{v6_address(v6, port)};
  }
  const auto lookup = std::make_shared<Lookup>();
  base::Result<base::Pipe> pipe = base::Pipe::open();
  if (!pipe.ok()) {
    return pipe.error();
  }
  lookup->done = std::move(pipe).value();
  lookup->host = host;
  lookup->port = std::to_string(port);
  lookup->hints.ai_socktype = SOCK_STREAM;
  lookup->hints.ai_flags = AI_ADDRCONFIG;
  lookup->request.ar_name = lookup->host.c_str();
  lookup->request.ar_service = lookup->port.c_str();
  lookup->request.ar_request = &lookup->hints;
  auto held = std::make_unique<std::shared_ptr<Lookup>>(lookup);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = lookup_over;
  event.sigev_value.sival_ptr = held.get();
  gaicb* request = &lookup->request;
  if (const int code = ::getaddrinfo_a(GAI_NOWAIT, &request, 1, &event); code != 0) {
    return no_address(code);
  }
  (void)held.release();  // lookup_over() deletes it
  if (base::Status waited = wait_for(lookup->done.read_end.get(), POLLIN, patience); !waited.ok()) {
    return waited.error();
  }
  if (const int code = ::gai_error(&lookup->request); code != 0) {
    return no_address(code);
  }
  std::vector<Address> addresses;
  for (const addrinfo* entry = lookup->request.ar_result; entry != nullptr;
       entry = entry->ai_next) {
    Address address;
    if (entry->ai_addrlen <= sizeof address.storage) {
      std::memcpy(&address.storage, entry->ai_addr, entry->ai_addrlen);
      address.length = entry->ai_addrlen;
      addresses.push_back(address);
    }
  }
  return addresses;
}

}  // namespace robot_council::net
