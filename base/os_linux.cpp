// What Linux does in its own way: boot clock, signalfd, pidfd, /proc, statfs magic numbers.

#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <string>

#include "base/child.hpp"
#include "base/clock.hpp"
#include "base/files.hpp"
#include "base/os.hpp"
#include "base/paths.hpp"
#include "base/signals.hpp"
#include "base/text.hpp"

namespace robot_council::base {

Milliseconds SystemClock::awake_and_asleep() const {
  timespec now{};
  (void)::clock_gettime(CLOCK_BOOTTIME, &now);
  return Milliseconds(static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1000000);
}

Result<SignalReader> SignalReader::open(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal_number : signals) {
    sigaddset(&set, signal_number);
  }
  const int blocked = ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  if (blocked != 0) {
    return errno_error("block signals", blocked);
  }
  Fd fd(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!fd.valid()) {
    return errno_error("signalfd");
  }
  return SignalReader(std::move(fd));
}

std::optional<int> SignalReader::take() {
  signalfd_siginfo info{};
  ssize_t got = 0;
  do {
    got = ::read(fd_.get(), &info, sizeof info);
  } while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(sizeof info)) {
    return std::nullopt;
  }
  return static_cast<int>(info.ssi_signo);
}

namespace os {

void give_memory_back_early() {
#ifdef __GLIBC__
  // glibc raises this bound to the largest block ever freed, and keeps an arena for each thread:
  // after one answer of 16 MiB a bridge stayed at four times its size.
  constexpr int kOwnMapping = 128 * 1024;  // bytes: its first bound
  static_cast<void>(::mallopt(M_MMAP_THRESHOLD, kOwnMapping));
  static_cast<void>(::mallopt(M_TRIM_THRESHOLD, kOwnMapping));
  static_cast<void>(::mallopt(M_ARENA_MAX, 2));
#endif
}

namespace {

// Of the first object, which is the program itself; the others are shared by many programs.
int forget_first(dl_phdr_info* info, std::size_t /*size*/, void* /*unused*/) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (std::size_t i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    // What may be written holds more than the file does: it is not touched.
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) != 0) {
      continue;
    }
    const std::uintptr_t begin = (info->dlpi_addr + part.p_vaddr + page - 1) / page * page;
    const std::uintptr_t end = (info->dlpi_addr + part.p_vaddr + part.p_memsz) / page * page;
    if (end > begin) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader tells addresses as numbers
      static_cast<void>(::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED));
    }
  }
  return 1;
}

}  // namespace

void forget_program_pages() {
  ::dl_iterate_phdr(forget_first, nullptr);
}

Fd open_process(pid_t pid) {
  // pidfd_open has no wrapper in the C library of Debian 12's oldest supported kernels' headers.
  return Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

bool fill_random(void* into, std::size_t size) {
  auto* at = static_cast<unsigned char*>(into);
  while (size > 0) {
    const ssize_t got = ::getrandom(at, size, 0);
    if (got < 0) {
      if (errno == EINTR) {
        continue;
      }
      return false;
    }
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace os

namespace {

// The fields of /proc/<pid>/stat after the command name, which may hold blanks and brackets itself.
std::vector<std::string> stat_fields(pid_t pid) {
  // The file says it is empty; read_all does not ask.
  auto fd = open_file("/proc/" + std::to_string(pid) + "/stat", 0);
  if (!fd) {
    return {};
  }
  auto text = read_all(fd->get(), 4096, deadline_in(Milliseconds(1000)));
  if (!text) {
    return {};
  }
  const auto bracket = text->rfind(')');
  if (bracket == std::string::npos || bracket + 2 > text->size()) {
    return {};
  }
  return split(std::string_view(*text).substr(bracket + 2), ' ');
}

}  // namespace

std::string process_start_time(pid_t pid) {
  const auto fields = stat_fields(pid);
  constexpr std::size_t kStartTime = 22 - 3;  // field 22; the first one kept here is field 3
  return fields.size() > kStartTime ? fields[kStartTime] : std::string();
}

pid_t parent_of(pid_t pid) {
  const auto fields = stat_fields(pid);
  if (fields.size() < 2) {
    return 0;
  }
  return static_cast<pid_t>(parse_digits(fields[1]).value_or(0));
}

std::optional<bool> process_alive(pid_t pid, std::string_view start_time) {
  if (pid <= 0 || start_time.empty()) {
    return std::nullopt;
  }
  const auto fields = stat_fields(pid);
  if (fields.empty()) {
    if (exists("/proc/self/stat")) {
      return false;
    }
    return std::nullopt;
  }
  if (!fields[0].empty() && (fields[0] == "Z" || fields[0] == "X")) {
    return false;
  }
  return process_start_time(pid) == start_time;
}

std::string own_executable() {
  std::array<char, 4096> path{};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  if (size <= 0 || static_cast<std::size_t>(size) == path.size()) {
    return {};
  }
  return {path.data(), static_cast<std::size_t>(size)};
}

Result<std::string> network_file_system(const std::string& path) {
  struct statfs info {};
  if (::statfs(path.c_str(), &info) != 0) {
    return errno_error("statfs " + path);
  }
  // Numbers of statfs(2).
  switch (static_cast<unsigned long>(info.f_type)) {
    case 0x6969:
      return std::string("nfs");
    case 0xFF534D42UL:
    case 0xFE534D42UL:
    case 0x517B:
      return std::string("cifs");
    case 0x01021997:
      return std::string("9p");
    case 0x5346414FUL:
    case 0x6B414653UL:
      return std::string("afs");
    case 0x00C36400UL:
      return std::string("ceph");
    case 0x65735546UL:
      return std::string("fuse");
    default:
      return std::string();
  }
}

}  // namespace robot_council::base
