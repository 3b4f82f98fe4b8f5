#include "sink/checkout.hpp"

#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "base/text.hpp"
#include "tests/lib/sink_fixture.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::sink {
namespace {

using test::write_text;

// Repositories made by the real git, in a clean environment.
class CheckoutOfGit : public ::testing::Test {
 protected:
  test::Ran git(const std::string& folder, std::vector<std::string> words) {
    std::vector<std::string> argv = {"git",
                                     "-c",
                                     "user.name=n",
                                     "-c",
                                     "user.email=e@example.test",
                                     "-c",
                                     "protocol.file.allow=always",
                                     "-c",
                                     "init.defaultBranch=main"};
    argv.insert(argv.end(), words.begin(), words.end());
    return test::run(
        argv,
        {{"HOME", dir_.path()}, {"GIT_CONFIG_NOSYSTEM", "1"}, {"GIT_CONFIG_GLOBAL", "/dev/null"}},
        {}, folder);
  }
  void must(const std::string& folder, const std::vector<std::string>& words) {
    const auto ran = git(folder, words);
    ASSERT_EQ(ran.code, 0) << ran.err;
  }
  // A repository with one commit.
  std::string repository(const std::string& name) {
    const std::string path = dir_ / name;
    std::filesystem::create_directories(path);
    must(path, {"init", "-q"});
    must(path, {"commit", "-q", "--allow-empty", "-m", "one"});
    return path;
  }
  std::string folder(const std::string& name) {
    const std::string path = dir_ / name;
    std::filesystem::create_directories(path);
    return path;
  }
  static std::string found(const std::string& path) {
    auto checkout = find_checkout(path);
    EXPECT_TRUE(checkout.ok()) << (checkout.ok() ? "" : checkout.error().what);
    return checkout ? checkout->path : std::string();
  }
  // Ours equals git's answer: its git directory, or "no repository".
  void same_as_git(const std::string& path) {
    const auto ran = git(path, {"rev-parse", "--absolute-git-dir"});
    auto ours = find_checkout(path);
    ASSERT_TRUE(ours.ok()) << ours.error().what;
    if (ran.code == 0) {
      EXPECT_EQ(ours->path, std::string(base::trim(ran.out))) << path;
      EXPECT_EQ(ours->kind, CheckoutKind::git_directory) << path;
    } else {
      EXPECT_EQ(ours->path, base::real_path(path).value_or("?")) << path << "\n" << ran.err;
      EXPECT_EQ(ours->kind, CheckoutKind::folder) << path;
    }
  }
  static void expect_none(const std::string& path) {
    auto ours = find_checkout(path);
    ASSERT_TRUE(ours.ok()) << ours.error().what;
    EXPECT_EQ(ours->kind, CheckoutKind::folder) << path << " gave " << ours->path;
  }

