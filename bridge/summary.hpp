#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace robot_council::bridge {

// What came of asking for a role.
struct RoleAnswer {
  bool asked = false;
  std::string wanted;
  int status = 0;  // of the service, 0: no answer
  bool pending = false;
  std::string held;     // its role now, "" if not told
  std::string message;  // the service's, printable
  [[nodiscard]] bool failed() const { return status < 200 || status > 299; }
};

struct CapacityAnswer {
  std::optional<std::int64_t> asked;
  std::optional<std::int64_t> capacity;  // reported
  std::optional<std::int64_t> declared;
};

struct Joined {
  std::optional<std::int64_t> session;
  std::string repository;  // "" unset
  std::string work_location;
  std::string unset_notes;  // L17 lines, joined by blanks, "" none
  RoleAnswer role;
  CapacityAnswer capacity;
};

// The sentences of 5.3. Pure.
[[nodiscard]] std::string join_summary(const Joined& joined);
// "" when build was wanted. `subject`: "It" at a join, "This session" for the tool: the first word
// of a note.
[[nodiscard]] std::string role_note(const RoleAnswer& answer, std::string_view subject);
// What follows "failed. ": the reason a role request failed.
[[nodiscard]] std::string role_failure(const RoleAnswer& answer);
[[nodiscard]] std::string capacity_note(const CapacityAnswer& answer);

}  // namespace robot_council::bridge
