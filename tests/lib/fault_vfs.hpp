#pragma once

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <sqlite3.h>

namespace robot_council::test {

// A layer under SQLite through which a test stops a process at one write, sync, truncation or
// deletion of a database file, or cuts the power there: what was not synced is lost, in whole or in
// part. Install it in a child process only.
class FaultVfs {
 public:
  enum class Fault : std::uint8_t {
    none,
    kill,           // SIGKILL before the operation
    power_cut_all,  // every unsynced write is lost, then the process ends
    power_cut_some  // a part of the unsynced writes reaches the disk
  };
  static constexpr int kCutExit = 77;

  // The fault comes before operation number `at` (from 0). Never returns to the old state: for
  // child processes.
  static void install(Fault fault, int at, std::uint32_t seed = 1) {
    State& state = get();
    state.fault = fault;
    state.at = at;
    state.seed = seed;
    if (state.real != nullptr) {
      return;
    }
    state.real = sqlite3_vfs_find(nullptr);
    state.vfs = *state.real;
    state.vfs.zName = "fault";
    state.vfs.iVersion = 2;
    state.vfs.szOsFile = static_cast<int>(sizeof(File)) + state.real->szOsFile;
    state.vfs.xOpen = open;
    state.vfs.xDelete = remove;
    state.vfs.xAccess = [](sqlite3_vfs*, const char* name, int flags, int* out) {
      return real()->xAccess(real(), name, flags, out);
    };
    state.vfs.xFullPathname = [](sqlite3_vfs*, const char* name, int size, char* out) {
      return real()->xFullPathname(real(), name, size, out);
    };
    state.vfs.xRandomness = [](sqlite3_vfs*, int size, char* out) {
      return real()->xRandomness(real(), size, out);
    };
    state.vfs.xSleep = [](sqlite3_vfs*, int us) { return real()->xSleep(real(), us); };
    state.vfs.xCurrentTime = [](sqlite3_vfs*, double* out) {
      return real()->xCurrentTime(real(), out);
    };
    state.vfs.xCurrentTimeInt64 = [](sqlite3_vfs*, sqlite3_int64* out) {
      return real()->xCurrentTimeInt64(real(), out);
    };
    state.vfs.xGetLastError = [](sqlite3_vfs*, int size, char* out) {
      return real()->xGetLastError(real(), size, out);
    };
    sqlite3_vfs_register(&state.vfs, 1);
  }
  // Operations so far.
  static int count() { return get().operations; }

 private:
  struct Write {
    sqlite3_int64 at;
    std::string bytes;  // of a write; `size` of a truncation is `at`
    bool truncation;
  };
  struct Image {
    std::string synced;
    std::vector<Write> pending;
  };
  struct File {
    sqlite3_file base;
    const char* name;
    sqlite3_file* real;
  };
  struct State {
    sqlite3_vfs vfs{};
    sqlite3_vfs* real = nullptr;
    Fault fault = Fault::none;
    int at = 0;
    int operations = 0;
    std::uint32_t seed = 1;
    std::map<std::string, Image> images;
    std::recursive_mutex mu;  // a bridge's threads have a connection each
  };
  static State& get() {
    static State state;
    return state;
  }
  using Locked = std::lock_guard<std::recursive_mutex>;
  static sqlite3_vfs* real() { return get().real; }
  static File* file(sqlite3_file* handle) {
    return reinterpret_cast<File*>(handle);
  }  // NOLINT: SQLite's way to derive
  static sqlite3_file* inner(sqlite3_file* handle) { return file(handle)->real; }

  static void before_operation() {
    State& state = get();
    if (state.operations++ != state.at || state.fault == Fault::none) {
      return;
    }
    if (state.fault == Fault::kill) {
      ::raise(SIGKILL);
    }
    for (auto& [name, image] : state.images) {
      write_back(name, image);
    }
    ::_exit(kCutExit);
  }
  static void apply(std::string& content, const Write& write) {
    const auto at = static_cast<std::size_t>(write.at);
    if (write.truncation) {
      content.resize(at);
      return;
    }
    if (content.size() < at + write.bytes.size()) {
      content.resize(at + write.bytes.size());
    }
    content.replace(at, write.bytes.size(), write.bytes);
  }
  static void write_back(const std::string& name, const Image& image) {
    State& state = get();
    std::string content = image.synced;
    for (const Write& write : image.pending) {
      state.seed = state.seed * 1664525U + 1013904223U;
      if (state.fault == Fault::power_cut_some && ((state.seed >> 16U) & 1U) != 0) {
        apply(content, write);
      }
    }
    const int fd = ::open(name.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd >= 0) {
      static_cast<void>(!::write(fd, content.data(), content.size()));
      ::close(fd);
    }
  }

