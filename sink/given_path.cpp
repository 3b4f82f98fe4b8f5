#include "sink/given_path.hpp"

#include <cstring>

#include <sqlite3.h>

#include "base/mutex.hpp"

namespace robot_council::sink {
namespace {

int keep_path(sqlite3_vfs* /*vfs*/, const char* name, int size, char* out) {
  const std::size_t length = std::strlen(name);
  if (name[0] != '/' || length >= static_cast<std::size_t>(size)) {
    return SQLITE_CANTOPEN;
  }
  std::memcpy(out, name, length + 1);
  return SQLITE_OK;
}

struct Registered {
  base::Mutex mu;
  sqlite3_vfs vfs RC_GUARDED_BY(mu){};
  const sqlite3_vfs* copied RC_GUARDED_BY(mu) = nullptr;
};

}  // namespace

const char* given_path_vfs() {
  static Registered state;
  const base::MutexLock lock(state.mu);
  // Tests put one of theirs in its place.
  const sqlite3_vfs* const usual = sqlite3_vfs_find(nullptr);
  if (usual == nullptr) {
    return nullptr;  // LCOV_EXCL_LINE: no memory at the start
  }
  if (state.copied != usual) {
    if (state.copied != nullptr) {
      sqlite3_vfs_unregister(&state.vfs);
    }
    state.vfs = *usual;
    state.vfs.zName = "robot-council";
    state.vfs.xFullPathname = keep_path;
    sqlite3_vfs_register(&state.vfs, 0);
    state.copied = usual;
  }
  return state.vfs.zName;
}

}  // namespace robot_council::sink
