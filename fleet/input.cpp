#include "fleet/input.hpp"

#include <utility>

#include "base/json_scan.hpp"
#include "base/json_value.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "fleet/limits.hpp"
#include "service-api/limits.hpp"
#include "service-api/values.hpp"

namespace robot_council::fleet {

namespace {

std::string label(const char* name) {
  return base::replace_all(name, "_", " ");
}

}  // namespace

base::Result<Input> Input::from_json(std::string_view text) {
  if (base::is_blank(text)) {
    text = "{}";
  }
  auto parsed = base::parse_bounded(text, kMaxBody, kMaxJsonNestingOfBody);
  if (!parsed) {
    return base::Error{base::Errc::invalid,
                       "The body must be JSON, in UTF-8 and nested no deeper than 32 levels."};
  }
  if (parsed->is_array() && parsed->empty()) {
    text = "{}";  // how a writer without typed objects sends an empty one
    parsed = base::Json::object();
  }
  if (!parsed->is_object()) {
    return base::Error{base::Errc::invalid, "The body must be a JSON object."};
  }
  return Input(std::make_shared<const base::Json>(std::move(*parsed)), std::string(text));
}

Input Input::from_query(const std::vector<std::pair<std::string, std::string>>& query) {
  base::Json json = base::Json::object();
  for (const auto& [name, value] : query) {
    json[name] = base::to_utf8(value);
  }
  std::string text = base::dump_safe(json);
  return {std::make_shared<const base::Json>(std::move(json)), std::move(text)};
}

std::string_view Input::raw(std::string_view name) const {
  return base::json_member(text_, name);
}

bool Fields::has(const char* name) const {
  return base::get_member(input_.json(), name) != nullptr;
}

void Fields::refuse(const char* name, std::string_view text) {
  errors_.emplace_back(prefix_ + name, text);
}

std::optional<std::string> Fields::text(const char* name, const TextRule& rule) {
  const base::Json* value = base::get_member(input_.json(), name);
  const bool nothing = value == nullptr || value->is_null() ||
                       (value->is_string() && base::is_blank(value->get_ref<const std::string&>()));
  if (nothing) {
    if (rule.need == Need::required || (value != nullptr && rule.null == Null::refused)) {
      refuse(name, "The " + label(name) + " field is required.");
    }
    return std::nullopt;
  }
  if (!value->is_string()) {
    refuse(name, "The " + label(name) + " field must be a text.");
    return std::nullopt;
  }
  auto text = value->get<std::string>();
  if (rule.max > 0 && base::count_code_points(text) > rule.max) {
    refuse(name, "The " + label(name) + " field must not be longer than " +
                     std::to_string(rule.max) + " characters.");
    return std::nullopt;
  }
  if (rule.shape != nullptr && !rule.shape(text)) {
    refuse(name, "The " + label(name) + " field is not of the form this service takes.");
    return std::nullopt;
  }
  return text;
}

std::optional<std::int64_t> Fields::integer(const char* name, Need need, std::int64_t min,
                                            std::int64_t max) {
  const base::Json* value = base::get_member(input_.json(), name);
  if (value == nullptr || value->is_null()) {
    if (need == Need::required) {
      refuse(name, "The " + label(name) + " field is required.");
    }
    return std::nullopt;
  }
  const auto number = service_api::integer_of(*value);
  if (!number) {
    refuse(name, "The " + label(name) + " field must be an integer.");
    return std::nullopt;
  }
  if (*number < min || *number > max) {
    refuse(name, max == INT64_MAX
                     ? "The " + label(name) + " field must be at least " + std::to_string(min) + "."
                     : "The " + label(name) + " field must be between " + std::to_string(min) +
                           " and " + std::to_string(max) + ".");
    return std::nullopt;
  }
  return number;
}

std::optional<bool> Fields::boolean(const char* name) {
  const base::Json* value = base::get_member(input_.json(), name);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (value->is_boolean()) {
    return value->get<bool>();
  }
  const auto number =
      value->is_string() || value->is_number() ? service_api::integer_of(*value) : std::nullopt;
  if (number && (*number == 0 || *number == 1)) {
    return *number == 1;
  }
  refuse(name, "The " + label(name) + " field must be true or false.");
  return std::nullopt;
}

std::vector<std::int64_t> Fields::ids(const char* name) {
  const base::Json* value = base::get_member(input_.json(), name);
  if (value == nullptr || value->is_null()) {
    return {};
  }
  std::vector<std::int64_t> ids;
  bool good = value->is_array() && value->size() <= service_api::kMaxAddressees;
  if (good) {
    for (const base::Json& item : *value) {
      const auto id = service_api::integer_of(item);
      good = good && id && *id >= 1;
      ids.push_back(id.value_or(0));
    }
  }
  if (!good) {
    refuse(name,
           "The " + label(name) + " field must be a list of at most 50 integers of at least 1.");
    return {};
  }
  return service_api::sorted_ids(std::move(ids));
}

std::string Fields::object(const char* name) {
  const base::Json* value = base::get_member(input_.json(), name);
  if (value == nullptr || value->is_null()) {
    return {};
  }
  const std::string_view raw = input_.raw(name);
  if (auto checked = service_api::check_free_object(raw); !checked) {
    refuse(name, "The " + label(name) + " field " + checked.error().what + ".");
    return {};
  }
  return service_api::is_empty_container(raw) ? std::string() : service_api::without_blanks(raw);
}

std::vector<std::string> Fields::words(const char* name, bool (*shape)(std::string_view)) {
  const base::Json* value = base::get_array(input_.json(), name);
  std::vector<std::string> words;
  bool good = value != nullptr && !value->empty() && value->size() <= service_api::kMaxAddressees;
  if (good) {
    for (const base::Json& item : *value) {
      good = good && item.is_string() && shape(item.get_ref<const std::string&>());
      words.push_back(item.is_string() ? item.get<std::string>() : std::string());
    }
  }
  if (!good) {
    refuse(name, "The " + label(name) + " field must be a list of words this service knows.");
    return {};
  }
  return words;
}

void Fields::forbid(const std::vector<const char*>& names, std::string_view call) {
  for (const char* name : names) {
    const base::Json* value = base::get_member(input_.json(), name);
    if (value != nullptr && !value->is_null()) {
      refuse(name, "The " + label(name) + " field does not belong to " + std::string(call) + ".");
    }
  }
}

}  // namespace robot_council::fleet
