#include "wiring/online/doctor_check.hpp"

#include <utility>

namespace robot_council::wiring::online {

std::string_view to_text(CheckState state) {
  switch (state) {
    case CheckState::ok:
      return "ok";
    case CheckState::warning:
      return "warning";
    case CheckState::failed:
      return "failed";
    case CheckState::unknown:
      break;
  }
  return "unknown";
}

CheckState check_state(std::string_view text) {
  for (const CheckState state : {CheckState::ok, CheckState::warning, CheckState::failed}) {
    if (to_text(state) == text) {
      return state;
    }
  }
  return CheckState::unknown;
}

Check check_ok(std::string id, std::string text) {
  return {std::move(id), CheckState::ok, std::move(text), ""};
}

Check check_warning(std::string id, std::string text, std::string remedy) {
  return {std::move(id), CheckState::warning, std::move(text), std::move(remedy)};
}

Check check_failed(std::string id, std::string text, std::string remedy) {
  return {std::move(id), CheckState::failed, std::move(text), std::move(remedy)};
}

Check check_unknown(std::string id, std::string text, std::string remedy) {
  return {std::move(id), CheckState::unknown, std::move(text), std::move(remedy)};
}

}  // namespace robot_council::wiring::online
