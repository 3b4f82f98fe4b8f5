#pragma once

#include <optional>
#include <string>

#include "base/environment.hpp"
#include "base/files.hpp"
#include "base/result.hpp"

namespace robot_council::sink {

// Paths of one seat's files: <folder>/<key> + suffix. Nothing is created. Source: delivery
// contract, 2.1.
struct SeatFiles {
  std::string folder;  // base::pending_directory(), as written (links not resolved)
  std::string key;     // 32 hex digits

  [[nodiscard]] std::string database() const { return path(".db"); }
  [[nodiscard]] std::string drain() const { return path(".drain"); }
  [[nodiscard]] std::string seat() const { return path(".seat"); }
  [[nodiscard]] std::string turn() const { return path(".turn"); }
  [[nodiscard]] std::string hook() const { return path(".hook"); }
  [[nodiscard]] std::string wait() const { return path(".wait"); }
  [[nodiscard]] std::string wait_lock() const { return path(".wait.lock"); }
  [[nodiscard]] std::string bridge() const { return path(".bridge"); }
  [[nodiscard]] std::string joined() const { return path(".joined"); }
  [[nodiscard]] std::string path(const std::string& suffix) const {
    return folder + "/" + key + suffix;
  }
};

[[nodiscard]] SeatFiles seat_files(const base::Environment& environment, const std::string& key);

// `an older program left <n> bytes in <path>; nothing reads it.` if <key>.json is there and not
// empty.
[[nodiscard]] std::optional<std::string> older_program_line(const SeatFiles& files);
// `the sink folder <dir> is on <type>, where file locks are not reliable; set XDG_STATE_HOME to a
// local folder.` Looks at the nearest existing parent when the folder is not there yet. `probe`
// tells the type, "" for a local one.
using FileSystemProbe = base::Result<std::string> (*)(const std::string& path);
[[nodiscard]] std::optional<std::string> network_folder_line(
    const SeatFiles& files, FileSystemProbe probe = base::network_file_system);

}  // namespace robot_council::sink
