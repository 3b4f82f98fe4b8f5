#include "base/environment.hpp"

#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "base/text.hpp"

namespace robot_council::base {

std::string Environment::get_or_empty(const std::string& name) const {
  return get(name).value_or(std::string());
}

std::optional<std::string> Environment::nonblank(const std::string& name) const {
  auto value = get(name);
  if (!value || is_blank(*value)) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::string> ProcessEnvironment::get(const std::string& name) const {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) {
    return std::nullopt;
  }
  return std::string(value);
}

std::vector<std::string> ProcessEnvironment::all() const {
  std::vector<std::string> values;
  for (char** at = ::environ; at != nullptr && *at != nullptr; ++at) {
    values.emplace_back(*at);
  }
  return values;
}

MapEnvironment::MapEnvironment(std::map<std::string, std::string> values)
    : values_(std::move(values)) {}

void MapEnvironment::set(const std::string& name, std::string value) {
  values_[name] = std::move(value);
}

void MapEnvironment::unset(const std::string& name) {
  values_.erase(name);
}

std::optional<std::string> MapEnvironment::get(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) {
    return std::nullopt;
  }
  return found->second;
}

std::vector<std::string> MapEnvironment::all() const {
  std::vector<std::string> values;
  values.reserve(values_.size());
  for (const auto& [name, value] : values_) {
    std::string entry = name;
    entry += '=';
    entry += value;
    values.push_back(std::move(entry));
  }
  return values;
}

}  // namespace robot_council::base
