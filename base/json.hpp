#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"

namespace robot_council::base {

// Input is read as Json (sorted keys, linear time); answers whose key order matters are built as
// OrderedJson.
using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

inline constexpr std::size_t kMaxJsonDepth = 128;  // levels; nlohmann's dump() recurses

// Strict JSON (RFC 8259), UTF-8. invalid: not JSON, over max_bytes, or nested deeper than
// max_depth; `what` names line and column where it can. Duplicate keys: the last wins. Numbers that
// fit no double are invalid here (see json_scan.hpp).
[[nodiscard]] Result<Json> parse_bounded(std::string_view text, std::size_t max_bytes,
                                         std::size_t max_depth = kMaxJsonDepth);
// Compact; invalid UTF-8 becomes U+FFFD, "/" and non-ASCII stay as they are. Never throws.
[[nodiscard]] std::string dump_safe(const Json& value);
[[nodiscard]] std::string dump_safe(const OrderedJson& value);
// Indented by `indent` blanks.
[[nodiscard]] std::string dump_pretty(const OrderedJson& value, int indent);

// Members of an object; nothing (nullptr) when `value` is no object, the key is missing or of
// another type.
[[nodiscard]] std::optional<std::string> get_string(const Json& value, std::string_view key);
[[nodiscard]] std::optional<bool> get_bool(const Json& value, std::string_view key);
// An integral JSON number within 64 bits: 12 and 12.0, not "12", not 12.5.
[[nodiscard]] std::optional<std::int64_t> get_integer(const Json& value, std::string_view key);
[[nodiscard]] std::optional<double> get_number(const Json& value, std::string_view key);
[[nodiscard]] const Json* get_object(const Json& value, std::string_view key);
[[nodiscard]] const Json* get_array(const Json& value, std::string_view key);
// Any member, null included.
[[nodiscard]] const Json* get_member(const Json& value, std::string_view key);
[[nodiscard]] std::optional<std::int64_t> as_integer(const Json& value);

// A JSON string literal with its quotes.
[[nodiscard]] std::string quote_json(std::string_view text);

}  // namespace robot_council::base
