#include "sink/seat_files.hpp"

#include "base/files.hpp"
#include "base/paths.hpp"

namespace robot_council::sink {

SeatFiles seat_files(const base::Environment& environment, const std::string& key) {
  return {base::pending_directory(environment), key};
}

std::optional<std::string> older_program_line(const SeatFiles& files) {
  const std::string path = files.path(".json");
  auto info = base::file_info(path, base::Links::dont);
  if (!info || info->kind != base::FileKind::regular || info->size == 0) {
    return std::nullopt;
  }
  return "an older program left " + std::to_string(info->size) + " bytes in " + path +
         "; nothing reads it.";
}

std::optional<std::string> network_folder_line(const SeatFiles& files, FileSystemProbe probe) {
  std::string folder = files.folder;
  while (folder.size() > 1 && !base::exists(folder)) {
    folder = base::parent_path(folder);
  }
  auto type = probe(folder);
  if (!type || type->empty()) {
    return std::nullopt;
  }
  return "the sink folder " + files.folder + " is on " + *type +
         ", where file locks are not reliable; set XDG_STATE_HOME to a local folder.";
}

}  // namespace robot_council::sink
