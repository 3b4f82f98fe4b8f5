#include "service-api/patterns.hpp"

#include <algorithm>
#include <array>

#include "service-api/limits.hpp"
#include "service-api/names.hpp"

namespace robot_council::service_api {

namespace {

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_alnum(char c) {
  return is_lower(c) || is_upper(c) || is_digit(c);
}

bool is_one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

template <class Allowed>
bool all(std::string_view text, std::size_t max, Allowed allowed) {
  return !text.empty() && text.size() <= max && std::all_of(text.begin(), text.end(), allowed);
}

bool is_word(char c) {
  return is_alnum(c) || is_one_of(c, "._-");
}

bool only_dots(std::string_view text) {
  return text.find_first_not_of('.') == std::string_view::npos;
}

bool is_repository_part(std::string_view part) {
  return all(part, kMaxRepository, is_word) && part.front() != '-' && !only_dots(part);
}

}  // namespace

bool is_project_id(std::string_view text) {
  return all(text, kMaxProjectId, [](char c) { return is_word(c) || c == '/'; });
}

bool is_issue(std::string_view text) {
  const std::size_t hash = text.rfind('#');
  if (text.size() > kMaxIssue || hash == std::string_view::npos) {
    return false;
  }
  const std::string_view number = text.substr(hash + 1);
  return is_repository(text.substr(0, hash)) && all(number, kMaxIssue, is_digit) &&
         number.front() != '0';
}

bool is_branch(std::string_view text) {
  return all(text, kMaxBranch, [](char c) { return is_word(c) || c == '/'; }) &&
         !is_one_of(text.front(), "-./") && !is_one_of(text.back(), "./") &&
         text.find("..") == std::string_view::npos && text.find("//") == std::string_view::npos;
}

bool is_sub_label(std::string_view text) {
  return all(text, kMaxSubLabel, is_word) && is_alnum(text.front());
}

bool is_repository(std::string_view text) {
  const std::size_t slash = text.find('/');
  return text.size() <= kMaxRepository && slash != std::string_view::npos &&
         is_repository_part(text.substr(0, slash)) && is_repository_part(text.substr(slash + 1));
}

bool is_work_location(std::string_view text) {
  return all(text, kMaxWorkLocation,
             [](char c) { return is_lower(c) || is_digit(c) || is_one_of(c, "._-"); }) &&
         text.front() != '-' && !only_dots(text);
}

bool is_harness(std::string_view text) {
  return all(text, kMaxHarness, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

bool is_machine_label(std::string_view text) {
  return all(text, kMaxMachineLabel, is_word);
}

bool is_os_family(std::string_view text) {
  constexpr std::array<std::string_view, 6> kFamilies{"Windows", "Darwin",  "Linux",
                                                      "BSD",     "Solaris", "Unknown"};
  return std::find(kFamilies.begin(), kFamilies.end(), text) != kFamilies.end();
}

bool is_arch(std::string_view text) {
  return all(text, kMaxArch, is_word) && is_alnum(text.front());
}

bool is_lock_name(std::string_view text) {
  return all(text, kMaxLockName, [](char c) { return is_word(c) || is_one_of(c, ":/"); });
}

bool is_code_challenge(std::string_view text) {
  constexpr std::size_t kHexDigits = 64;
  return text.size() == kHexDigits &&
         all(text, kHexDigits, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

bool is_role(std::string_view text) {
  return std::find(role::kAll.begin(), role::kAll.end(), text) != role::kAll.end();
}

bool is_task_status(std::string_view text) {
  return std::find(task_status::kAll.begin(), task_status::kAll.end(), text) !=
         task_status::kAll.end();
}

bool is_token(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

std::string normal_user_code(std::string_view typed) {
  std::string code;
  for (const char c : typed) {
    if (is_lower(c)) {
      code += static_cast<char>(c - 'a' + 'A');
    } else if (is_upper(c)) {
      code += c;
    }
  }
  return code;
}

}  // namespace robot_council::service_api
