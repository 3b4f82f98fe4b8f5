#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace robot_council::wiring {

// `<key>.bridge`, or `<key>.bridge-<pid>` of a bridge without the seat: what a bridge tells of
// itself, at most 30 s old while it runs, kept when it ends (account contract, section 9). Times as
// the file has them, UTC; nothing: null or missing.
struct BridgeRecord {
  std::optional<std::int64_t> pid;
  std::optional<std::string> version;
  std::optional<std::string> since;
  std::string service;
  std::string harness;
  std::string project;                     // "" = none
  std::optional<std::string> project_env;  // ROBOT_COUNCIL_PROJECT of its environment
  std::string folder;                      // it was started in
  std::optional<std::string> path;         // PATH
  std::optional<std::string> state;        // folder of its sinks
  std::optional<std::int64_t> session;     // null once its end was answered
  std::optional<std::string> role;
  std::optional<std::int64_t> cursor;
  std::optional<std::string> read_at;  // last feed read
  std::optional<std::string> tool_at;  // last tool call
  std::optional<std::string> noticed_at;
  std::optional<bool> channel;  // declared
};

// invalid: no JSON object. Fields of another type count as missing.
[[nodiscard]] base::Result<BridgeRecord> parse_bridge_record(std::string_view json);
// not_found: there is none; other errors: it cannot be read.
[[nodiscard]] base::Result<BridgeRecord> read_bridge_record(const std::string& path);

}  // namespace robot_council::wiring
