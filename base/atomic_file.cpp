#include "base/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <utility>

#include "base/files.hpp"

namespace robot_council::base {
namespace {

constexpr Milliseconds kWriteTime{30000};  // a local disk that takes longer has failed
constexpr int kNameTries = 100;

}  // namespace

Result<AtomicFile> AtomicFile::create(const std::string& path, unsigned mode) {
  static std::atomic<unsigned> counter{0};  // two threads of one process need two names
  for (int i = 0; i < kNameTries; ++i) {
    std::string temporary =
        path + ".tmp." + std::to_string(::getpid()) + "." + std::to_string(counter++);
    auto fd = open_file(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
    if (!fd) {
      if (exists(temporary)) {
        continue;  // left by a dead process of the same pid
      }
      return fd.error();
    }
    if (::fchmod(fd->get(), mode) != 0) {
      const int why = errno;
      (void)::unlink(temporary.c_str());
      return errno_error("set the mode of " + temporary, why);
    }
    return AtomicFile(std::move(*fd), path, std::move(temporary));
  }
  return Error{Errc::io, "create " + path + ": no free temporary name"};
}

AtomicFile::AtomicFile(Fd fd, std::string path, std::string temporary)
    : fd_(std::move(fd)), path_(std::move(path)), temporary_(std::move(temporary)) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : fd_(std::move(other.fd_)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})) {}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  if (this != &other) {
    discard();
    fd_ = std::move(other.fd_);
    path_ = std::move(other.path_);
    temporary_ = std::exchange(other.temporary_, {});
  }
  return *this;
}

AtomicFile::~AtomicFile() {
  discard();
}

void AtomicFile::discard() {
  if (!temporary_.empty()) {
    (void)::unlink(temporary_.c_str());
    temporary_.clear();
  }
  fd_.reset();
}

Status AtomicFile::write(std::string_view bytes) {
  if (auto wrote = write_all(fd_.get(), bytes, deadline_in(kWriteTime)); !wrote) {
    return Error{wrote.error().code, "write " + temporary_ + ": " + wrote.error().what};
  }
  return {};
}

Status AtomicFile::commit(Sync sync) {
  if (sync == Sync::yes && ::fsync(fd_.get()) != 0) {
    return errno_error("sync " + temporary_);
  }
  // close() may report what a network file system could not write.
  if (::close(fd_.release()) != 0 && errno != EINTR) {
    return errno_error("close " + temporary_);
  }
  if (auto renamed = rename_file(temporary_, path_); !renamed) {
    return renamed;
  }
  temporary_.clear();
  return sync == Sync::yes ? sync_directory(parent_path(path_)) : Status();
}

Status replace_file(const std::string& path, std::string_view bytes, Sync sync, unsigned mode) {
  auto file = AtomicFile::create(path, mode);
  if (!file) {
    return file.error();
  }
  if (auto wrote = file->write(bytes); !wrote) {
    return wrote;
  }
  return file->commit(sync);
}

}  // namespace robot_council::base
