#include "base/files.hpp"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/atomic_file.hpp"
#include "base/file_lock.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::base {
namespace {

using test::read_text;
using test::TempDir;
using test::wait_until;
using test::write_text;

unsigned mode_of(const std::string& path) {
  auto info = file_info(path, Links::dont);
  return info ? info->mode : 0;
}

// A file system of a few pages, mounted on `path`; needs root and a mount namespace of its own.
class SmallDisk {
 public:
  explicit SmallDisk(std::string path) : path_(std::move(path)) {
    (void)::mkdir(path_.c_str(), 0700);
    mounted_ = ::mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=64k,mode=700") == 0;
  }
  ~SmallDisk() {
    if (mounted_) {
      (void)::umount(path_.c_str());
    }
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  SmallDisk(SmallDisk&&) = delete;
  SmallDisk& operator=(SmallDisk&&) = delete;
  [[nodiscard]] bool mounted() const { return mounted_; }

 private:
  std::string path_;
  bool mounted_ = false;
};

TEST(Files, ReadFileRefusesFifoFolderAndTooLarge) {
  const TempDir dir;
  ASSERT_EQ(::mkfifo((dir / "fifo").c_str(), 0600), 0);
  for (const char* name : {"fifo", "."}) {
    auto got = read_file(dir / name, 100);
    ASSERT_FALSE(got.ok()) << name;
    EXPECT_EQ(got.error().code, Errc::invalid) << name;
  }
  write_text(dir / "big", std::string(101, 'x'));
  EXPECT_EQ(read_file(dir / "big", 100).error().code, Errc::invalid);
  EXPECT_EQ(read_file(dir / "none", 100).error().code, Errc::not_found);
  auto whole = read_file(dir / "big", 101);
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(whole->size(), 101U);
}

// Files of the kernel's say that they are empty; others have grown since they were looked at.
TEST(Files, ReadFileReadsWhatIsThereWhateverTheSizeSaid) {
  const auto limits = read_file("/proc/self/limits", 100000);
  ASSERT_TRUE(limits.ok()) << limits.error().what;
  EXPECT_NE(limits->find("Max open files"), std::string::npos);
  EXPECT_EQ(limits->back(), '\n');
  // Longer than what is read at first of a file that says 0.
  const auto maps = read_file("/proc/kallsyms", 100U << 20U);
  ASSERT_TRUE(maps.ok()) << maps.error().what;
  EXPECT_GT(maps->size(), 8192U);
  EXPECT_EQ(maps->find('\0'), std::string::npos);
  EXPECT_EQ(read_file("/proc/kallsyms", 8192).error().code, Errc::invalid);
  const TempDir dir;
  write_text(dir / "empty", "");
  EXPECT_EQ(read_file(dir / "empty", 0).value(), "");
  write_text(dir / "one", "x");
  EXPECT_EQ(read_file(dir / "one", 1).value(), "x");
  EXPECT_EQ(read_file(dir / "one", 0).error().code, Errc::invalid);
}

TEST(Files, ReadFileCanRefuseLinks) {
  const TempDir dir;
  write_text(dir / "target", "content");
  ASSERT_EQ(::symlink((dir / "target").c_str(), (dir / "link").c_str()), 0);
  EXPECT_TRUE(read_file(dir / "link", 100).ok());
  EXPECT_FALSE(read_file(dir / "link", 100, Links::dont).ok());
}

TEST(Files, PrivateFoldersAreMadeAndNarrowed) {
  const TempDir dir;
  const mode_t old = ::umask(0);
  EXPECT_TRUE(make_private_directory(dir / "a/b/c").ok());
  ::umask(old);
  for (const char* name : {"a", "a/b", "a/b/c"}) {
    EXPECT_EQ(mode_of(dir / name), 0700U) << name;
  }
  ASSERT_EQ(::chmod((dir / "a/b/c").c_str(), 0755), 0);
  EXPECT_TRUE(make_private_directory(dir / "a/b/c").ok());
  EXPECT_EQ(mode_of(dir / "a/b/c"), 0700U);
  ASSERT_EQ(::symlink((dir / "a").c_str(), (dir / "link").c_str()), 0);
  EXPECT_EQ(make_private_directory(dir / "link").error().code, Errc::refused);
  write_text(dir / "file", "");
  EXPECT_FALSE(make_private_directory(dir / "file").ok());
  EXPECT_EQ(make_private_directory("relative").error().code, Errc::invalid);
}

TEST(Files, PrivateChecksNameTheReason) {
  const TempDir dir;
  write_text(dir / "secret", "x");
  ASSERT_EQ(::chmod((dir / "secret").c_str(), 0640), 0);
  auto wide = check_private_file(dir / "secret");
  ASSERT_FALSE(wide.ok());
  EXPECT_NE(wide.error().what.find("readable by more than its owner"), std::string::npos);
  ASSERT_EQ(::chmod((dir / "secret").c_str(), 0600), 0);
  EXPECT_TRUE(check_private_file(dir / "secret").ok());
  ASSERT_EQ(::chmod(dir.path().c_str(), 0755), 0);
  EXPECT_FALSE(check_private_file(dir / "secret").ok());
  ASSERT_EQ(::chmod(dir.path().c_str(), 0700), 0);
  ASSERT_EQ(::symlink((dir / "secret").c_str(), (dir / "link").c_str()), 0);
  EXPECT_FALSE(check_private_file(dir / "link").ok());
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown((dir / "secret").c_str(), 65534, 65534), 0);
    EXPECT_FALSE(check_private_file(dir / "secret").ok());
  }
}

