#pragma once

#include <string>
#include <string_view>

// Shapes of the wire's fields (service contract, 1.4). Each matches the whole string; lengths are
// included. The texts are outside input: plain loops, no regular expressions.
namespace robot_council::service_api {

[[nodiscard]] bool is_project_id(std::string_view text);  // [A-Za-z0-9._/-]{1,128}
[[nodiscard]] bool is_issue(std::string_view text);       // owner/name#N, at most 151
[[nodiscard]] bool is_branch(
    std::string_view text);  // at most 200 of [A-Za-z0-9._/-], see the contract
[[nodiscard]] bool is_sub_label(std::string_view text);   // [A-Za-z0-9][A-Za-z0-9._-]*, at most 64
[[nodiscard]] bool is_repository(std::string_view text);  // owner/name, at most 140
[[nodiscard]] bool is_work_location(std::string_view text);  // a label, at most 32
[[nodiscard]] bool is_harness(std::string_view text);        // [a-z0-9-]{1,32}
[[nodiscard]] bool is_machine_label(std::string_view text);  // [A-Za-z0-9._-]{1,64}
[[nodiscard]] bool is_os_family(
    std::string_view text);                         // Windows, Darwin, Linux, BSD, Solaris, Unknown
[[nodiscard]] bool is_arch(std::string_view text);  // [A-Za-z0-9][A-Za-z0-9._-]{0,31}
[[nodiscard]] bool is_lock_name(std::string_view text);       // [A-Za-z0-9._:/-]{1,191}
[[nodiscard]] bool is_code_challenge(std::string_view text);  // 64 lower-case hex digits
[[nodiscard]] bool is_role(std::string_view text);            // build, ci, coordinator
[[nodiscard]] bool is_task_status(std::string_view text);     // the seven of 5.3
// Printable bytes only: a token with a control byte would break the header it is sent in (1.2).
[[nodiscard]] bool is_token(std::string_view text);

// A typed user code as it is looked up: upper case, all but letters dropped ("bcdf-ghjk" is
// "BCDFGHJK").
[[nodiscard]] std::string normal_user_code(std::string_view typed);
// The letters a user code is made of (section 2).
inline constexpr std::string_view kUserCodeAlphabet = "BCDFGHJKLMNPQRSTVWXZ";

}  // namespace robot_council::service_api
