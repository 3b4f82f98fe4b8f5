#include "tests/net/peer.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "net/listener.hpp"

namespace robot_council::test {

Peer::Peer(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd_.get(), static_cast<const sockaddr*>(static_cast<const void*>(&name)),
                sizeof name) != 0) {
    fd_.reset();
  }
}

bool Peer::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put < 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

void Peer::finish_sending() {
  ::shutdown(fd_.get(), SHUT_WR);
}

std::string Peer::read_all(base::Milliseconds limit, bool* reset) {
  const base::SteadyTime deadline = base::deadline_in(limit);
  std::string all;
  std::array<char, 65536> chunk{};
  while (true) {
    pollfd wait{fd_.get(), POLLIN, 0};
    if (::poll(&wait, 1, static_cast<int>(base::time_left(deadline).count())) <= 0) {
      ADD_FAILURE() << "no end within " << limit.count() << " ms after " << all.size() << " bytes";
      return all;
    }
    const ssize_t got = ::recv(fd_.get(), chunk.data(), chunk.size(), 0);
    if (got <= 0) {
      if (reset != nullptr) {
        *reset = got < 0;
      }
      return all;
    }
    all.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

std::string Peer::read_until(std::string_view end, base::Milliseconds limit) {
  const base::SteadyTime deadline = base::deadline_in(limit);
  std::string all;
  while (all.size() < end.size() || all.compare(all.size() - end.size(), end.size(), end) != 0) {
    pollfd wait{fd_.get(), POLLIN, 0};
    char byte = 0;
    if (::poll(&wait, 1, static_cast<int>(base::time_left(deadline).count())) <= 0 ||
        ::recv(fd_.get(), &byte, 1, 0) <= 0) {
      ADD_FAILURE() << "not ended by the expected text: " << all;
      return all;
    }
    all += byte;
  }
  return all;
}

int status_of(std::string_view bytes) {
  constexpr std::string_view kStart = "HTTP/1.1 ";
  return bytes.substr(0, kStart.size()) == kStart
             ? std::atoi(std::string(bytes.substr(kStart.size(), 3)).c_str())
             : 0;
}

std::string ask(std::uint16_t port, std::string_view bytes) {
  Peer peer(port);
  EXPECT_TRUE(peer.connected());
  (void)peer.send(bytes);
  return peer.read_all();
}

std::string request(std::uint16_t port, std::string_view line, std::string_view lines,
                    std::string_view body) {
  return std::string(line) + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n" +
         std::string(lines) + "\r\n" + std::string(body);
}

RawServer::RawServer(std::function<void(int)> script) {
  base::Result<base::Fd> listener = net::listen_on("127.0.0.1", 0);
  EXPECT_TRUE(listener.ok());
  listener_ = std::move(listener).value();
  port_ = net::port_of(listener_).value_or(0);
  thread_ = std::thread([this, script = std::move(script)] {
    while (
        base::wait_readable(listener_.get(), base::deadline_in(base::Milliseconds(60000))).ok()) {
      base::Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (fd.valid()) {
        script(fd.get());
      } else if (errno == EINVAL) {
        return;  // shut down
      }
    }
  });
}

RawServer::~RawServer() {
  ::shutdown(listener_.get(), SHUT_RDWR);
  thread_.join();
}

std::string read_request(int fd) {
  std::string all;
  std::array<char, 65536> chunk{};
  while (all.find("\r\n\r\n") == std::string::npos) {
    const ssize_t got = ::recv(fd, chunk.data(), chunk.size(), 0);
    if (got <= 0) {
      break;
    }
    all.append(chunk.data(), static_cast<std::size_t>(got));
  }
  return all;
}

void write_text(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put <= 0) {
      return;
    }
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

Running::Running(const net::ServerOptions& options) {
  base::Result<std::unique_ptr<net::HttpServer>> opened = net::HttpServer::open(options, log);
  EXPECT_TRUE(opened.ok());
  if (opened.ok()) {
    server = std::move(opened).value();
    port = server->port();
  }
}

void Running::start() {
  EXPECT_TRUE(server->start().ok());
}

std::size_t thread_count() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator("/proc/self/task")) {
    ++count;
  }
  return count;
}

}  // namespace robot_council::test