  static int open(sqlite3_vfs* /*vfs*/, const char* name, sqlite3_file* handle, int flags,
                  int* out) {
    const Locked locked(get().mu);
    File* opened = file(handle);
    opened->name = name;
    opened->real = reinterpret_cast<sqlite3_file*>(
        opened + 1);  // NOLINT: the memory behind it is for the real one
    const int code = real()->xOpen(real(), name, opened->real, flags, out);
    opened->base.pMethods = opened->real->pMethods != nullptr ? methods() : nullptr;
    if (code == SQLITE_OK && name != nullptr && get().images.count(name) == 0) {
      // What is there at the first opening counts as on the disk.
      sqlite3_int64 size = 0;
      opened->real->pMethods->xFileSize(opened->real, &size);
      std::string content(static_cast<std::size_t>(size), '\0');
      if (size > 0) {
        opened->real->pMethods->xRead(opened->real, content.data(), static_cast<int>(size), 0);
      }
      get().images[name] = {std::move(content), {}};
    }
    return code;
  }
  static int remove(sqlite3_vfs* /*vfs*/, const char* name, int sync) {
    const Locked locked(get().mu);
    before_operation();
    get().images.erase(name);
    return real()->xDelete(real(), name, sync);
  }
  static void note(sqlite3_file* handle, Write write) {
    if (file(handle)->name != nullptr) {
      get().images[file(handle)->name].pending.push_back(std::move(write));
    }
  }
  static int write(sqlite3_file* handle, const void* data, int size, sqlite3_int64 at) {
    const Locked locked(get().mu);
    before_operation();
    note(handle,
         {at, std::string(static_cast<const char*>(data), static_cast<std::size_t>(size)), false});
    return inner(handle)->pMethods->xWrite(inner(handle), data, size, at);
  }
  static int truncate(sqlite3_file* handle, sqlite3_int64 size) {
    const Locked locked(get().mu);
    before_operation();
    note(handle, {size, {}, true});
    return inner(handle)->pMethods->xTruncate(inner(handle), size);
  }
  static int sync(sqlite3_file* handle, int flags) {
    const Locked locked(get().mu);
    before_operation();
    if (file(handle)->name != nullptr) {
      Image& image = get().images[file(handle)->name];
      for (const Write& write : image.pending) {
        apply(image.synced, write);
      }
      image.pending.clear();
    }
    return inner(handle)->pMethods->xSync(inner(handle), flags);
  }

  static const sqlite3_io_methods* methods() {
    static const sqlite3_io_methods kMethods = [] {
      sqlite3_io_methods m{};
      m.iVersion = 1;
      m.xClose = [](sqlite3_file* h) { return inner(h)->pMethods->xClose(inner(h)); };
      m.xRead = [](sqlite3_file* h, void* to, int size, sqlite3_int64 at) {
        return inner(h)->pMethods->xRead(inner(h), to, size, at);
      };
      m.xWrite = write;
      m.xTruncate = truncate;
      m.xSync = sync;
      m.xFileSize = [](sqlite3_file* h, sqlite3_int64* size) {
        return inner(h)->pMethods->xFileSize(inner(h), size);
      };
      m.xLock = [](sqlite3_file* h, int level) {
        return inner(h)->pMethods->xLock(inner(h), level);
      };
      m.xUnlock = [](sqlite3_file* h, int level) {
        return inner(h)->pMethods->xUnlock(inner(h), level);
      };
      m.xCheckReservedLock = [](sqlite3_file* h, int* out) {
        return inner(h)->pMethods->xCheckReservedLock(inner(h), out);
      };
      m.xFileControl = [](sqlite3_file* h, int op, void* arg) {
        return inner(h)->pMethods->xFileControl(inner(h), op, arg);
      };
      m.xSectorSize = [](sqlite3_file* h) { return inner(h)->pMethods->xSectorSize(inner(h)); };
      m.xDeviceCharacteristics = [](sqlite3_file* h) {
        return inner(h)->pMethods->xDeviceCharacteristics(inner(h));
      };
      return m;
    }();
    return &kMethods;
  }
};

}  // namespace robot_council::test
