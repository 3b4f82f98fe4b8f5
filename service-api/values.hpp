#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

// How values travel (service contract, section 1).
namespace robot_council::service_api {

// An id of a path: [0-9]{1,18}; all else is nothing (404).
[[nodiscard]] std::optional<std::int64_t> parse_path_id(std::string_view segment);

// 12, 12.0, "12" and "12.0" are the same integer; all else is nothing.
[[nodiscard]] std::optional<std::int64_t> integer_of(const base::Json& value);
[[nodiscard]] std::optional<std::int64_t> integer_of(std::string_view text);

// Distinct integers, ascending: how `to`, `to_tasks` and `targets` are stored.
[[nodiscard]] std::vector<std::int64_t> sorted_ids(std::vector<std::int64_t> ids);

// Bytes of a JSON text as compact JSON with non-ASCII as \uXXXX and "/" as "\/": what kMaxJsonBytes
// counts. The text must be valid JSON in UTF-8 (base::validate_json).
[[nodiscard]] std::size_t compact_size(std::string_view json);
// The same JSON without blanks between its parts; strings and numbers keep their bytes. The text
// must be valid.
[[nodiscard]] std::string without_blanks(std::string_view json);

// Checks a free-form object (meta, payload, result). invalid: no JSON object, nested deeper than
// kMaxJsonNesting, or over kMaxJsonBytes; `what` ends the sentence "The <field> ...".
[[nodiscard]] base::Status check_free_object(std::string_view json);
// An object or array without members.
[[nodiscard]] bool is_empty_container(std::string_view json);

}  // namespace robot_council::service_api
