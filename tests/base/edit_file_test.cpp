#include "base/edit_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include <gtest/gtest.h>

#include "base/file_lock.hpp"
#include "base/files.hpp"
#include "base/sha256.hpp"
#include "tests/lib/support.hpp"

namespace robot_council {
namespace {

class EditFile : public ::testing::Test {
 protected:
  base::FileEdit appending(const std::string& text) {
    base::FileEdit edit;
    edit.path = dir / "file";
    edit.lock_folder = dir / "locks";
    edit.max_bytes = 1U << 20U;
    edit.build =
        [text](const std::optional<std::string>& old) -> base::Result<std::optional<std::string>> {
      return std::optional<std::string>(old.value_or("") + text);
    };
    return edit;
  }
  static base::SteadyTime soon() {
    return std::chrono::steady_clock::now() + std::chrono::seconds(10);
  }
  test::TempDir dir;
};

TEST_F(EditFile, NewFileIsPrivateAndAnUnchangedOneIsNotWritten) {
  auto edit = appending("x");
  edit.path = dir / "a/b/file";
  const auto made = base::edit_file(edit, soon());
  ASSERT_TRUE(made.ok()) << made.error().what;
  EXPECT_TRUE(made->made && made->changed);
  EXPECT_EQ(base::file_info(edit.path, base::Links::dont)->mode, 0600U);
  EXPECT_EQ(base::file_info(dir / "a/b", base::Links::dont)->mode, 0700U);
  const auto before = base::file_info(edit.path, base::Links::dont);
  edit.build =
      [](const std::optional<std::string>& old) -> base::Result<std::optional<std::string>> {
    return old;
  };
  EXPECT_FALSE(base::edit_file(edit, soon())->changed);
  EXPECT_EQ(base::file_info(edit.path, base::Links::dont)->inode, before->inode);
}

TEST_F(EditFile, LinkAndModeAreKeptAndOneBackupIsMade) {
  test::write_text(dir / "real/target", "old");
  ASSERT_TRUE(base::set_mode(dir / "real/target", 0640).ok());
  ASSERT_EQ(::symlink((dir / "real/target").c_str(), (dir / "file").c_str()), 0);
  auto edit = appending("+");
  edit.backup = dir / "file.backup";
  ASSERT_TRUE(base::edit_file(edit, soon()).ok());
  ASSERT_TRUE(base::edit_file(edit, soon()).ok());
  EXPECT_EQ(base::file_info(dir / "file", base::Links::dont)->kind, base::FileKind::symlink);
  EXPECT_EQ(test::read_text(dir / "real/target"), "old++");
  EXPECT_EQ(base::file_info(dir / "real/target", base::Links::dont)->mode, 0640U);
  EXPECT_EQ(test::read_text(edit.backup), "old");
  EXPECT_EQ(base::file_info(edit.backup, base::Links::dont)->mode, 0640U);
}

TEST_F(EditFile, AFailedReadBackPutsTheOldBytesBack) {
  test::write_text(dir / "file", "old");
  auto edit = appending("+");
  edit.verify = [](const std::optional<std::string>&, std::string_view) -> base::Status {
    return base::Error{base::Errc::corrupt, "no"};
  };
  EXPECT_EQ(base::edit_file(edit, soon()).error().what, "no");
  EXPECT_EQ(test::read_text(dir / "file"), "old");
  edit.path = dir / "new";
  EXPECT_FALSE(base::edit_file(edit, soon()).ok());
  EXPECT_FALSE(base::exists(dir / "new"));
}

TEST_F(EditFile, AWriterInBetweenStartsItOver) {
  test::write_text(dir / "file", "a");
  auto edit = appending("+");
  int calls = 0;
  const auto plain = edit.build;
  edit.build = [&](const std::optional<std::string>& old) {
    if (++calls == 1) {
      test::write_text(dir / "file", "b");
    }
    return plain(old);
  };
  ASSERT_TRUE(base::edit_file(edit, soon()).ok());
  EXPECT_EQ(test::read_text(dir / "file"), "b+");
  EXPECT_EQ(calls, 2);
  edit.build = [&](const std::optional<std::string>& old) {
    test::write_text(dir / "file", std::to_string(++calls));
    return plain(old);
  };
  EXPECT_EQ(base::edit_file(edit, soon()).error().code, base::Errc::busy);
}

TEST_F(EditFile, EightEditorsAtOnceLoseNothing) {  // S31
  test::write_text(dir / "file", "");
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 5; ++n) {
        EXPECT_TRUE(base::edit_file(appending("x"), soon()).ok());
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(test::read_text(dir / "file"), std::string(40, 'x'));
}

TEST_F(EditFile, AHeldLockIsBusyAndAFileCanGo) {
  test::write_text(dir / "file", "old");
  ASSERT_TRUE(base::make_private_directory(dir / "locks").ok());
  const std::string name = base::sha256_hex(*base::real_path(dir / "file")).substr(0, 32);
  {
    const auto held = base::FileLock::try_acquire(dir / ("locks/" + name));
    ASSERT_TRUE(held.ok());
    EXPECT_EQ(base::edit_file(appending("x"), std::chrono::steady_clock::now()).error().code,
              base::Errc::busy);
  }
  auto edit = appending("");
  edit.build = [](const std::optional<std::string>&) -> base::Result<std::optional<std::string>> {
    return std::optional<std::string>();
  };
  const auto gone = base::edit_file(edit, soon());
  ASSERT_TRUE(gone.ok());
  EXPECT_TRUE(gone->removed);
  EXPECT_FALSE(base::exists(dir / "file"));
}

}  // namespace
}  // namespace robot_council
