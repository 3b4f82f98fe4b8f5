#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace robot_council::bridge {

// What a join was told: the arguments of the tool, the options of --auto-join, or those of a join
// record. Nothing = not given.
struct JoinRequest {
  std::optional<std::string> role;        // build, ci, coordinator
  std::optional<std::string> repository;  // as given, trimmed
  std::optional<std::string> work_location;
  std::optional<std::int64_t> capacity;  // >= 1
};

[[nodiscard]] bool is_role(std::string_view role);

// A whole number >= 1 as an option's text or a JSON value's bytes: an integer, a number without a
// fraction (2.0), or (JSON) a canonical digit string ("2", not "03").
[[nodiscard]] std::optional<std::int64_t> capacity_of_option(std::string_view text);
[[nodiscard]] std::optional<std::int64_t> capacity_of_json(std::string_view bytes);

// The `arguments` of a tools/call `join` (JSON bytes, may be empty or no object). Unknown members
// are ignored; texts are trimmed, blank or of another type is not given. invalid: `what` is the
// answer's text.
[[nodiscard]] base::Result<JoinRequest> join_arguments(std::string_view arguments);
// The `role` of a role_request.
[[nodiscard]] base::Result<std::string> role_argument(std::string_view arguments);

}  // namespace robot_council::bridge
