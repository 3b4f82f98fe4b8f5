#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace robot_council::base {

// The variables a piece of logic may read. Threads: const members are safe from any.
class Environment {
 public:
  Environment() = default;
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  Environment(Environment&&) = delete;
  Environment& operator=(Environment&&) = delete;
  virtual ~Environment() = default;

  // The value, also when empty; nothing when unset.
  [[nodiscard]] virtual std::optional<std::string> get(const std::string& name) const = 0;
  // "NAME=VALUE" of every variable, for a child.
  [[nodiscard]] virtual std::vector<std::string> all() const = 0;

  [[nodiscard]] bool has(const std::string& name) const { return get(name).has_value(); }
  // The value, or "" when unset.
  [[nodiscard]] std::string get_or_empty(const std::string& name) const;
  // The value untrimmed if it holds anything but blanks (space, tab, CR, LF, VT, FF), else nothing.
  [[nodiscard]] std::optional<std::string> nonblank(const std::string& name) const;
};

// The process's own variables, as they are at each call.
class ProcessEnvironment final : public Environment {
 public:
  [[nodiscard]] std::optional<std::string> get(const std::string& name) const override;
  [[nodiscard]] std::vector<std::string> all() const override;
};

// A fixed set of variables: for tests, and to look with another process's eyes (doctor).
class MapEnvironment final : public Environment {
 public:
  MapEnvironment() = default;
  explicit MapEnvironment(std::map<std::string, std::string> values);
  void set(const std::string& name, std::string value);
  void unset(const std::string& name);
  [[nodiscard]] std::optional<std::string> get(const std::string& name) const override;
  [[nodiscard]] std::vector<std::string> all() const override;

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace robot_council::base
