#include <unistd.h>

#include <utility>

#include "base/files.hpp"
#include "harness/settings_limits.hpp"
#include "stop-hook/scan.hpp"
#include "stop-hook/scan_limits.hpp"

namespace robot_council::stop_hook {

DiskSettingsFiles::DiskSettingsFiles(std::string system_root)
    : system_root_(std::move(system_root)) {}

std::string DiskSettingsFiles::placed(const std::string& path) const {
  const bool machine_wide = path.rfind("/etc/", 0) == 0 || path.rfind("/Library/", 0) == 0;
  return machine_wide ? system_root_ + path : path;
}

base::Result<std::string> DiskSettingsFiles::read(const std::string& path) const {
  const std::string place = placed(path);
  const auto info = base::file_info(place, base::Links::follow);
  if (!info.ok()) {
    // A dangling link, a file where a folder should be: nothing is there. A folder that may not be
    // entered: cannot be told.
    return info.error().code == base::Errc::refused
               ? info.error()
               : base::Error{base::Errc::not_found, path + " is not there"};
  }
  return base::read_file(place, harness::kMaxSettingsBytes);
}

base::Result<std::string> DiskSettingsFiles::real_path(const std::string& path) const {
  return base::real_path(placed(path));
}

std::vector<std::string> DiskSettingsFiles::list(const std::string& folder) const {
  return base::list_directory(placed(folder), kMaxDropIns).value_or({});
}

bool DiskSettingsFiles::exists(const std::string& path) const {
  return base::file_info(placed(path), base::Links::follow).ok();
}

bool DiskSettingsFiles::executable(const std::string& path) const {
  const std::string place = placed(path);
  const auto info = base::file_info(place, base::Links::follow);
  return info.ok() && info->kind == base::FileKind::regular && ::access(place.c_str(), X_OK) == 0;
}

}  // namespace robot_council::stop_hook
