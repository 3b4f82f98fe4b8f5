#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/result.hpp"

namespace robot_council::account {

// A JSON object in a file that only its owner may read: credentials.json, enrolments.json (account
// contract, section 3). Readers see the old object or the new one, whenever a writer dies.
class PrivateJson {
 public:
  explicit PrivateJson(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] const std::string& path() const { return path_; }

  // The object; nothing if there is no file; empty for zero bytes.
  // Errors  refused: a link, no regular file, another owner, or mode & 077 of it or its folder (a
  // whole sentence, with the chmod to
  //         run); corrupt: no JSON object; io, invalid (over kMaxAccountFile). The file stays as it
  //         is.
  [[nodiscard]] base::Result<std::optional<base::Json>> read() const;

  // Under the lock "<path>.lock": reads, lets `change` edit, replaces the file (folder 0700, file
  // 0600, synced). An object left empty removes the file. What does not parse is first renamed to
  // "<path>.corrupt-<UTC>" and said. Errors  as read(); busy: the lock was held for 5 s. Nothing
  // changed then.
  [[nodiscard]] base::Status edit(const base::Clock& clock, base::Log& log,
                                  const std::function<void(base::Json&)>& change) const;

 private:
  [[nodiscard]] base::Result<base::Json> read_to_change(const base::Clock& clock,
                                                        base::Log& log) const;
  std::string path_;
};

}  // namespace robot_council::account
