#include "service-api/errors.hpp"

#include "base/check.hpp"
#include "base/json_value.hpp"

namespace robot_council::service_api {

std::string message_body(std::string_view text) {
  return base::dump_safe(base::OrderedJson{{"message", std::string(text)}});
}

std::string grant_error_body(std::string_view code) {
  return base::dump_safe(base::OrderedJson{{"error", std::string(code)}});
}

std::string validation_message(const FieldErrors& errors) {
  RC_CHECK(!errors.empty());
  std::string message = errors.front().second;
  const std::size_t more = errors.size() - 1;
  if (more > 0) {
    message += " (and " + std::to_string(more) + (more == 1 ? " more error)" : " more errors)");
  }
  return message;
}

std::string validation_body(const FieldErrors& errors) {
  base::OrderedJson by_field = base::OrderedJson::object();
  for (const auto& [name, text] : errors) {
    by_field[name].push_back(text);
  }
  base::OrderedJson body;
  body["message"] = validation_message(errors);
  body["errors"] = std::move(by_field);
  return base::dump_safe(body);
}

}  // namespace robot_council::service_api
