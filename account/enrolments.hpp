#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "account/private_json.hpp"
#include "base/context.hpp"
#include "base/result.hpp"

namespace robot_council::account {

// What is known about one stored credential, no secret in it. Times in ms since 1970.
struct Enrolment {
  std::string store;  // name of the store that holds the token
  std::string machine_label;
  std::optional<std::int64_t> installation_id;
  std::int64_t enrolled_ms = 0;
  std::optional<std::int64_t> expires_ms;
};

// CONF/enrolments.json:
// {"version":1,"entries":{"<key>":{"store","machine_label","installation_id","enrolled_at","expires_at"}}},
// times as "2026-12-30T10:00:00Z". A missing file is an empty one.
class Enrolments {
 public:
  explicit Enrolments(const base::Context& context);
  [[nodiscard]] const std::string& path() const { return file_.path(); }

  // Every entry by key. Errors: refused: others may read the file, or a link (whole sentence). A
  // file that does not parse or is of a newer version is said once and counts as empty: it only
  // tells where to look first and when a credential ends.
  [[nodiscard]] base::Result<std::map<std::string, Enrolment>> read() const;
  // Errors: as PrivateJson::edit; unsupported: a newer version wrote the file (it stays as it is).
  [[nodiscard]] base::Status put(const std::string& key, const Enrolment& enrolment) const;
  [[nodiscard]] base::Status remove(const std::string& key) const;

 private:
  base::Context context_;
  PrivateJson file_;
};

}  // namespace robot_council::account
