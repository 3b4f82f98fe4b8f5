#include "bridge/tools_list.hpp"

#include "base/json.hpp"
#include "base/json_scan.hpp"

namespace robot_council::bridge {

namespace {

constexpr std::string_view kRoleSchema =
    R"("role":{"type":"string","enum":["build","ci","coordinator"],"description":"The role to ask for; an administrator decides on every role but build."})";

bool is_kind(std::string_view value, base::JsonKind kind) {
  return !value.empty() && base::json_kind(value) == kind;
}

std::string joined_by_comma(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    text.append(text.empty() ? "" : ",").append(part);
  }
  return text;
}

}  // namespace

std::string join_tool() {
  std::string entry =
      R"({"name":"join","title":"Join the fleet","description":"Joins this session to the Robot Council fleet, after which the )"
      R"(fleet's own tools are offered. Call it when the operator asks for it, or when your instructions say that this checkout )"
      R"(works with the fleet; not otherwise. Every argument is optional. A session starts in the build role; an administrator )"
      R"(decides on any other role.","inputSchema":{"type":"object","properties":{)";
  entry.append(kRoleSchema);
  entry.append(
      R"(,"repository":{"type":"string","description":"owner/name on GitHub; read from the checkout when left out."},)"
      R"("work_location":{"type":"string","description":"A short label of this checkout; read from the checkout when left out."},)"
      R"("capacity":{"type":"integer","minimum":1,"description":"How many tasks this session can hold at once; one when left out."}},)"
      R"("additionalProperties":false}})");
  return entry;
}

std::string leave_tool() {
  return R"({"name":"leave","title":"Leave the fleet","description":"Ends this session on the Robot Council fleet and frees its )"
         R"(tasks and locks. Only join is offered afterwards.","inputSchema":{"type":"object","properties":{},)"
         R"("additionalProperties":false}})";
}

std::string role_request_tool() {
  std::string entry =
      R"({"name":"role_request","title":"Request a role","description":"Asks for another role of this session; an administrator )"
      R"(decides, and nothing changes until then.","inputSchema":{"type":"object","properties":{)";
  entry.append(kRoleSchema);
  entry.append(R"(},"required":["role"],"additionalProperties":false}})");
  return entry;
}

bool is_local_tool(std::string_view name) {
  return name == "join" || name == "leave" || name == "role_request";
}

std::string unjoined_list() {
  return R"({"tools":[)" + join_tool() + "]}";
}

std::string tool_text(std::string_view text, ToolOutcome outcome) {
  std::string result = R"({"content":[{"type":"text","text":)";
  result.append(base::quote_json(text)).append(R"(}],"isError":)");
  result.append(outcome == ToolOutcome::failed ? "true}" : "false}");
  return result;
}

std::optional<ToolPage> read_tool_page(std::string_view answer_line) {
  const std::string_view result = base::json_member(answer_line, "result");
  if (!is_kind(result, base::JsonKind::object)) {
    return std::nullopt;
  }
  const std::string_view tools = base::json_member(result, "tools");
  if (!is_kind(tools, base::JsonKind::array)) {
    return std::nullopt;
  }
  ToolPage page;
  for (const std::string_view entry : base::json_elements(tools)) {
    const std::string_view name_bytes = is_kind(entry, base::JsonKind::object)
                                            ? base::json_member(entry, "name")
                                            : std::string_view();
    const std::string name = is_kind(name_bytes, base::JsonKind::string)
                                 ? base::json_unescape(name_bytes)
                                 : std::string();
    if (is_local_tool(name)) {
      continue;
    }
    if (!is_kind(name_bytes, base::JsonKind::string) ||
        !is_kind(base::json_member(entry, "inputSchema"), base::JsonKind::object)) {
      page.dropped.push_back(name);
      continue;
    }
    page.tools.emplace_back(entry);
  }
  const std::string_view next = base::json_member(result, "nextCursor");
  if (is_kind(next, base::JsonKind::string)) {
    page.next = base::json_unescape(next);
    page.next_bytes = std::string(next);
  }
  return page;
}

std::string joined_list(const std::vector<std::string>& tools, std::string_view next_bytes) {
  std::string result = R"({"tools":[)" + leave_tool() + "," + role_request_tool();
  if (!tools.empty()) {
    result.append(",").append(joined_by_comma(tools));
  }
  result.append("]");
  if (!next_bytes.empty()) {
    result.append(R"(,"nextCursor":)").append(next_bytes);
  }
  result.append("}");
  return result;
}

std::string with_cursor(std::string_view request_line, std::string_view cursor_bytes) {
  std::string params;
  std::string line;
  bool has_params = false;
  for (const base::JsonMember& member : base::json_members(request_line)) {
    std::string value(member.value);
    if (member.key == "params") {
      has_params = true;
      params.clear();
      for (const base::JsonMember& inner : base::json_members(member.value)) {
        if (inner.key != "cursor") {
          params.append(base::quote_json(inner.key)).append(":").append(inner.value).append(",");
        }
      }
      value = "{" + params + R"("cursor":)" + std::string(cursor_bytes) + "}";
    }
    line.append(line.empty() ? "{" : ",")
        .append(base::quote_json(member.key))
        .append(":")
        .append(value);
  }
  if (!has_params) {
    line.append(R"(,"params":{"cursor":)").append(cursor_bytes).append("}");
  }
  return line + "}";
}

bool has_cursor(std::string_view request_line) {
  const std::string_view params = base::json_member(request_line, "params");
  if (!is_kind(params, base::JsonKind::object)) {
    return false;
  }
  const std::string_view cursor = base::json_member(params, "cursor");
  return !cursor.empty() && base::json_kind(cursor) != base::JsonKind::null;
}

}  // namespace robot_council::bridge
