#include "base/paths.hpp"

#include <pwd.h>
#include <unistd.h>

#include <vector>

#include "base/text.hpp"

namespace robot_council::base {
namespace {

std::string xdg(const Environment& environment, const std::string& variable,
                std::string_view below_home) {
  const auto value = environment.nonblank(variable);
  if (value && value->front() == '/') {
    const std::string path = without_trailing(*value, '/');
    return path.empty() ? "/" : path;
  }
  return home_directory(environment) + std::string(below_home);
}

}  // namespace

std::string home_directory(const Environment& environment) {
  if (auto home = environment.nonblank("HOME"); home && home->front() == '/') {
    const std::string path = without_trailing(*home, '/');
    return path.empty() ? "/" : path;
  }
  std::vector<char> buffer(16384);
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 &&
      found != nullptr && found->pw_dir != nullptr && found->pw_dir[0] == '/') {
    return found->pw_dir;
  }
  return temporary_directory(environment);
}

std::string state_home(const Environment& environment) {
  return xdg(environment, "XDG_STATE_HOME", "/.local/state");
}

std::string config_directory(const Environment& environment) {
  return xdg(environment, "XDG_CONFIG_HOME", "/.config") + "/robot-council";
}

std::string data_directory(const Environment& environment) {
  return xdg(environment, "XDG_DATA_HOME", "/.local/share") + "/robot-council";
}

std::string pending_directory(const Environment& environment) {
  return state_home(environment) + "/robot-council/pending";
}

std::string temporary_directory(const Environment& environment) {
  const auto value = environment.nonblank("TMPDIR");
  if (value && value->front() == '/') {
    const std::string path = without_trailing(*value, '/');
    return path.empty() ? "/" : path;
  }
  return "/tmp";
}

}  // namespace robot_council::base
