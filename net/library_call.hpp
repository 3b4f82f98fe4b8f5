#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "net/http_server.hpp"

namespace robot_council::net {

// A request that is whole and passed the guard.
struct WholeRequest {
  ServerRequest request;
  std::string target;  // as sent
};

// The bytes of an answer, or that the request waits.
using Outcome = std::variant<std::string, Park>;

// Runs requests through the library's parser and writer. The library is shown a head that we wrote:
// the request line and a Host, so that nothing a peer puts into its headers (Range,
// Accept-Encoding, REMOTE_ADDR, %0d%0a) means anything to it. Threads: one a thread.
class LibraryCall {
 public:
  // `dispatch` finds and runs the handler. Whatever it throws becomes a 500 with a fixed text and
  // `on_throw`.
  LibraryCall(std::function<HandlerResult(ServerRequest&)> dispatch,
              std::function<void(const ServerRequest&)> on_throw);
  LibraryCall(LibraryCall&&) noexcept;
  LibraryCall& operator=(LibraryCall&&) noexcept;
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;
  ~LibraryCall();

  [[nodiscard]] Outcome run(WholeRequest& request);

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace robot_council::net
