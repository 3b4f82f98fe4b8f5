#include "sink/recorded_key.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "sink/seat_lock.hpp"
#include "tests/lib/sink_fixture.hpp"

namespace robot_council::sink {
namespace {

using test::read_text;
using test::SinkHome;
using test::write_text;

class RecordedKeys : public ::testing::Test {
 protected:
  RecordedKeys() {
    std::filesystem::create_directories(home_.dir / "work");
    folder_ = home_.dir / "work";
  }
  BridgeSeat bridge_seat(const SeatNames& names = {test::kService, "claude", ""}) {
    return resolve_bridge_seat(names, folder_, home_.environment);
  }
  std::string record() {
    return record_path(home_.folder(), {test::kService, "claude", ""}, folder_);
  }
  base::Result<Seat> hook_seat() {
    return resolve_seat({test::kService, "claude", ""}, folder_, home_.environment);
  }

  SinkHome home_;
  std::string folder_;
};

constexpr const char* kOther = "0123456789abcdef0123456789abcdef";

TEST_F(RecordedKeys, TheHookUsesTheRecordOfItsFolder) {
  const Seat seat = bridge_seat().seat;
  // What a process with our pid left that was killed before it renamed its file.
  write_text(record() + "." + std::to_string(::getpid()), "cut");
  auto written = RecordedKey::write(seat);
  ASSERT_TRUE(written.has_value());
  EXPECT_EQ(written->path(), record());
  EXPECT_EQ(read_text(record()), seat.files.key);
  EXPECT_EQ(test::mode_of(record()), 0600U);
  EXPECT_EQ(test::mode_of(home_.folder()), 0700U);
  // The checkout changes under the bridge; the hook still finds its sink.
  std::filesystem::create_directories(folder_ + "/.git/objects");
  std::filesystem::create_directories(folder_ + "/.git/refs");
  write_text(folder_ + "/.git/HEAD", "ref: refs/heads/main\n");
  EXPECT_EQ(hook_seat()->files.key, seat.files.key);
  std::filesystem::create_symlink(folder_, home_.dir / "link");
  EXPECT_EQ(resolve_seat({test::kService, "claude", ""}, home_.dir / "link", home_.environment)
                ->files.key,
            seat.files.key)
      << "through a link it is the same folder";
  written->remove();
  EXPECT_FALSE(base::exists(record()));
  EXPECT_NE(hook_seat()->files.key, seat.files.key);
}

// 20
TEST_F(RecordedKeys, S020BadRecordsAreIgnored) {
  const std::string resolved = hook_seat()->files.key;
  for (const char* text :
       {"0123456789abcdef0123456789abcde", "0123456789ABCDEF0123456789ABCDEF", "", "  ",
        "0123456789abcdef0123456789abcdef0", "0123456789abcdef 123456789abcdef",
        "0123456789abcdefg123456789abcdef"}) {
    write_text(record(), text);
    EXPECT_EQ(hook_seat()->files.key, resolved) << text;
  }
  const std::string elsewhere = home_.dir / "elsewhere.key";
  write_text(elsewhere, kOther);
  std::filesystem::remove(record());
  std::filesystem::create_symlink(elsewhere, record());
  EXPECT_EQ(hook_seat()->files.key, resolved) << "a link is not followed";
  std::filesystem::remove(record());
  write_text(record(), std::string(" \n") + kOther + "\r\n");
  EXPECT_EQ(hook_seat()->files.key, kOther);
}

// 21
TEST_F(RecordedKeys, S021NoRecordForAProjectOrForCursor) {
  EXPECT_FALSE(
      RecordedKey::write(bridge_seat({test::kService, "claude", "org/repo"}).seat).has_value());
  EXPECT_FALSE(RecordedKey::write(bridge_seat({test::kService, "cursor", ""}).seat).has_value());
  EXPECT_FALSE(base::exists(home_.folder()));
}

// 22
TEST_F(RecordedKeys, S022AnotherBridgesRecordIsLeft) {
  auto written = RecordedKey::write(bridge_seat().seat);
  ASSERT_TRUE(written.has_value());
  std::filesystem::remove(record());
  write_text(record(),
             kOther);  // another file: device and inode differ or not, the content is not ours
  auto second = RecordedKey::write(bridge_seat().seat);
  ASSERT_TRUE(second.has_value());
  written->remove();
  EXPECT_TRUE(base::exists(record()));
  second->remove();
  EXPECT_FALSE(base::exists(record()));
}

TEST_F(RecordedKeys, ABridgeTakesTheRecordedKeyWhoseSeatIsHeld) {
  const std::string own = bridge_seat().seat.files.key;
  write_text(record(), kOther);
  EXPECT_EQ(bridge_seat().seat.files.key, own) << "nobody holds that seat";
  const SeatClaim claim = claim_seat({home_.folder(), kOther});
  ASSERT_TRUE(claim.obtained);
  EXPECT_EQ(bridge_seat().seat.files.key, kOther);
}

// 19
TEST_F(RecordedKeys, S019WithARecordTheCheckoutNeedNotBeTold) {
  std::filesystem::create_symlink("/proc/self/mem", folder_ + "/.git");
  auto seat = hook_seat();
  ASSERT_FALSE(seat.ok());
  EXPECT_EQ(seat.error().what.find("Could not tell which checkout this is: "), 0U)
      << seat.error().what;
  EXPECT_NE(seat.error().what.find(", so its sink cannot be found."), std::string::npos);
  EXPECT_TRUE(bridge_seat().checkout_error.has_value());
  write_text(record(), kOther);
  EXPECT_EQ(hook_seat()->files.key, kOther);
}

TEST_F(RecordedKeys, ASeatIsHeldByOneAndNamesItsHolder) {
  const SeatFiles files = home_.files();
  EXPECT_FALSE(seat_held(files));
  SeatClaim first = claim_seat(files);
  EXPECT_TRUE(first.obtained);
  EXPECT_TRUE(first.lock.has_value());
  EXPECT_EQ(test::mode_of(files.seat()), 0600U);
  EXPECT_TRUE(seat_held(files));
  const SeatClaim second = claim_seat(files);
  EXPECT_FALSE(second.obtained);
  EXPECT_EQ(second.held_by, static_cast<std::int64_t>(::getpid()));
  first.lock.reset();
  EXPECT_TRUE(claim_seat(files).obtained);
}

TEST_F(RecordedKeys, ASeatThatCannotBeLockedCountsAsObtained) {
  write_text(home_.folder(), "a file where the folder should be");
  const SeatClaim claim = claim_seat(home_.files());
  EXPECT_TRUE(claim.obtained);
  EXPECT_FALSE(claim.lock.has_value());
}

// 11
TEST_F(RecordedKeys, S011ProjectFolderVariable) {
  home_.environment.set("CLAUDE_PROJECT_DIR", "/x ");
  EXPECT_EQ(hook_folder(home_.environment, "claude"), "/x ");
  EXPECT_EQ(hook_folder(home_.environment, "gemini"), "/x ");
  EXPECT_EQ(hook_folder(home_.environment, "codex"), *base::working_directory());
  EXPECT_EQ(hook_folder(home_.environment, "goose"), *base::working_directory());
  home_.environment.set("CLAUDE_PROJECT_DIR", "");
  EXPECT_EQ(hook_folder(home_.environment, "claude"), *base::working_directory());
}

// 18
TEST_F(RecordedKeys, S018WorkingDirectoryGone) {
  const std::string doomed = home_.dir / "doomed";
  std::filesystem::create_directories(doomed);
  const int code = test::in_child([&] {
    if (::chdir(doomed.c_str()) != 0 || ::rmdir(doomed.c_str()) != 0) {
      return 2;
    }
    return hook_folder(home_.environment, "claude", "/from/payload") == "/from/payload" ? 0 : 1;
  });
  EXPECT_EQ(code, 0);
}

// 5, 9, 13
TEST_F(RecordedKeys, S005SeatsAreApartOrTogether) {
  std::filesystem::create_directories(home_.dir / "other");
  const SeatNames claude{test::kService, "claude", ""};
  const auto key = [&](const SeatNames& names, const std::string& folder) {
    return resolve_seat(names, folder, home_.environment)->files.key;
  };
  EXPECT_NE(key(claude, folder_), key(claude, home_.dir / "other"));  // 5, 8
  const SeatNames project{test::kService, "claude", "org/repo"};
  EXPECT_EQ(key(project, folder_), key(project, home_.dir / "other"));  // 9
  const SeatNames cursor{test::kService, "cursor", ""};
  EXPECT_EQ(key(cursor, home_.dir.path()), key(cursor, folder_));  // 13
}

}  // namespace
}  // namespace robot_council::sink
