#include "tests/wiring/online/odd_mounts.hpp"

#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace robot_council::test {

namespace {

std::string error_of(const char* what) {
  return std::string(what) + ": " + std::strerror(errno);
}

// A mount must not leave this process.
std::string own_namespace() {
  if (::geteuid() != 0) {
    return "only root can mount a file system";
  }
  if (::unshare(CLONE_NEWNS) != 0) {
    return error_of("unshare");
  }
  return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0
             ? error_of("make mounts private")
             : "";
}

template <class Body>
void reply(int device, std::uint64_t unique, const Body& body) {
  struct {
    fuse_out_header head;
    Body body;
  } out{};
  out.head.len = sizeof out.head + sizeof body;
  out.head.unique = unique;
  out.body = body;
  static_cast<void>(!::write(device, &out, out.head.len));
}

void refuse(int device, std::uint64_t unique, int error) {
  fuse_out_header head{};
  head.len = sizeof head;
  head.error = -error;
  head.unique = unique;
  static_cast<void>(!::write(device, &head, sizeof head));
}

}  // namespace

OddMount::OddMount(Kind kind, std::string place)
    : place_(std::move(place)), why_not_(own_namespace()) {
  if (!why_not_.empty()) {
    return;
  }
  if (kind == Kind::tmpfs || kind == Kind::read_only_tmpfs) {
    const unsigned long flags = kind == Kind::tmpfs ? 0UL : static_cast<unsigned long>(MS_RDONLY);
    if (::mount("none", place_.c_str(), "tmpfs", flags, "mode=700") != 0) {
      why_not_ = error_of("mount a tmpfs");
    }
    return;
  }
  device_ = base::Fd(::open("/dev/fuse", O_RDWR | O_CLOEXEC));
  if (!device_.valid()) {
    why_not_ = error_of("open /dev/fuse");
    return;
  }
  const std::string options =
      "fd=" + std::to_string(device_.get()) + ",rootmode=40700,user_id=0,group_id=0";
  if (::mount("none", place_.c_str(), "fuse", MS_NOSUID | MS_NODEV, options.c_str()) != 0) {
    why_not_ = error_of("mount a file system in user space");
  } else if (kind == Kind::empty_fuse) {
    thread_ = std::thread([this] { answer(); });
  }
}

OddMount::~OddMount() {
  if (why_not_.empty()) {
    static_cast<void>(::umount2(place_.c_str(), MNT_DETACH));
  }
  if (thread_.joinable()) {
    thread_.join();  // the device ended with the mount
  }
}

void OddMount::answer() {
  alignas(fuse_in_header) std::array<char, 1U << 20U> buffer;
  while (true) {
    const ssize_t got = ::read(device_.get(), buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || errno == ENOENT)) {
      continue;
    }
    if (got < static_cast<ssize_t>(sizeof(fuse_in_header))) {
      return;
    }
    fuse_in_header head{};
    std::memcpy(&head, buffer.data(), sizeof head);
    if (head.opcode == FUSE_INIT) {
      fuse_init_out out{};
      out.major = FUSE_KERNEL_VERSION;
      out.minor = FUSE_KERNEL_MINOR_VERSION;
      out.max_write = 4096;
      reply(device_.get(), head.unique, out);
    } else if (head.opcode == FUSE_GETATTR) {
      fuse_attr_out out{};
      out.attr.ino = 1;
      out.attr.mode = S_IFDIR | 0700;
      out.attr.nlink = 2;
      reply(device_.get(), head.unique, out);
    } else if (head.opcode == FUSE_STATFS) {
      fuse_statfs_out out{};
      out.st.bsize = 4096;
      out.st.namelen = 255;
      reply(device_.get(), head.unique, out);
    } else if (head.opcode == FUSE_LOOKUP) {
      refuse(device_.get(), head.unique, ENOENT);
    } else if (head.opcode != FUSE_FORGET && head.opcode != FUSE_BATCH_FORGET) {
      refuse(device_.get(), head.unique, ENOSYS);
    }
  }
}

}  // namespace robot_council::test
