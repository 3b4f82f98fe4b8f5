#include "wiring/bridge_record.hpp"

#include <string>

#include "base/files.hpp"
#include "base/json_value.hpp"
#include "wiring/limits.hpp"

namespace robot_council::wiring {

base::Result<BridgeRecord> parse_bridge_record(std::string_view json) {
  const auto object = base::parse_bounded(json, kMaxBridgeRecord);
  if (!object) {
    return object.error();
  }
  BridgeRecord record;
  record.pid = base::get_integer(*object, "pid");
  record.version = base::get_string(*object, "version");
  record.since = base::get_string(*object, "since");
  record.service = base::get_string(*object, "service").value_or("");
  record.harness = base::get_string(*object, "harness").value_or("");
  record.project = base::get_string(*object, "project").value_or("");
  record.project_env = base::get_string(*object, "project_env");
  record.folder = base::get_string(*object, "folder").value_or("");
  record.path = base::get_string(*object, "path");
  record.state = base::get_string(*object, "state");
  record.session = base::get_integer(*object, "session");
  record.role = base::get_string(*object, "role");
  record.cursor = base::get_integer(*object, "cursor");
  record.read_at = base::get_string(*object, "read_at");
  record.tool_at = base::get_string(*object, "tool_at");
  record.noticed_at = base::get_string(*object, "noticed_at");
  record.channel = base::get_bool(*object, "channel");
  if (record.service.empty() || record.harness.empty()) {
    return base::Error{base::Errc::invalid, "no bridge record"};
  }
  return record;
}

base::Result<BridgeRecord> read_bridge_record(const std::string& path) {
  const auto text = base::read_file(path, kMaxBridgeRecord, base::Links::dont);
  if (!text) {
    return text.error();
  }
  return parse_bridge_record(*text);
}

}  // namespace robot_council::wiring
