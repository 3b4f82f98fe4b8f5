#include "wiring/online/mcp_client.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/fd.hpp"
#include "base/json_value.hpp"
#include "wiring/online/limits.hpp"

namespace robot_council::wiring::online {

base::Result<McpClient> McpClient::start(base::ChildOptions options,
                                         std::function<bool()> interrupted) {
  options.standard_in = base::Stdio::pipe;
  options.standard_out = base::Stdio::pipe;
  auto child = base::Child::start(options);
  if (!child) {
    return child.error();
  }
  return McpClient(std::move(*child), std::move(interrupted));
}

base::Result<std::string> McpClient::read_line(base::SteadyTime deadline) {
  while (true) {
    const auto end = buffer_.find('\n');
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    if (buffer_.size() > kDemoMaxText) {
      return base::Error{base::Errc::invalid, "the server wrote a line of over 1 MiB"};
    }
    if (interrupted_()) {
      return base::Error{base::Errc::busy, "interrupted"};
    }
    auto ready = base::wait_readable(child_.standard_out.get(),
                                     std::min(deadline, base::deadline_in(kDemoLookStep)));
    if (!ready) {
      return ready.error();
    }
    if (*ready == base::Ready::timeout) {
      if (base::time_left(deadline).count() == 0) {
        return base::Error{base::Errc::timeout, "the server did not answer in time"};
      }
      continue;
    }
    std::array<char, 65536> bytes{};
    const auto got = base::read_some(child_.standard_out.get(), bytes);
    if (!got) {
      return got.error();
    }
    if (*got == 0) {
      return base::Error{base::Errc::io, "the server closed its stdout"};
    }
    buffer_.append(bytes.data(), *got);
  }
}

base::Result<base::Json> McpClient::request(std::string_view method, std::string_view params,
                                            base::SteadyTime deadline) {
  const std::int64_t id = ++last_id_;
  const std::string line = R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":)" +
                           base::quote_json(method) + R"(,"params":)" + std::string(params) + "}\n";
  if (auto sent = base::write_all(child_.standard_in.get(), line, deadline); !sent) {
    return sent.error();
  }
  while (true) {
    const auto text = read_line(deadline);
    if (!text) {
      return text.error();
    }
    auto message = base::parse_bounded(*text, kDemoMaxText);
    if (!message) {
      return base::Error{base::Errc::invalid,
                         "the server wrote a line that is not JSON: " + message.error().what};
    }
    if (base::get_integer(*message, "id") == id) {
      return message;
    }
  }
}

base::Status McpClient::notify(std::string_view method, base::SteadyTime deadline) {
  return base::write_all(child_.standard_in.get(),
                         R"({"jsonrpc":"2.0","method":)" + base::quote_json(method) + "}\n",
                         deadline);
}

bool McpClient::running() {
  return !child_.wait(base::deadline_in(base::Milliseconds(0))).ok();
}

base::Result<base::ExitStatus> McpClient::close(base::SteadyTime deadline) {
  child_.standard_in.reset();
  auto ended = child_.wait(deadline);
  if (!ended) {
    child_.terminate(base::Milliseconds(500));
  }
  return ended;
}

}  // namespace robot_council::wiring::online
