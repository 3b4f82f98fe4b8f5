#pragma once

#include <memory>
#include <string>

#include "base/log.hpp"
#include "base/result.hpp"
#include "fleet/store.hpp"

namespace robot_council::fleet {

// The store in one SQLite file, one connection behind one mutex. The caller holds DATA/serve.lock,
// so that this process is the only writer. Rollback journal (TRUNCATE) and full sync: when write()
// returns ok, the data is on the disk. A file left in WAL is converted first, since WAL of SQLite
// before 3.51.3 can lose committed pages (sqlite.org, WAL-reset bug). Errors  unsupported: the
// schema is newer than this program; corrupt: no database, it stays as it is; io; refused
// (permissions).
[[nodiscard]] base::Result<std::unique_ptr<Store>> open_sqlite_store(const std::string& path,
                                                                     base::Log& log);

// "3.40.1": the SQLite that is linked in.
[[nodiscard]] std::string sqlite_version();

}  // namespace robot_council::fleet
