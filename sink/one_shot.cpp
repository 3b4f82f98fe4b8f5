#include "sink/one_shot.hpp"

#include <sqlite3.h>

namespace robot_council::sink {
namespace {

bool prepared =
    false;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): see is_one_shot

}  // namespace

// Failing is no harm: SQLITE_MISUSE when SQLite runs already, and then with its defaults.
void prepare_one_shot() {
  // Its page cache would touch 20 pages, its small blocks 12, of which a quiet call needs three.
  static_cast<void>(sqlite3_config(SQLITE_CONFIG_PAGECACHE, nullptr, 0, 0));
  static_cast<void>(sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0));
  prepared = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK;
}

bool is_one_shot() {
  return prepared;
}

}  // namespace robot_council::sink
