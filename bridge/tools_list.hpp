#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robot_council::bridge {

// The bridge's own tools, as JSON of one list entry each.
[[nodiscard]] std::string join_tool();
[[nodiscard]] std::string leave_tool();
[[nodiscard]] std::string role_request_tool();
[[nodiscard]] bool is_local_tool(std::string_view name);  // join, leave, role_request

// `result` of tools/list before a join.
[[nodiscard]] std::string unjoined_list();
// A text answer of a local tool: `result` of tools/call.
enum class ToolOutcome : unsigned char { done, failed };
[[nodiscard]] std::string tool_text(std::string_view text, ToolOutcome outcome);

// One page of the fleet's list: what a JSON-RPC answer holds.
struct ToolPage {
  std::vector<std::string> tools;  // entries that may be shown, bytes as they came
  std::vector<std::string>
      dropped;  // names of entries without a usable schema, or "" for one without a name
  std::optional<std::string> next;  // `nextCursor` when it is a string: unescaped
  std::string next_bytes;           // its bytes
};
// Reads the `result` of an answer line. Nothing if the line has no result with a list of tools.
// Entries named like a local tool are left out in silence; the rest of the result is not kept.
[[nodiscard]] std::optional<ToolPage> read_tool_page(std::string_view answer_line);

// `result` with the local tools first, then all entries; with nextCursor (bytes) if given.
[[nodiscard]] std::string joined_list(const std::vector<std::string>& tools,
                                      std::string_view next_bytes);

// The request's line with `params.cursor` set to `cursor_bytes`; everything else as it came.
[[nodiscard]] std::string with_cursor(std::string_view request_line, std::string_view cursor_bytes);
// Whether a tools/list request names a cursor itself.
[[nodiscard]] bool has_cursor(std::string_view request_line);

}  // namespace robot_council::bridge
