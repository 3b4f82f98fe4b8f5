#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "net/client_socket.hpp"
#include "net/library_stream.hpp"

namespace robot_council::net {

// What the library reads an answer from and writes a request to: a socket, its deadline and the
// limits of an answer. The first failure is kept; afterwards nothing is read.
class ClientStream final : public LibraryStream {
 public:
  // on_written is called at the first read: the library reads when the whole request is written.
  ClientStream(ClientSocket& socket, const Patience& patience, std::size_t max_body,
               std::function<void()> on_written)
      : socket_(socket),
        patience_(patience),
        max_body_(max_body),
        on_written_(std::move(on_written)) {}

  [[nodiscard]] const std::optional<base::Error>& failure() const { return failure_; }
  // From here on bytes are body, not head.
  void head_is_read() { head_read_ = true; }

  ssize_t read(char* into, std::size_t size) override;
  ssize_t write(const char* bytes, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;

 private:
  ssize_t fail(base::Error error);
  [[nodiscard]] bool flush();
  [[nodiscard]] bool fill();
  [[nodiscard]] bool within_limits(std::size_t taken);

  ClientSocket& socket_;
  Patience patience_;
  std::size_t max_body_;
  std::function<void()> on_written_;
  std::optional<base::Error> failure_;
  std::string pending_;  // written by the library, not yet sent
  std::array<char, 8192> buffer_{};
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t head_bytes_ = 0;
  std::size_t wire_bytes_ = 0;
  bool head_read_ = false;
  bool status_line_read_ = false;
  bool write_broken_ = false;
};

}  // namespace robot_council::net
