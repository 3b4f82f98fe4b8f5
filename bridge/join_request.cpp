#include "bridge/join_request.hpp"

#include <cmath>

#include "base/json.hpp"
#include "base/json_scan.hpp"
#include "base/json_value.hpp"
#include "base/text.hpp"
#include "bridge/texts.hpp"

namespace robot_council::bridge {

namespace {

std::optional<std::string> given_text(std::string_view object, std::string_view key) {
  const std::string_view value = base::json_member(object, key);
  if (value.empty() || base::json_kind(value) != base::JsonKind::string) {
    return std::nullopt;
  }
  const std::string text(base::trim(base::json_unescape(value)));
  return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

// Checks 2 and 4 of the contract, 4.4. Nothing: not given.
base::Result<std::optional<std::string>> role_of(std::string_view arguments) {
  const std::string_view value = base::json_member(arguments, "role");
  if (value.empty() || base::json_kind(value) == base::JsonKind::null) {
    return std::optional<std::string>();
  }
  if (base::json_kind(value) != base::JsonKind::string) {
    return base::Error{base::Errc::invalid, std::string(text::kRoleNames)};
  }
  return given_text(arguments, "role");
}

}  // namespace

bool is_role(std::string_view role) {
  return role == "build" || role == "ci" || role == "coordinator";
}

std::optional<std::int64_t> capacity_of_option(std::string_view text) {
  if (text.empty() || text.front() == '0') {
    return std::nullopt;
  }
  return base::parse_digits(text);
}

std::optional<std::int64_t> capacity_of_json(std::string_view bytes) {
  switch (base::json_kind(bytes)) {
    case base::JsonKind::string:
      return capacity_of_option(base::json_unescape(bytes));
    case base::JsonKind::number: {
      const base::Result<base::Json> number = base::parse_bounded(bytes, bytes.size());
      if (!number.ok()) {
        return std::nullopt;
      }
      const std::optional<std::int64_t> whole = base::as_integer(*number);
      return whole && *whole >= 1 ? whole : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

base::Result<JoinRequest> join_arguments(std::string_view arguments) {
  JoinRequest request;
  if (arguments.empty() || base::json_kind(arguments) != base::JsonKind::object) {
    return request;
  }
  base::Result<std::optional<std::string>> role = role_of(arguments);
  if (!role.ok()) {
    return role.error();
  }
  const std::string_view capacity = base::json_member(arguments, "capacity");
  if (!capacity.empty() && base::json_kind(capacity) != base::JsonKind::null) {
    request.capacity = capacity_of_json(capacity);
    if (!request.capacity) {
      return base::Error{base::Errc::invalid, std::string(text::kCapacityArgument)};
    }
  }
  request.repository = given_text(arguments, "repository");
  request.work_location = given_text(arguments, "work_location");
  request.role = *role;
  if (request.role && !is_role(*request.role)) {
    return base::Error{base::Errc::invalid, text::unknown_role(*request.role)};
  }
  return request;
}

base::Result<std::string> role_argument(std::string_view arguments) {
  if (arguments.empty() || base::json_kind(arguments) != base::JsonKind::object) {
    return base::Error{base::Errc::invalid, std::string(text::kRoleNames)};
  }
  base::Result<std::optional<std::string>> role = role_of(arguments);
  if (!role.ok()) {
    return role.error();
  }
  if (!*role) {
    return base::Error{base::Errc::invalid, std::string(text::kRoleNames)};
  }
  if (!is_role(**role)) {
    return base::Error{base::Errc::invalid, text::unknown_role(**role)};
  }
  return **role;
}

}  // namespace robot_council::bridge
