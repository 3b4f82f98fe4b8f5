#include "brake/homes.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "brake/disk.hpp"
#include "brake/limits.hpp"

namespace robot_council::brake {
namespace {

std::string without_end_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') {
    path.pop_back();
  }
  return path;
}

std::string home_of_name_service() {
  std::vector<char> buffer(16384);
  struct ::passwd entry {};
  struct ::passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) != 0 ||
      found == nullptr || found->pw_dir == nullptr) {
    return {};
  }
  // LCOV_EXCL_START: a user whom only a name service knows
  return found->pw_dir;
  // LCOV_EXCL_STOP
}

std::string home_of_password_database() {
  std::string passwd;
  if (read_followed("/etc/passwd", kMaxPasswordFileBytes, &passwd) == 0) {
    std::string home = home_in_passwd(passwd, ::geteuid());
    if (!home.empty()) {
      return home;
    }
  }
  return home_of_name_service();
}

}  // namespace

std::string home_in_passwd(const std::string& passwd, unsigned uid) {
  const std::string wanted = std::to_string(uid);
  std::string_view rest = passwd;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    // name:password:uid:gid:comment:home:shell
    std::array<std::string_view, 7> fields{};
    std::size_t count = 0;
    while (count < fields.size()) {
      const std::size_t colon = line.find(':');
      fields.at(count) = line.substr(0, colon);
      ++count;
      if (colon == std::string_view::npos) {
        break;
      }
      line = line.substr(colon + 1);
    }
    if (count == fields.size() && fields[2] == wanted) {
      return std::string(fields[5]);
    }
  }
  return {};
}

std::vector<std::string> find_homes(const base::Environment& environment) {
  std::vector<std::string> homes;
  const std::string listed = without_end_slash(home_of_password_database());
  if (!listed.empty() && listed.front() == '/') {
    homes.push_back(listed);
  }
  const std::optional<std::string> given = environment.get("HOME");
  if (given && !given->empty() && given->front() == '/') {
    std::string home = without_end_slash(*given);
    if (std::find(homes.begin(), homes.end(), home) == homes.end()) {
      homes.push_back(std::move(home));
    }
  }
  return homes;
}

std::string stops_folder(const std::string& home) {
  return (home == "/" ? "" : home) + "/.robot-council/stops";
}

std::string everywhere_file(const std::string& home) {
  return stops_folder(home) + "/_everywhere.json";
}

}  // namespace robot_council::brake