TEST(AtomicFile, ReplacesWholeAndKeepsItsModeUnderAnyUmask) {
  const TempDir dir;
  const mode_t old = ::umask(0);
  EXPECT_TRUE(replace_file(dir / "f", "one", Sync::yes).ok());
  ::umask(077);
  EXPECT_TRUE(replace_file(dir / "script", "two", Sync::no, 0755).ok());
  ::umask(old);
  EXPECT_EQ(read_text(dir / "f"), "one");
  EXPECT_EQ(mode_of(dir / "f"), 0600U);
  EXPECT_EQ(mode_of(dir / "script"), 0755U);
  EXPECT_EQ(list_directory(dir.path())->size(), 2U);
}

TEST(AtomicFile, WithoutCommitTheOldFileStaysAndNothingIsLeft) {
  const TempDir dir;
  write_text(dir / "f", "old");
  {
    auto file = AtomicFile::create(dir / "f");
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->write("new").ok());
  }
  EXPECT_EQ(read_text(dir / "f"), "old");
  EXPECT_EQ(list_directory(dir.path())->size(), 1U);
}

TEST(AtomicFile, FullDiskLeavesTheOldFile) {
  const TempDir dir;
  const SmallDisk disk(dir / "disk");
  if (!disk.mounted()) {
    GTEST_SKIP() << "needs root and the right to mount a small tmpfs";
  }
  ASSERT_TRUE(replace_file(dir / "disk/f", "old", Sync::yes).ok());
  const auto failed = replace_file(dir / "disk/f", std::string(1 << 20, 'x'), Sync::yes);
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.error().what.find("No space left"), std::string::npos) << failed.error().what;
  EXPECT_EQ(read_text(dir / "disk/f"), "old");
  EXPECT_EQ(list_directory(dir / "disk")->size(), 1U);
}

TEST(AtomicFile, KilledWriterLeavesOldOrNew) {
  const TempDir dir;
  write_text(dir / "f", "old");
  const std::string big(1 << 20, 'n');
  for (int round = 0; round < 20; ++round) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      while (true) {
        (void)replace_file(dir / "f", big, Sync::no);
      }
    }
    ASSERT_TRUE(test::runs_for(pid, std::chrono::microseconds(500 * round)));
    ::kill(pid, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    const std::string now = read_text(dir / "f");
    ASSERT_TRUE(now == "old" || now == big) << now.size();
  }
}

TEST(FileLock, SecondHolderIsRefusedAndSeesTheOwner) {
  const TempDir dir;
  auto first = FileLock::try_acquire(dir / "lock");
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(first->write_owner().ok());
  EXPECT_EQ(FileLock::try_acquire(dir / "lock").error().code, Errc::busy);
  EXPECT_EQ(FileLock::owner(dir / "lock"), ::getpid());
  EXPECT_TRUE(*FileLock::held(dir / "lock"));
  EXPECT_EQ(FileLock::acquire(dir / "lock", deadline_in(Milliseconds(120))).error().code,
            Errc::busy);
  first->release();
  EXPECT_FALSE(*FileLock::held(dir / "lock"));
  EXPECT_TRUE(FileLock::try_acquire(dir / "lock").ok());
  EXPECT_EQ(mode_of(dir / "lock"), 0600U);
}

TEST(FileLock, AskingCreatesNothingAndLinksAreRefused) {
  const TempDir dir;
  EXPECT_FALSE(*FileLock::held(dir / "none"));
  EXPECT_FALSE(exists(dir / "none"));
  ASSERT_EQ(::symlink((dir / "elsewhere").c_str(), (dir / "link").c_str()), 0);
  EXPECT_EQ(FileLock::try_acquire(dir / "link").error().code, Errc::refused);
  EXPECT_FALSE(exists(dir / "elsewhere"));
}

TEST(FileLock, IsFreeAfterItsHolderWasKilled) {
  const TempDir dir;
  const pid_t pid = ::fork();
  if (pid == 0) {
    auto lock = FileLock::try_acquire(dir / "lock");
    (void)lock->write_owner();
    ::pause();
    ::_exit(0);
  }
  ASSERT_TRUE(wait_until([&] { return FileLock::owner(dir / "lock") == pid; }));
  EXPECT_EQ(FileLock::try_acquire(dir / "lock").error().code, Errc::busy);
  ::kill(pid, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(FileLock::try_acquire(dir / "lock").ok());
}

TEST(FileLock, AChildStartedWhileLockedDoesNotKeepTheLock) {
  const TempDir dir;
  auto lock = FileLock::try_acquire(dir / "lock");
  ASSERT_TRUE(lock.ok());
  ChildOptions options;
  options.argv = {"/bin/cat"};
  options.standard_in = Stdio::pipe;
  auto child = Child::start(options);
  ASSERT_TRUE(child.ok());
  lock->release();
  EXPECT_TRUE(FileLock::try_acquire(dir / "lock").ok());
}

TEST(FileLock, TellsWhenItsFileWasReplaced) {
  const TempDir dir;
  auto lock = FileLock::try_acquire(dir / "lock");
  ASSERT_TRUE(lock.ok());
  EXPECT_TRUE(lock->still_at_path());
  ASSERT_TRUE(rename_file(dir / "lock", dir / "aside").ok());
  EXPECT_FALSE(lock->still_at_path());
  write_text(dir / "lock", "");
  EXPECT_FALSE(lock->still_at_path());
}

TEST(Paths, JoinParentAndBaseName) {
  EXPECT_EQ(join_path("/a", "b"), "/a/b");
  EXPECT_EQ(join_path("/a/", "b"), "/a/b");
  EXPECT_EQ(parent_path("/a/b"), "/a");
  EXPECT_EQ(parent_path("/a"), "/");
  EXPECT_EQ(parent_path("a"), ".");
  EXPECT_EQ(base_name("/a/b"), "b");
  EXPECT_EQ(*network_file_system("/proc"), "");
}

}  // namespace
}  // namespace robot_council::base
