#include "brake/gateway_line.hpp"

#include <algorithm>
#include <array>

#include "base/json.hpp"
#include "base/json_scan.hpp"
#include "base/text.hpp"

namespace robot_council::brake {
namespace {

constexpr std::string_view kCall = "tools/call";

// One message. Every repeated member counts: a server may take the first where another takes the
// last.
GatewayCall read_message(std::string_view object, std::optional<std::string>* client_name) {
  GatewayCall message;
  bool initialize = false;
  bool saw_params = false;
  std::string_view params;
  for (const base::JsonMember& member : base::json_members(object)) {
    if (member.key == "id") {
      message.id = std::string(member.value);
    } else if (member.key == "method") {
      const std::string method = base::json_unescape(member.value);
      message.has_method = true;
      message.is_call = message.is_call || method == kCall;
      initialize = initialize || method == "initialize";
    } else if (member.key == "params") {
      saw_params = true;
      params = member.value;
      message.bad_params =
          message.bad_params || base::json_kind(member.value) != base::JsonKind::object;
    }
  }
  message.bad_params = message.is_call && (message.bad_params || !saw_params);
  if (message.is_call && !message.bad_params) {
    const std::string_view name = base::json_member(params, "name");
    message.tool = base::json_unescape(name);
  }
  if (initialize && saw_params && base::json_kind(params) == base::JsonKind::object) {
    const std::string_view info = base::json_member(params, "clientInfo");
    if (!info.empty() && base::json_kind(info) == base::JsonKind::object) {
      *client_name = base::json_unescape(base::json_member(info, "name"));
    }
  }
  return message;
}

std::string error_of(std::string_view id, std::string_view text) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"error":{"code":-32000,"message":)" +
         base::quote_json(text) + "}}";
}

}  // namespace

bool GatewayLine::has_call() const {
  return std::any_of(messages.begin(), messages.end(),
                     [](const GatewayCall& message) { return message.is_call; });
}

bool GatewayLine::has_bad_params() const {
  return std::any_of(messages.begin(), messages.end(),
                     [](const GatewayCall& message) { return message.bad_params; });
}

GatewayLine read_gateway_line(std::string_view line) {
  GatewayLine result;
  if (base::is_blank(line)) {
    result.kind = GatewayLine::Kind::blank;
    return result;
  }
  if (!base::validate_json(line, base::kMaxJsonDepth).ok()) {
    return result;
  }
  const std::string_view value = base::trim(line);
  if (base::json_kind(value) == base::JsonKind::array) {
    result.kind = GatewayLine::Kind::batch;
    for (const std::string_view element : base::json_elements(value)) {
      result.messages.push_back(read_message(element, &result.client_name));
    }
    return result;
  }
  result.kind = GatewayLine::Kind::single;
  result.messages.push_back(read_message(value, &result.client_name));
  return result;
}

std::string gateway_refusal(const GatewayLine& line, std::string_view text) {
  std::vector<std::string> errors;
  for (const GatewayCall& message : line.messages) {
    if (message.id && message.has_method) {
      errors.push_back(error_of(*message.id, text));
    }
  }
  if (errors.empty()) {
    return {};
  }
  const bool batch = line.kind == GatewayLine::Kind::batch;
  return (batch ? "[" + base::join(errors, ",") + "]" : errors.front()) + "\n";
}

std::string gateway_parse_error() {
  return R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}})"
         "\n";
}

std::string_view gateway_caller(std::string_view client_name) {
  struct Known {
    std::string_view name;
    std::string_view client;
  };
  static constexpr std::array<Known, 4> kKnown = {{{"claude-code", "claude_code"},
                                                   {"codex-mcp-client", "codex_cli"},
                                                   {"gemini-cli-mcp-client", "gemini_cli"},
                                                   {"cursor-vscode", "cursor"}}};
  for (const Known& known : kKnown) {
    if (known.name == client_name) {
      return known.client;
    }
  }
  return {};
}

}  // namespace robot_council::brake
