#pragma once

#include <optional>
#include <string>

#include "base/context.hpp"
#include "base/json_value.hpp"
#include "base/result.hpp"
#include "cli/parse.hpp"
#include "net/http_client.hpp"

namespace robot_council::cli {

// Calls of the operator's interface for the `fleet` commands. The token comes from the data folder
// of this user's serve, never from argv.
class FleetCall {
 public:
  // Reads --data and --url. `what` is a whole message.
  [[nodiscard]] static base::Result<FleetCall> open(const base::Context& context, const Args& args);

  struct Answer {
    std::string body;
    base::Json json;
  };
  // path: below operator/. A refusal (400 and above) is an error whose `what` is the service's own
  // sentence.
  [[nodiscard]] base::Result<Answer> get(const std::string& path, base::Milliseconds limit);
  [[nodiscard]] base::Result<Answer> post(const std::string& path, const std::string& body);

 private:
  FleetCall(net::HttpClient client, std::string base, std::string token);
  [[nodiscard]] base::Result<Answer> send(net::ClientRequest request, base::Milliseconds limit);
  net::HttpClient client_;
  std::string base_;
  std::string token_;
};

// For an act: a caller with an agent's marker in its environment is refused. The message for it,
// nothing for a person.
[[nodiscard]] std::optional<std::string> refused_as_agent(const base::Context& context);

}  // namespace robot_council::cli
