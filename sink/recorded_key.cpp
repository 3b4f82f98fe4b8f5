#include "sink/recorded_key.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "sink/limits.hpp"

namespace robot_council::sink {

std::string record_path(const std::string& sink_folder, const SeatNames& names,
                        const std::string& folder) {
  return record_path(sink_folder, names, folder, base::real_path(folder));
}

std::string record_path(const std::string& sink_folder, const SeatNames& names,
                        const std::string& folder, const base::Result<std::string>& real) {
  const std::string record = record_name(names.service, names.harness, real.value_or(folder));
  return base::join_path(sink_folder, record + ".key");
}

std::optional<std::string> read_recorded_key(const std::string& path) {
  auto text = base::read_file(path, kMaxRecordBytes, base::Links::dont);
  if (!text) {
    return std::nullopt;
  }
  const std::string_view key = base::trim(*text);
  const bool good = key.size() == kKeyDigits && std::all_of(key.begin(), key.end(), [](char c) {
                      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
                    });
  return good ? std::optional<std::string>(key) : std::nullopt;
}

RecordedKey::RecordedKey(std::string path, std::uint64_t device, std::uint64_t inode)
    : path_(std::move(path)), device_(device), inode_(inode) {}

std::optional<RecordedKey> RecordedKey::write(const Seat& seat) {
  if (seat.kind != KeyKind::checkout || !base::make_private_directory(seat.files.folder)) {
    return std::nullopt;
  }
  const std::string path = record_path(seat.files.folder, seat.names, seat.folder);
  const std::string temporary = path + "." + std::to_string(::getpid());
  static_cast<void>(
      base::remove_file(temporary));  // of a process with our pid that was killed here
  auto fd = base::open_file(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (!fd) {
    return std::nullopt;
  }
  auto info = base::file_info(fd->get());
  if (!info || !base::write_all(fd->get(), seat.files.key, base::deadline_in(kBusyWait)) ||
      !base::rename_file(temporary, path)) {
    static_cast<void>(base::remove_file(temporary));
    return std::nullopt;
  }
  return RecordedKey(path, info->device, info->inode);
}

void RecordedKey::remove() const {
  auto info = base::file_info(path_, base::Links::dont);
  if (info && info->device == device_ && info->inode == inode_) {
    static_cast<void>(base::remove_file(path_));
  }
}

}  // namespace robot_council::sink
