#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace robot_council::bridge {

// What one line of stdin is (JSON-RPC 2.0).
enum class MessageKind : std::uint8_t {
  not_json,         // not JSON, not UTF-8, or a scalar
  too_deep,         // nested deeper than kMaxDepth
  invalid_request,  // an object that is no message
  batch,            // an array
  response,         // id, no method: never answered
  notification,     // method, no or null id: never answered
  request,          // method and a number or string as id: answered once
};

struct Message {
  MessageKind kind = MessageKind::not_json;
  std::string line;    // the bytes as they came, trimmed
  std::string id;      // the id's bytes: echoed, never converted; "null" where there is none
  std::string method;  // unescaped

  // Bytes of `params`, empty if there are none. Points into `line`.
  [[nodiscard]] std::string_view params() const;
  // `params.name` of a tools/call, unescaped, empty if it is no string.
  [[nodiscard]] std::string tool() const;
};

[[nodiscard]] Message classify(std::string line);

// What a batch holds that the bridge must know.
struct BatchContent {
  std::vector<std::string> request_ids;  // bytes, in order
  bool tool_call = false;                // a tools/call is among its messages
  std::vector<std::string> tools;        // their names, for the decision log
};
[[nodiscard]] BatchContent batch_content(std::string_view array);

// Two ids as JSON-RPC compares them: strings by their text, numbers by their value. Never across
// types.
[[nodiscard]] bool same_id(std::string_view a, std::string_view b);

// One line each, without a newline. `result` is JSON text; `message` is escaped here.
[[nodiscard]] std::string result_line(std::string_view id, std::string_view result);
[[nodiscard]] std::string error_line(std::string_view id, int code, std::string_view message);
// A notification without or with params (JSON text).
[[nodiscard]] std::string notification_line(std::string_view method, std::string_view params = {});

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInternalError = -32603;
inline constexpr int kBraked = -32000;
inline constexpr int kNotJoined = -32002;

}  // namespace robot_council::bridge
