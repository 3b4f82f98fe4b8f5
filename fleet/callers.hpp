#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fleet/reply.hpp"
#include "fleet/unit.hpp"

namespace robot_council::fleet {

// A session as it is now, and who stands behind it.
struct Session {
  std::int64_t id = 0;
  std::int64_t developer_id = 0;
  std::string login;
  std::int64_t installation_id = 0;
  std::string harness;
  std::string machine_label;
  std::string role;
  std::optional<std::string> requested_role;
  std::string status;
  std::optional<std::string> repository;
  std::optional<std::string> work_location;
  std::optional<std::int64_t> declared_capacity;
  bool ephemeral = false;
  std::int64_t feed_cursor = 0;
  std::int64_t contact_at = 0;

  [[nodiscard]] bool live() const;
  [[nodiscard]] bool directs() const;  // holds coordinator:direct
  [[nodiscard]] Reader reader() const { return Reader{id, developer_id, false}; }
  [[nodiscard]] Actor actor() const { return Actor{id, login, directs()}; }
};

struct Installation {
  std::int64_t id = 0;
  std::int64_t developer_id = 0;
  std::string login;
  std::string harness;
  std::string machine_label;
};

// Who a token belongs to, or the 401 or 403 to answer. Everything is read at each request: expiry,
// revocation, the developer's permission. `token` is the text after "Bearer ".
[[nodiscard]] std::variant<Session, Reply> session_of_token(Unit& unit, std::string_view token);
[[nodiscard]] std::variant<Installation, Reply> installation_of_token(Unit& unit,
                                                                      std::string_view token);
// The session with this id, gone ones too.
[[nodiscard]] std::optional<Session> find_session(Unit& unit, std::int64_t id);

// In the wire's order; what a role holds at its next mint and, after a change, at once.
[[nodiscard]] std::vector<std::string> abilities_of(std::string_view role);
[[nodiscard]] bool role_holds(std::string_view role, std::string_view ability);
// 403 that names the ability.
[[nodiscard]] Reply missing_ability(std::string_view ability);

// min(tasks at once of the seat, declared).
[[nodiscard]] std::int64_t effective_capacity(const Settings& settings,
                                              const std::optional<std::int64_t>& declared);

// A new secret: `kind`, "|", 64 hex digits. What is stored of it.
[[nodiscard]] std::string new_token(std::string_view kind);
[[nodiscard]] std::string stored_form(std::string_view secret);

}  // namespace robot_council::fleet
