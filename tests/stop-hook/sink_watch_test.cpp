#include "stop-hook/sink_watch.hpp"

#include <unistd.h>

#include <chrono>
#include <future>
#include <string>

#include <gtest/gtest.h>

#include "stop-hook/limits.hpp"
#include "tests/lib/support.hpp"

namespace robot_council {
namespace {

using base::Milliseconds;
using stop_hook::SinkWatch;
using test::TempDir;
using test::write_text;

class SinkWatching : public ::testing::Test {
 protected:
  SinkWatching() {
    // The first sleep opens the watch, and returns at once to look again.
    EXPECT_EQ(watch_.sleep(test::in_time()), SinkWatch::Woke::look);
  }
  // How often this thread has slept.
  static long sleeps() {
    const std::string status = test::read_text("/proc/thread-self/status");
    return std::stol(status.substr(status.find("\nvoluntary_ctxt_switches:") + 25));
  }
  // Milliseconds that a sleep of at most so long takes.
  std::int64_t sleep(Milliseconds limit) {
    const base::SteadyTime begun = base::deadline_in(Milliseconds(0));
    EXPECT_EQ(watch_.sleep(base::deadline_in(limit)), SinkWatch::Woke::look);
    return std::chrono::duration_cast<Milliseconds>(base::deadline_in(Milliseconds(0)) - begun)
        .count();
  }
  void touch(const std::string& name) { write_text(folder_ / name, "x"); }

  TempDir folder_;
  SinkWatch watch_{[this] {
                     sink::SeatFiles files;
                     files.folder = folder_.path();
                     files.key = "abc";
                     return files;
                   }(),
                   {}};
};

// Wake 15: between two looks of an idle waiter there is one wake-up, not two.
TEST_F(SinkWatching, AQuietSleepIsOneWait) {
  const long before = sleeps();
  EXPECT_GE(sleep(Milliseconds(1000)), 990);
  EXPECT_LE(sleeps() - before, 1);
}

TEST_F(SinkWatching, AChangeOfTheSeatEndsItAndOthersDoNot) {
  touch("other.db");
  EXPECT_GE(sleep(Milliseconds(400)), 390);
  const auto written = std::async(std::launch::async, [this, sleeper = ::gettid()] {
    EXPECT_TRUE(test::wait_until([sleeper] { return test::thread_sleeps(sleeper); }));
    touch("abc.db");
  });
  EXPECT_LT(sleep(Milliseconds(9000)), 8000);
}

TEST_F(SinkWatching, ChangesOfTheFirstStepAreGathered) {
  touch("abc.db");
  touch("abc.hook");
  const std::int64_t took = sleep(Milliseconds(9000));
  EXPECT_GE(took, stop_hook::kLookStep.count() - 5);
  EXPECT_LT(took, 8000);
  EXPECT_GE(sleep(Milliseconds(500)), 490) << "they were told once";
}

}  // namespace
}  // namespace robot_council
