#include "sink/check.hpp"

#include <sqlite3.h>

#include "base/text.hpp"
#include "sink/database.hpp"

namespace robot_council::sink {

base::Status check_file(const SeatFiles& files, const WaitBudget& budget) try {
  const Location location = locate(files);
  if (location.at == AtPath::nothing) {
    return {};
  }
  if (location.at == AtPath::refused) {
    return not_opened(files);
  }
  const auto connection = Connection::open(files, Connection::Mode::read_only, budget.deadline());
  const std::string verdict = connection->db().execAndGet("PRAGMA quick_check(1)").getString();
  if (verdict == "ok") {
    return {};
  }
  return base::Error{base::Errc::corrupt, base::replace_all(verdict, "\n", " ")};
} catch (const SQLite::Exception& x) {
  return reader_error(files, x, Phase::reading);
}

std::string sqlite_version() {
  return ::sqlite3_libversion();
}

}  // namespace robot_council::sink