  test::TempDir dir_;
};

// 14, first rows; 7
TEST_F(CheckoutOfGit, S014RootAndSubFolder) {
  const std::string root = repository("r");
  const std::string below = folder("r/a/b c");
  EXPECT_EQ(found(root), base::real_path(root).value_or("") + "/.git");
  same_as_git(root);
  same_as_git(below);
  same_as_git(folder("sibling"));
  EXPECT_NE(found(root), found(dir_ / "sibling"));
}

// 6, 14, G07
TEST_F(CheckoutOfGit, S014LinkedWorktreeHasItsOwn) {
  const std::string root = repository("r");
  must(root, {"worktree", "add", "-q", dir_ / "wt"});
  same_as_git(dir_ / "wt");
  same_as_git(folder("wt/below"));
  EXPECT_EQ(found(dir_ / "wt"), base::real_path(root).value_or("") + "/.git/worktrees/wt");
  EXPECT_NE(found(dir_ / "wt"), found(root));
  EXPECT_EQ(found(folder("r/sub")), found(root));
}

TEST_F(CheckoutOfGit, S014WorktreeOfABareRepository) {
  const std::string root = repository("r");
  must(dir_.path(), {"clone", "-q", "--bare", root, dir_ / "bare.git"});
  must(dir_ / "bare.git", {"worktree", "add", "-q", dir_ / "wt"});
  same_as_git(dir_ / "bare.git");
  same_as_git(dir_ / "bare.git/refs");
  same_as_git(dir_ / "wt");
}

// 14, G01, G02
TEST_F(CheckoutOfGit, S014SubmodulesNestedAndInWorktrees) {
  const std::string inner = repository("inner");
  const std::string middle = repository("middle");
  const std::string super = repository("super");
  must(middle, {"submodule", "--quiet", "add", inner, "inner"});
  must(middle, {"commit", "-q", "-m", "sub"});
  must(super, {"submodule", "--quiet", "add", middle, "modules/foo"});
  must(super, {"commit", "-q", "-m", "sub"});
  must(super, {"submodule", "--quiet", "update", "--init", "--recursive"});
  const std::string git_dir = base::real_path(super).value_or("") + "/.git";
  EXPECT_EQ(found(super + "/modules/foo"), git_dir + "/modules/modules/foo");
  EXPECT_EQ(found(super + "/modules/foo/inner"), git_dir + "/modules/modules/foo/modules/inner");
  same_as_git(super + "/modules/foo");
  same_as_git(super + "/modules/foo/inner");
  // The same inside a linked worktree, and a linked worktree of a submodule.
  must(super, {"worktree", "add", "-q", dir_ / "wt"});
  must(dir_ / "wt", {"submodule", "--quiet", "update", "--init"});
  same_as_git(dir_ / "wt/modules/foo");
  EXPECT_EQ(found(dir_ / "wt/modules/foo"), git_dir + "/worktrees/wt/modules/modules/foo");
  must(super + "/modules/foo", {"worktree", "add", "-q", dir_ / "subwt"});
  same_as_git(dir_ / "subwt");
  EXPECT_EQ(found(dir_ / "subwt"), git_dir + "/modules/modules/foo/worktrees/subwt");
  // Inside git directories.
  for (const char* path : {"super/.git", "super/.git/refs", "super/.git/worktrees",
                           "super/.git/worktrees/wt", "super/.git/modules/modules/foo"}) {
    same_as_git(dir_ / path);
  }
}

TEST_F(CheckoutOfGit, S014SeparateGitDirectoryFromBothSides) {
  folder("work");
  must(dir_ / "work", {"init", "-q", "--separate-git-dir", dir_ / "store"});
  same_as_git(dir_ / "work");
  same_as_git(dir_ / "store");
  EXPECT_EQ(found(dir_ / "work"), found(dir_ / "store"));
}

TEST_F(CheckoutOfGit, S014ThroughLinks) {
  const std::string root = repository("r");
  folder("r/sub");
  std::filesystem::create_symlink(root, dir_ / "to-root");
  std::filesystem::create_symlink(root + "/sub", dir_ / "to-sub");
  folder("linked-git");
  std::filesystem::create_symlink(root + "/.git", dir_ / "linked-git/.git");
  folder("file-git");
  write_text(dir_ / "dotgit", "gitdir: " + root + "/.git\n");
  std::filesystem::create_symlink(dir_ / "dotgit", dir_ / "file-git/.git");
  for (const char* path : {"to-root", "to-sub", "linked-git", "file-git"}) {
    same_as_git(dir_ / path);
    EXPECT_EQ(found(dir_ / path), found(root)) << path;
  }
}

// 12
TEST_F(CheckoutOfGit, S012FolderMadeLaterAndDot) {
  const std::string later = dir_ / "later";
  EXPECT_EQ(found(later + "/"), later);
  folder("later");
  must(later, {"init", "-q"});
  EXPECT_EQ(found(later), base::real_path(later).value_or("") + "/.git");
  EXPECT_EQ(found(later), found(later + "/."));
}

TEST_F(CheckoutOfGit, S014GitFilesThatAreGood) {
  const std::string root = repository("r");
  for (const std::string& text :
       {std::string("gitdir: " + root + "/.git"), std::string("gitdir: ../r/.git\n"),
        std::string("gitdir: ../r/.git/\n"), std::string("gitdir: ../r/.git\r\n"),
        std::string("gitdir: ../r/.git\n\r\n\n")}) {
    write_text(dir_ / "w/.git", text);
    same_as_git(dir_ / "w");
    EXPECT_EQ(found(dir_ / "w"), found(root)) << text;
  }
}

TEST_F(CheckoutOfGit, S014GitFilesThatAreBadStopTheSearch) {
  const std::string outer = repository("outer");
  const std::string good = outer + "/.git";
  folder("outer/none");
  for (const std::string& text :
       {"gitdir:" + good, "gitdir:  " + good, "gitdir: " + good + " ",
        "gitdir: " + good + "\nsecond", "\xef\xbb\xbfgitdir: " + good, std::string(),
        std::string("gitdir: "), std::string("gitdir: ../missing\n"),
        "gitdir: " + outer + "/none\n", std::string("junk")}) {
    write_text(outer + "/inside/.git", text);
    expect_none(outer + "/inside");
    same_as_git(outer + "/inside");
    // Outside any repository as well.
    write_text(dir_ / "alone/.git", text);
    expect_none(dir_ / "alone");
  }
  write_text(outer + "/inside/.git", "gitdir: " + good + "\n" + std::string(2U << 20U, '\n'));
  expect_none(outer + "/inside");  // over 1 MiB
  const std::string line = "gitdir: " + good;
  const auto of_size = [&](std::size_t bytes) {
    return line + std::string(bytes - line.size(), '\n');
  };
  write_text(outer + "/inside/.git", of_size((1U << 20U) + 1));
  expect_none(outer + "/inside");
  write_text(outer + "/inside/.git", of_size(1U << 20U));
  EXPECT_EQ(found(outer + "/inside"), found(outer));
}

TEST_F(CheckoutOfGit, S014GitFoldersThatAreNoneArePassedOver) {
  const std::string outer = repository("outer");
  const std::string inside = folder("outer/inside");
  const std::string git_dir = folder("outer/inside/.git");
  const auto outer_is_found = [&](const char* what) {
    EXPECT_EQ(found(inside), found(outer)) << what;
    same_as_git(inside);
  };
  outer_is_found("empty");
  folder("outer/inside/.git/objects");
  folder("outer/inside/.git/refs");
  outer_is_found("no HEAD");
  for (const char* head : {"junk", "ref: heads/x", "", "0123456789abcdef"}) {
    write_text(git_dir + "/HEAD", head);
    outer_is_found(head);
  }
  std::filesystem::remove(git_dir + "/HEAD");
  folder("outer/inside/.git/HEAD");
  outer_is_found("HEAD is a folder");
  std::filesystem::remove(git_dir + "/HEAD");
  // All of these are good heads, so the inner one is found.
  for (const std::string& head :
       {std::string("ref: refs/heads/x\n"), std::string("ref:refs/heads/x"),
        std::string("ref: \t refs/x"), std::string(40, 'a') + "\n", std::string(64, '0')}) {
    write_text(git_dir + "/HEAD", head);
    EXPECT_EQ(found(inside), base::real_path(git_dir).value_or("")) << head;
    same_as_git(inside);
  }
  std::filesystem::remove(git_dir + "/HEAD");
  std::filesystem::create_symlink("refs/heads/main", git_dir + "/HEAD");
  EXPECT_EQ(found(inside), base::real_path(git_dir).value_or(""));
  same_as_git(inside);
  std::filesystem::remove(git_dir + "/refs");
  outer_is_found("no refs");
  folder("outer/inside/.git/refs");
  std::filesystem::remove(git_dir + "/objects");
  outer_is_found("no objects");
}

// 1.1: what HEAD may say, byte for byte as git reads it.
TEST_F(CheckoutOfGit, S014HeadsAtTheirLimits) {
  const std::string outer = repository("outer");
  const std::string inside = folder("outer/inside");
  folder("outer/inside/.git/objects");
  folder("outer/inside/.git/refs");
  const std::string upper = "0123456789ABCDEF0123456789ABCDEF01234567";
  for (const std::string& head :
       {upper, upper.substr(1), "ref:" + std::string(100, ' ') + "refs/heads/main\n",
        "ref:" + std::string(246, ' ') + "refs/heads/main\n",
        "ref:" + std::string(247, ' ') + "refs/heads/main\n"}) {
    write_text(inside + "/.git/HEAD", head);
    same_as_git(inside);
  }
  EXPECT_EQ(found(inside), found(outer));
  write_text(inside + "/.git/HEAD", upper);
  EXPECT_EQ(found(inside), inside + "/.git");
}

TEST_F(CheckoutOfGit, S014WhatFollowsANulInAGitFileIsNotRead) {
  const std::string outer = repository("outer");
  write_text(outer + "/inside/.git", "gitdir: " + outer + "/.git" + std::string("\0junk\n", 6));
  same_as_git(outer + "/inside");
  EXPECT_EQ(found(outer + "/inside"), outer + "/.git");
}

TEST_F(CheckoutOfGit, S014AGitFolderThatMayNotBeEnteredIsPassedOver) {
  const std::string outer = repository("outer");
  const std::string probe = folder("probe");
  if (::chown(probe.c_str(), 65534, 65534) != 0) {
    GTEST_SKIP() << "cannot become another user (needs root)";
  }
  ::chmod(dir_.path().c_str(), 0755);
  ::chmod(outer.c_str(), 0755);
  ::chmod((outer + "/.git").c_str(), 0700);
  EXPECT_EQ(test::in_child([&] {
              if (::setgid(65534) != 0 || ::setuid(65534) != 0) {
                return 9;
              }
              const auto checkout = find_checkout(outer);
              return checkout.ok() && checkout->kind == CheckoutKind::folder ? 0 : 1;
            }),
            0);
}

TEST_F(CheckoutOfGit, S014NestedRepositoryIsTheInnerOne) {
  const std::string outer = repository("outer");
  const std::string inner = repository("outer/inner");
  same_as_git(inner);
  EXPECT_NE(found(inner), found(outer));
}

TEST_F(CheckoutOfGit, S014BelowAMountPointIsNoRepository) {
  const std::string outer = repository("outer");
  const std::string mount = folder("outer/mnt");
  if (::mount("none", mount.c_str(), "tmpfs", 0, "size=1m") != 0) {
    GTEST_SKIP() << "cannot mount a tmpfs here (needs root and CAP_SYS_ADMIN)";
  }
  folder("outer/mnt/below");
  same_as_git(mount + "/below");
  expect_none(mount + "/below");
  expect_none(mount);
  ::umount(mount.c_str());
}

// 17
TEST_F(CheckoutOfGit, S017RepositoryOfAnotherOwner) {
  const std::string root = repository("r");
  const std::string expected = found(root);
  if (::chown(root.c_str(), 65534, 65534) != 0 ||
      ::chown((root + "/.git").c_str(), 65534, 65534) != 0) {
    GTEST_SKIP() << "cannot give a folder away (needs root)";
  }
  EXPECT_NE(git(root, {"rev-parse", "--absolute-git-dir"}).code, 0) << "git minds the owner";
  EXPECT_EQ(found(root), expected);
}

// 15
TEST_F(CheckoutOfGit, S015GitVariablesDoNotMatter) {
  const std::string root = repository("r");
  const std::string other = repository("other");
  const std::string below = folder("r/below");
  const std::string expected = found(below);
  const int code = test::in_child([&] {
    ::setenv("GIT_DIR", (other + "/.git").c_str(), 1);
    ::setenv("GIT_CEILING_DIRECTORIES", root.c_str(), 1);
    ::setenv("PATH", "/nonexistent", 1);
    auto checkout = find_checkout(below);
    return checkout && checkout->path == expected ? 0 : 1;
  });
  EXPECT_EQ(code, 0);
}

// 19: reading /proc/self/mem at offset 0 fails with EIO.
TEST_F(CheckoutOfGit, S019AnotherErrnoCannotBeTold) {
  const std::string place = folder("broken/below");
  std::filesystem::create_symlink("/proc/self/mem", dir_ / "broken/.git");
  auto checkout = find_checkout(place);
  ASSERT_FALSE(checkout.ok());
  EXPECT_NE(checkout.error().what.find("Input/output error"), std::string::npos)
      << checkout.error().what;
}

// A name that gets too long on the way is "cannot tell" too, at each step.
TEST_F(CheckoutOfGit, S019ANameTooLongCannotBeTold) {
  constexpr std::size_t kLongest = 4095;
  // A folder whose path leaves room for so many more bytes.
  const auto folder_with_room = [this](std::size_t room) {
    std::string path = *base::real_path(dir_.path());
    while (path.size() + room < kLongest) {
      const std::size_t left = kLongest - room - path.size() - 1;
      path += "/" + std::string(left > 200 ? std::min<std::size_t>(200, left - 10) : left, 'd');
    }
    std::error_code failed;
    std::filesystem::create_directories(path, failed);
    EXPECT_FALSE(failed) << failed.message();
    return path;
  };
  const auto problem = [](const std::string& folder) {
    const auto checkout = find_checkout(folder);
    return checkout.ok() ? checkout->path : checkout.error().what.substr(folder.size());
  };
  EXPECT_EQ(problem(folder_with_room(3)), "/.git: File name too long");
  const std::string head = folder_with_room(8);
  ASSERT_EQ(::mkdir((head + "/.git").c_str(), 0700), 0);
  EXPECT_EQ(problem(head), "/.git/HEAD: File name too long");
  const std::string common = folder_with_room(12);
  ASSERT_EQ(::mkdir((common + "/.git").c_str(), 0700), 0);
  write_text(common + "/.git/HEAD", "ref: refs/heads/main\n");
  EXPECT_EQ(problem(common), "/.git/commondir: File name too long");
  const std::string elsewhere = folder("elsewhere");
  write_text(elsewhere + "/.git/HEAD", "ref: refs/heads/main\n");
  write_text(elsewhere + "/.git/commondir", "/" + std::string(5000, 'c'));
  EXPECT_NE(find_checkout(elsewhere).error().what.find("File name too long"), std::string::npos);
  const std::string long_head = folder("long-head");
  write_text(long_head + "/.git/HEAD", "ref: refs/heads/" + std::string(400, 'h'));
  write_text(long_head + "/.git/objects/x", "");
  write_text(long_head + "/.git/refs/x", "");
  EXPECT_EQ(problem(long_head), *base::real_path(long_head) + "/.git") << "its start is enough";
  const std::string file = folder("file");
  write_text(file + "/.git", "gitdir: /" + std::string(5000, 'g'));
  EXPECT_NE(find_checkout(file).error().what.find("File name too long"), std::string::npos);
}

TEST_F(CheckoutOfGit, AFifoInPlaceOfAFileDoesNotHang) {
  const std::string place = folder("f");
  ASSERT_EQ(::mkfifo((place + "/.git").c_str(), 0600), 0);
  expect_none(place);
  folder("g/.git/objects");
  folder("g/.git/refs");
  ASSERT_EQ(::mkfifo((dir_ / "g/.git/HEAD").c_str(), 0600), 0);
  expect_none(dir_ / "g");
}

TEST_F(CheckoutOfGit, ADanglingGitLinkIsPassedOver) {
  const std::string outer = repository("outer");
  folder("outer/inside");
  std::filesystem::create_symlink("/nonexistent/x", outer + "/inside/.git");
  EXPECT_EQ(found(outer + "/inside"), found(outer));
  std::filesystem::remove(outer + "/inside/.git");
  std::filesystem::create_symlink(".git", outer + "/inside/.git");  // ELOOP
  EXPECT_EQ(found(outer + "/inside"), found(outer));
}

}  // namespace
}  // namespace robot_council::sink
