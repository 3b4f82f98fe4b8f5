#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Error bodies as the service writes them (service contract, 1.3). A client goes by the status only
// and shows `message`.
namespace robot_council::service_api {

// One failed field with its text, in the order of the checks.
using FieldErrors = std::vector<std::pair<std::string, std::string>>;

// {"message": TEXT}
[[nodiscard]] std::string message_body(std::string_view text);
// {"error": CODE}: the states of device/token.
[[nodiscard]] std::string grant_error_body(std::string_view code);
// {"message": "<first>[ (and N more errors)]", "errors": {FIELD: [TEXT, ...]}}. REQUIRES: not
// empty.
[[nodiscard]] std::string validation_body(const FieldErrors& errors);
[[nodiscard]] std::string validation_message(const FieldErrors& errors);

}  // namespace robot_council::service_api
