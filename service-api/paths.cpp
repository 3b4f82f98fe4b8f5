#include "service-api/paths.hpp"

namespace robot_council::service_api::path {

namespace {

std::string below_base(std::string_view rest) {
  std::string text(kBase);
  text += rest;
  return text;
}

}  // namespace

std::string session(std::int64_t session_id) {
  return below_base("/sessions/" + std::to_string(session_id));
}

std::string session_renew(std::int64_t session_id) {
  return session(session_id) + "/renew";
}

std::string task_action(std::int64_t task_id, std::string_view action) {
  return below_base("/tasks/" + std::to_string(task_id) + "/" + std::string(action));
}

std::string lock_action(std::string_view action) {
  return below_base("/locks/" + std::string(action));
}

std::string operator_enrolment(std::string_view user_code, std::string_view decision) {
  return below_base("/operator/enrolments/" + std::string(user_code) + "/" + std::string(decision));
}

std::string operator_session(std::int64_t session_id, std::string_view act) {
  return below_base("/operator/sessions/" + std::to_string(session_id) + "/" + std::string(act));
}

std::string operator_installation_revoke(std::int64_t installation_id) {
  return below_base("/operator/installations/" + std::to_string(installation_id) + "/revoke");
}

}  // namespace robot_council::service_api::path
