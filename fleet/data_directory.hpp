#pragma once

#include <string>

#include "base/file_lock.hpp"
#include "base/result.hpp"

namespace robot_council::fleet {

// The embedded service's folder (0700, files 0600): fleet.db, operator.token, service.url,
// serve.lock. One process at a time: the lock is held for the life of this object.
class DataDirectory {
 public:
  // A missing folder is made; an empty one or an older fleet's is set to 0700.
  // Errors: busy: another serve runs, `what` names its pid; refused: the folder is open to others
  // and holds other files, or the token is open to others; io.
  [[nodiscard]] static base::Result<DataDirectory> open(const std::string& path);

  // 64 hex digits; made at the first start. refused: readable by others.
  [[nodiscard]] base::Result<std::string> operator_token() const;
  [[nodiscard]] std::string operator_token_path() const;
  // service.url holds the address while the service runs.
  [[nodiscard]] base::Status write_url(const std::string& url) const;
  void remove_url() const;
  [[nodiscard]] std::string store_path() const;

 private:
  DataDirectory(std::string path, base::FileLock lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}
  std::string path_;
  base::FileLock lock_;
};

}  // namespace robot_council::fleet
