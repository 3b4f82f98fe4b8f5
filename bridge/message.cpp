#include "bridge/message.hpp"

#include <cstdlib>

#include "base/json.hpp"
#include "base/json_scan.hpp"
#include "bridge/limits.hpp"

namespace robot_council::bridge {

namespace {

bool usable_id(std::string_view id) {
  if (id.empty()) {
    return false;
  }
  const base::JsonKind kind = base::json_kind(id);
  return kind == base::JsonKind::string || kind == base::JsonKind::number;
}

bool is_null(std::string_view value) {
  return !value.empty() && base::json_kind(value) == base::JsonKind::null;
}

std::string string_member(std::string_view object, std::string_view key) {
  const std::string_view value = base::json_member(object, key);
  if (value.empty() || base::json_kind(value) != base::JsonKind::string) {
    return {};
  }
  return base::json_unescape(value);
}

// The part of classify() for a valid object.
void classify_object(Message& message) {
  const std::string_view id = base::json_member(message.line, "id");
  const std::string_view method = base::json_member(message.line, "method");
  message.id = usable_id(id) ? std::string(id) : "null";
  if (!id.empty() && !usable_id(id) && !is_null(id)) {
    message.kind = MessageKind::invalid_request;
    return;
  }
  if (method.empty()) {
    message.kind = id.empty() ? MessageKind::invalid_request : MessageKind::response;
    return;
  }
  if (base::json_kind(method) != base::JsonKind::string) {
    message.kind = MessageKind::invalid_request;
    return;
  }
  message.method = base::json_unescape(method);
  message.kind = usable_id(id) ? MessageKind::request : MessageKind::notification;
}

}  // namespace

std::string_view Message::params() const {
  return base::json_member(line, "params");
}

std::string Message::tool() const {
  const std::string_view value = params();
  return value.empty() ? std::string() : string_member(value, "name");
}

Message classify(std::string line) {
  Message message;
  message.line = std::move(line);
  message.id = "null";
  const base::Status valid = base::validate_json(message.line, kMaxDepth);
  if (!valid.ok()) {
    message.kind =
        valid.error().code == base::Errc::refused ? MessageKind::too_deep : MessageKind::not_json;
    return message;
  }
  switch (base::json_kind(message.line)) {
    case base::JsonKind::array:
      message.kind = MessageKind::batch;
      break;
    case base::JsonKind::object:
      classify_object(message);
      break;
    default:
      message.kind = MessageKind::not_json;
      break;
  }
  return message;
}

BatchContent batch_content(std::string_view array) {
  BatchContent content;
  for (const std::string_view element : base::json_elements(array)) {
    if (base::json_kind(element) != base::JsonKind::object) {
      continue;
    }
    const std::string method = string_member(element, "method");
    if (method.empty()) {
      continue;
    }
    const std::string_view id = base::json_member(element, "id");
    if (usable_id(id)) {
      content.request_ids.emplace_back(id);
    }
    if (method == "tools/call") {
      content.tool_call = true;
      const std::string_view params = base::json_member(element, "params");
      content.tools.push_back(params.empty() ? std::string() : string_member(params, "name"));
    }
  }
  return content;
}

bool same_id(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) {
    return false;
  }
  if (a == b) {
    return true;
  }
  const base::JsonKind kind = base::json_kind(a);
  if (kind != base::json_kind(b)) {
    return false;
  }
  if (kind == base::JsonKind::string) {
    return base::json_unescape(a) == base::json_unescape(b);
  }
  if (kind == base::JsonKind::number) {
    // A service may spell a number otherwise: 1.0 for 1, 1e+39 for 40 digits.
    return std::strtod(std::string(a).c_str(), nullptr) ==
           std::strtod(std::string(b).c_str(), nullptr);
  }
  return false;
}

std::string result_line(std::string_view id, std::string_view result) {
  std::string line = R"({"jsonrpc":"2.0","id":)";
  line.append(id).append(R"(,"result":)").append(result).append("}");
  return line;
}

std::string error_line(std::string_view id, int code, std::string_view message) {
  std::string line = R"({"jsonrpc":"2.0","id":)";
  line.append(id).append(R"(,"error":{"code":)").append(std::to_string(code));
  line.append(R"(,"message":)").append(base::quote_json(message)).append("}}");
  return line;
}

std::string notification_line(std::string_view method, std::string_view params) {
  std::string line = R"({"jsonrpc":"2.0","method":)";
  line.append(base::quote_json(method));
  if (!params.empty()) {
    line.append(R"(,"params":)").append(params);
  }
  line.append("}");
  return line;
}

}  // namespace robot_council::bridge
