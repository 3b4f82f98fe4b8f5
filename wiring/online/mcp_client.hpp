#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/child.hpp"
#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/result.hpp"

namespace robot_council::wiring::online {

// A small MCP client over the pipes of a child: one JSON message a line, requests one at a time,
// notifications of the server are passed over. Owns the child. Threads: one.
class McpClient {
 public:
  // options: stdin and stdout become pipes. interrupted: looked at every kDemoLookStep while an
  // answer is awaited.
  [[nodiscard]] static base::Result<McpClient> start(base::ChildOptions options,
                                                     std::function<bool()> interrupted);

  // The whole answer with this request's id. params: JSON text. Errors: timeout; busy: interrupted;
  // io: the server ended or closed its stdout; invalid: it wrote a line that is no JSON object or
  // is longer than kDemoMaxText.
  [[nodiscard]] base::Result<base::Json> request(std::string_view method, std::string_view params,
                                                 base::SteadyTime deadline);
  [[nodiscard]] base::Status notify(std::string_view method, base::SteadyTime deadline);
  // Closes its stdin and waits: a server ends then. timeout: it did not, and is ended by force.
  [[nodiscard]] base::Result<base::ExitStatus> close(base::SteadyTime deadline);
  // Whether the server's process still runs.
  [[nodiscard]] bool running();

 private:
  McpClient(base::Child child, std::function<bool()> interrupted)
      : child_(std::move(child)), interrupted_(std::move(interrupted)) {}
  [[nodiscard]] base::Result<std::string> read_line(base::SteadyTime deadline);
  base::Child child_;
  std::function<bool()> interrupted_;
  std::string buffer_;  // read, not yet a whole line
  std::int64_t last_id_ = 0;
};

}  // namespace robot_council::wiring::online
