#include "wiring/online/doctor_local.hpp"

#include <sys/stat.h>

#include <string>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "tests/lib/support.hpp"
#include "tests/wiring/online/odd_mounts.hpp"

namespace robot_council::wiring::online {
namespace {

using test::OddMount;

// The row "file-system" (account contract, 8 and 92) on real mounts.
class DoctorFileSystem : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::mkdir(state_.c_str(), 0700), 0); }
  [[nodiscard]] Check told() {
    base::MapEnvironment environment;
    environment.set("HOME", home_.path());
    environment.set("XDG_STATE_HOME", state_);
    seat_.harness = "claude";
    seat_.hook_state = state_;
    const base::Context context{clock_, environment, log_};
    return check_file_system({context, seat_, "", base::deadline_in(base::Milliseconds(30000))});
  }
  [[nodiscard]] std::string folder() const { return state_ + "/robot-council/pending"; }

  test::TempDir home_;
  std::string state_ = home_ / "state";
  base::SystemClock clock_;
  base::MemoryLog log_;
  DoctorSeat seat_;
};

TEST_F(DoctorFileSystem, LocalIsWell) {
  const Check plain = told();
  EXPECT_EQ(plain.state, CheckState::ok) << plain.text;
  EXPECT_EQ(plain.text, "local");
  const OddMount mount(OddMount::Kind::tmpfs, state_);
  if (!mount.why_not().empty()) {
    GTEST_SKIP() << mount.why_not();
  }
  ASSERT_TRUE(base::make_private_directory(folder()).ok());
  EXPECT_EQ(told().state, CheckState::ok);
}

TEST_F(DoctorFileSystem, ReadOnlyIsFailed) {
  const OddMount mount(OddMount::Kind::read_only_tmpfs, state_);
  if (!mount.why_not().empty()) {
    GTEST_SKIP() << mount.why_not();
  }
  const Check check = told();
  EXPECT_EQ(check.state, CheckState::failed);
  EXPECT_EQ(check.text, state_ + " is on a file system that nobody can write to");
  EXPECT_EQ(check.remedy, "Set XDG_STATE_HOME to a writable folder.");
}

TEST_F(DoctorFileSystem, OneWhoseLocksAreNotReliableIsAWarning) {
  const OddMount mount(OddMount::Kind::empty_fuse, state_);
  if (!mount.why_not().empty()) {
    GTEST_SKIP() << mount.why_not();
  }
  const Check check = told();
  EXPECT_EQ(check.state, CheckState::warning) << check.text;
  EXPECT_EQ(check.text,
            "the sink folder " + folder() + " is on fuse, where file locks are not reliable");
  EXPECT_EQ(check.remedy, "Set XDG_STATE_HOME to a local folder.");
}

}  // namespace
}  // namespace robot_council::wiring::online
