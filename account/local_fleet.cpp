#include "account/local_fleet.hpp"

#include <string>

#include "account/limits.hpp"
#include "base/file_lock.hpp"
#include "base/files.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"

namespace robot_council::account {

namespace {

base::Error not_usable(const std::string& path, const std::string& why) {
  return base::Error{base::Errc::refused,
                     "The operator token `" + path + "` " + why +
                         ". It belongs to this user's `robot-council serve`; is that running?"};
}

}  // namespace

LocalFleet find_local_fleet(const base::Context& context, const std::string& data,
                            const std::string& given) {
  LocalFleet fleet;
  fleet.data =
      data.empty() ? base::join_path(base::data_directory(context.environment), "fleet") : data;
  fleet.service = base::without_trailing(given, '/');
  if (!fleet.service.empty()) {
    return fleet;
  }
  fleet.by_default = true;
  const auto written = base::read_file(base::join_path(fleet.data, "service.url"), kMaxServiceFile);
  fleet.service = written ? base::without_trailing(base::trim(*written), '/') : "";
  if (fleet.service.empty()) {
    fleet.service = kDefaultLocalService;
  }
  return fleet;
}

base::Result<std::string> operator_token(const LocalFleet& fleet) {
  const std::string path = base::join_path(fleet.data, "operator.token");
  const auto there = base::file_info(path, base::Links::dont);
  if (!there) {
    return not_usable(
        path, there.error().code == base::Errc::not_found ? "is not there" : "cannot be read");
  }
  if (auto private_file = base::check_private_file(path); !private_file) {
    return not_usable(path, "is not private to you (" + private_file.error().what + ")");
  }
  const auto text = base::read_file(path, kMaxServiceFile, base::Links::dont);
  if (!text) {
    return not_usable(path, "cannot be read (" + text.error().what + ")");
  }
  std::string token(base::trim(*text));
  if (token.empty() || token.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return not_usable(path, "does not hold a token");
  }
  if (fleet.by_default) {
    const auto running = base::FileLock::held(base::join_path(fleet.data, "serve.lock"));
    if (!running || !*running) {
      return not_usable(path, "is not sent to " + fleet.service + ", because no `serve` runs on `" +
                                  fleet.data + "`");
    }
  }
  return token;
}

}  // namespace robot_council::account
