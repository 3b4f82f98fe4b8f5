#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Paths below the service URL (service contract, 1.1 and 8.6). `{}` stands for one segment, as
// net::HttpServer takes it.
namespace robot_council::service_api::path {

inline constexpr std::string_view kBase = "/robot-council/api";
inline constexpr std::string_view kHealth = "/healthz";

inline constexpr std::string_view kDeviceCode = "/robot-council/api/device/code";
inline constexpr std::string_view kDeviceToken = "/robot-council/api/device/token";
inline constexpr std::string_view kSessions = "/robot-council/api/sessions";
inline constexpr std::string_view kSession = "/robot-council/api/sessions/{}";
inline constexpr std::string_view kSessionRenew = "/robot-council/api/sessions/{}/renew";
inline constexpr std::string_view kAgentSession = "/robot-council/api/agent/session";
inline constexpr std::string_view kAgentHeartbeat = "/robot-council/api/agent/heartbeat";
inline constexpr std::string_view kAgentWatcher = "/robot-council/api/agent/watcher";
inline constexpr std::string_view kAgentRole = "/robot-council/api/agent/role";
inline constexpr std::string_view kEvents = "/robot-council/api/events";
inline constexpr std::string_view kDirectives = "/robot-council/api/directives";
inline constexpr std::string_view kTasks = "/robot-council/api/tasks";
inline constexpr std::string_view kTaskAction = "/robot-council/api/tasks/{}/{}";
inline constexpr std::string_view kLockAction = "/robot-council/api/locks/{}";
inline constexpr std::string_view kMcp = "/robot-council/api/mcp";

inline constexpr std::string_view kOperatorOverview = "/robot-council/api/operator/overview";
inline constexpr std::string_view kOperatorEvents = "/robot-council/api/operator/events";
inline constexpr std::string_view kOperatorDirectives = "/robot-council/api/operator/directives";
inline constexpr std::string_view kOperatorSignIn = "/robot-council/api/operator/sign-in";
inline constexpr std::string_view kOperatorEnrolment =
    "/robot-council/api/operator/enrolments/{}/{}";
inline constexpr std::string_view kOperatorSession = "/robot-council/api/operator/sessions/{}/{}";
inline constexpr std::string_view kOperatorRoleDeny =
    "/robot-council/api/operator/sessions/{}/role/deny";
inline constexpr std::string_view kOperatorInstallation =
    "/robot-council/api/operator/installations/{}/{}";

// The operator's page, and its address for approving a code; a client never builds these, the
// embedded service does.
inline constexpr std::string_view kEnrolPage = "/robot-council/enroll";
inline constexpr std::string_view kOperatorPage = "/robot-council/";
inline constexpr std::string_view kOperatorAssets = "/robot-council/assets/";

// sessions/{id}, sessions/{id}/renew.
[[nodiscard]] std::string session(std::int64_t session_id);
[[nodiscard]] std::string session_renew(std::int64_t session_id);
// tasks/{id}/claim and so on; locks/acquire and so on.
[[nodiscard]] std::string task_action(std::int64_t task_id, std::string_view action);
[[nodiscard]] std::string lock_action(std::string_view action);
// operator/enrolments/{user_code}/approve|deny; the code must be letters and digits.
[[nodiscard]] std::string operator_enrolment(std::string_view user_code, std::string_view decision);
// operator/sessions/{id}/role|role/deny|revoke.
[[nodiscard]] std::string operator_session(std::int64_t session_id, std::string_view act);
[[nodiscard]] std::string operator_installation_revoke(std::int64_t installation_id);

}  // namespace robot_council::service_api::path
