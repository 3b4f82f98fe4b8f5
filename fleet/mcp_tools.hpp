#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "fleet/callers.hpp"
#include "fleet/core.hpp"
#include "fleet/input.hpp"
#include "fleet/reply.hpp"

namespace robot_council::fleet {

// One tool of the MCP endpoint. Its checks and effects are those of its REST call.
struct Tool {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::string_view properties;  // JSON object
  std::string_view required;    // JSON array, "" = none
  std::function<Reply(Core&, const Session&, const Input&)> call;
};

// In the order of the list (6).
[[nodiscard]] const std::vector<Tool>& tools();
[[nodiscard]] const Tool* find_tool(std::string_view name);
// {"tools":[...]}
[[nodiscard]] const std::string& tool_list_text();

}  // namespace robot_council::fleet
