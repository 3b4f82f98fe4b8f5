#include "base/folder_watch.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/atomic_file.hpp"
#include "base/files.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::base {
namespace {

TEST(FolderWatch, TellsMatchingNamesOnly) {
  const test::TempDir folder;
  Result<FolderWatch> watch = FolderWatch::open(folder.path());
  ASSERT_TRUE(watch.ok()) << watch.error().what;
  EXPECT_EQ(watch->take("key"), FolderWatch::Seen::nothing);
  test::write_text(folder / "other.db", "x");
  EXPECT_EQ(watch->take("key"), FolderWatch::Seen::nothing);
  test::write_text(folder / "key.db", "x");
  EXPECT_EQ(*wait_readable(watch->fd(), test::in_time()), Ready::yes);
  EXPECT_EQ(watch->take("key"), FolderWatch::Seen::change);
  EXPECT_EQ(watch->take("key"), FolderWatch::Seen::nothing);
  ASSERT_TRUE(replace_file(folder / "key.hook", "y", Sync::no).ok());
  EXPECT_EQ(watch->take("key.hook"), FolderWatch::Seen::change);
}

TEST(FolderWatch, TellsThatTheFolderIsGone) {
  const test::TempDir parent;
  const std::string folder = parent / "f";
  ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
  Result<FolderWatch> watch = FolderWatch::open(folder);
  ASSERT_TRUE(watch.ok());
  ASSERT_EQ(rmdir(folder.c_str()), 0);
  EXPECT_EQ(watch->take("key"), FolderWatch::Seen::gone);
  EXPECT_EQ(FolderWatch::open(folder).error().code, Errc::not_found);
}

}  // namespace
}  // namespace robot_council::base
