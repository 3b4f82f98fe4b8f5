#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sink/seat.hpp"

namespace robot_council::sink {

// The record `<R>.key` by which hooks find the key that a running bridge of their folder uses, also
// when the checkout was changed under it. Source: delivery contract, 1.2.

// <sink folder>/<R>.key, R from service, harness and the folder's real path (the string, if that
// cannot be made).
[[nodiscard]] std::string record_path(const std::string& sink_folder, const SeatNames& names,
                                      const std::string& folder);
// The same where base::real_path(folder) is known already.
[[nodiscard]] std::string record_path(const std::string& sink_folder, const SeatNames& names,
                                      const std::string& folder,
                                      const base::Result<std::string>& real);
// The key inside, if the trimmed content is 32 lower-case hex digits.
[[nodiscard]] std::optional<std::string> read_recorded_key(const std::string& path);

// A record this process wrote; it knows the file it wrote by device and inode. The destructor does
// not remove it.
class RecordedKey {
 public:
  // Writes the seat's key beside and renames. Best effort: nothing for a project, for cursor, or
  // when it failed. Makes the sink folder. Call it after the seat was resolved.
  [[nodiscard]] static std::optional<RecordedKey> write(const Seat& seat);
  // Removes the record if it is still the file written here; the last step of a bridge's end.
  void remove() const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  RecordedKey(std::string path, std::uint64_t device, std::uint64_t inode);
  std::string path_;
  std::uint64_t device_;
  std::uint64_t inode_;
};

}  // namespace robot_council::sink
