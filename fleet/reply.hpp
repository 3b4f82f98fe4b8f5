#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "service-api/errors.hpp"

namespace robot_council::fleet {

// What an operation answers: as HTTP over REST, as a tool result over MCP.
struct Reply {
  int status = 200;
  std::string body;  // JSON text; "" = no body
  std::string why;   // of a refusal: a sentence for a person, which the MCP tool shows
  std::vector<std::pair<std::string, std::string>> headers;
  [[nodiscard]] bool refused() const { return status >= 400; }
};

[[nodiscard]] Reply ok(std::string body);
[[nodiscard]] Reply created(std::string body);
// {"message": TEXT}
[[nodiscard]] Reply refuse(int status, std::string_view text);
// An operation's own body, with the sentence beside it.
[[nodiscard]] Reply refuse_with(int status, std::string body, std::string_view why);
[[nodiscard]] Reply invalid_input(const service_api::FieldErrors& errors);
[[nodiscard]] Reply invalid_field(std::string_view name, std::string_view text);
[[nodiscard]] Reply unauthorized(std::string_view text);
[[nodiscard]] Reply unavailable();

}  // namespace robot_council::fleet
