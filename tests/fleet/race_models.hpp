#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json_value.hpp"
#include "tests/fleet/linear_history.hpp"

// What each call of a race must answer, one call after another: the models of LinearHistory.
namespace robot_council::fleet::test {

// acquire, renew, release, force-release of `object` by `actor`; "lapse": every lease is over.
class LockModel {
 public:
  [[nodiscard]] std::optional<Effect> apply(const Call& call);
  [[nodiscard]] static bool may_change(const Call& call);
  auto operator<=>(const LockModel&) const = default;

 private:
  struct Lock {
    std::int64_t holder = 0;
    std::int64_t previous = 0;
    std::int64_t fence = 0;
    bool lapsed = false;
    [[nodiscard]] bool runs() const { return holder != 0 && !lapsed; }
    auto operator<=>(const Lock&) const = default;
  };
  [[nodiscard]] std::optional<Effect> acquire(const Call& call);
  // renew and release of one that does not run for the caller: the status that is due.
  [[nodiscard]] int refusal(const Call& call) const;
  std::map<std::string, Lock> locks_;
  std::int64_t fence_ = 0;  // the last one, of any name
};

// claim, start, block, complete, release of task `object`; `answer` is the status told.
class TaskModel {
 public:
  explicit TaskModel(std::int64_t director) : director_(director) {}
  [[nodiscard]] std::optional<Effect> apply(const Call& call);
  [[nodiscard]] static bool may_change(const Call& call);
  auto operator<=>(const TaskModel&) const = default;

 private:
  struct Task {
    std::string status = "pending";
    std::int64_t holder = 0;
    auto operator<=>(const Task&) const = default;
  };
  std::int64_t director_;
  std::map<std::string, Task> tasks_;
};

// approve, deny, exchange of one code; `fence` of an exchange is the installation. `installed`:
// that of the label so far.
class CodeModel {
 public:
  explicit CodeModel(std::int64_t installed) : installed_(installed) {}
  [[nodiscard]] std::optional<Effect> apply(const Call& call);
  [[nodiscard]] static bool may_change(const Call& call);
  auto operator<=>(const CodeModel&) const = default;

 private:
  std::string state_ = "pending";
  std::int64_t installed_;
};

// request, approve, impose of role `object`; deny; direct (a directive of the session); see (its
// role and the one asked for).
class RoleModel {
 public:
  [[nodiscard]] std::optional<Effect> apply(const Call& call);
  [[nodiscard]] static bool may_change(const Call& call);
  auto operator<=>(const RoleModel&) const = default;

 private:
  [[nodiscard]] std::optional<Effect> request(const Call& call);
  [[nodiscard]] std::optional<Effect> decide(const Call& call, const std::string& how);
  std::string role_ = "build";
  std::string requested_;
};

// An event in the models' words.
[[nodiscard]] std::string words_of(const base::Json& event);
[[nodiscard]] std::vector<std::string> words_of(const std::vector<base::Json>& events);

}  // namespace robot_council::fleet::test
