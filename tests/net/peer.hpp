#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "base/clock.hpp"
#include "base/fd.hpp"
#include "base/log.hpp"
#include "net/http_server.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::test {

// A client of raw bytes on 127.0.0.1.
class Peer {
 public:
  explicit Peer(std::uint16_t port);
  // False when the other side no longer takes bytes.
  bool send(std::string_view bytes);
  void finish_sending();
  // Everything up to the other side's end; *reset tells whether it was a reset.
  std::string read_all(base::Milliseconds limit = test::kInTime, bool* reset = nullptr);
  // Up to and including `end`.
  std::string read_until(std::string_view end, base::Milliseconds limit = test::kInTime);
  void close() { fd_.reset(); }
  [[nodiscard]] bool connected() const { return fd_.valid(); }
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  base::Fd fd_;
};

// Status of the first answer in `bytes`, 0 if there is none.
int status_of(std::string_view bytes);
// Sends one request and reads the answer.
std::string ask(std::uint16_t port, std::string_view bytes);
// "METHOD target HTTP/1.1" with our Host and the given lines, each with its CR LF.
std::string request(std::uint16_t port, std::string_view line, std::string_view lines = {},
                    std::string_view body = {});

// A server of raw bytes on 127.0.0.1: `script` gets each connection, one after the other, in a
// thread of its own.
class RawServer {
 public:
  explicit RawServer(std::function<void(int fd)> script);
  ~RawServer();
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;
  RawServer(RawServer&&) = delete;
  RawServer& operator=(RawServer&&) = delete;
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  base::Fd listener_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};
// Reads a request's head (and at most one buffer of body) from a connection of RawServer.
std::string read_request(int fd);
void write_text(int fd, std::string_view bytes);

// A started server with its log.
struct Running {
  base::MemoryLog log;
  std::unique_ptr<net::HttpServer> server;
  std::uint16_t port = 0;
  explicit Running(const net::ServerOptions& options = {});
  void start();
};

// Threads of this process.
std::size_t thread_count();

}  // namespace robot_council::test
