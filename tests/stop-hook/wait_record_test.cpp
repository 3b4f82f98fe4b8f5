#include "stop-hook/wait_record.hpp"

#include <algorithm>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "stop-hook/limits.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::stop_hook {
namespace {

constexpr std::int64_t kNow = 1796018400000;

class WaitRecordFile : public testing::Test {
 protected:
  [[nodiscard]] static WaitClient client(std::int64_t pid, const std::string& session = "s") {
    WaitClient client;
    client.client = {pid, "start" + std::to_string(pid)};
    client.session = session;
    client.waiter = {pid + 1, "w"};
    client.since_ms = kNow;
    return client;
  }
  test::TempDir folder_;
  sink::SeatFiles files_{folder_ / "pending", "00112233445566778899aabbccddeeff"};
};

TEST_F(WaitRecordFile, TakeOverMakesTheOlderOneLeave) {
  WaitClient first = client(10);
  first.generation = *take_over(files_, first);
  EXPECT_TRUE(still_mine(files_, first));
  EXPECT_EQ(base::file_info(files_.wait(), base::Links::dont)->mode, 0600U);
  WaitClient second = client(10, "s2");
  second.generation = *take_over(files_, second);
  EXPECT_NE(first.generation, second.generation);
  EXPECT_EQ(first.generation.size(), 32U);
  EXPECT_FALSE(still_mine(files_, first));
  EXPECT_TRUE(still_mine(files_, second));
  EXPECT_EQ(read_wait_record(files_)->clients.size(), 1U);
}

TEST_F(WaitRecordFile, OtherClientsAreLeftAlone) {
  WaitClient first = client(10);
  first.generation = *take_over(files_, first);
  WaitClient other = client(20);
  other.generation = *take_over(files_, other);
  WaitClient reused = client(10);
  reused.client.started = "a later process of this pid";
  reused.generation = *take_over(files_, reused);
  EXPECT_TRUE(still_mine(files_, first));
  EXPECT_TRUE(still_mine(files_, other));
}

TEST_F(WaitRecordFile, NewestTwentyClientsAreKept) {
  WaitClient first = client(1);
  first.generation = *take_over(files_, first);
  for (std::int64_t pid = 2; pid < 30; ++pid) {
    ASSERT_TRUE(take_over(files_, client(pid)).ok());
  }
  EXPECT_EQ(read_wait_record(files_)->clients.size(), kMaxWaitClients);
  EXPECT_EQ(read_wait_record(files_)->find(first.client), nullptr);
  EXPECT_TRUE(still_mine(files_, first)) << "it was crowded out, not replaced";
}

TEST_F(WaitRecordFile, WakesStayWithTheClientAcrossTakeOvers) {
  WaitClient first = client(10);
  first.generation = *take_over(files_, first);
  for (int i = 0; i < 35; ++i) {
    ASSERT_TRUE(note_wake(files_, first, kNow + i).ok());
  }
  ASSERT_TRUE(take_over(files_, client(10)).ok());
  const std::vector<std::int64_t> wakes = read_wait_record(files_)->clients.front().wakes;
  ASSERT_EQ(wakes.size(), kWakesPerHour);
  EXPECT_EQ(wakes.front(), kNow + 5);
  EXPECT_EQ(wakes.back(), kNow + 34);
}

TEST_F(WaitRecordFile, NoteOfAReplacedWaiterKeepsTheNewGeneration) {
  WaitClient first = client(10);
  first.generation = *take_over(files_, first);
  WaitClient second = client(10);
  second.generation = *take_over(files_, second);
  ASSERT_TRUE(note_wake(files_, first, kNow).ok());
  EXPECT_TRUE(still_mine(files_, second));
}

TEST_F(WaitRecordFile, MissingFileIsWrittenAgain) {  // wake 14
  WaitClient first = client(10);
  first.generation = *take_over(files_, first);
  ASSERT_TRUE(base::remove_file(files_.wait()).ok());
  EXPECT_TRUE(still_mine(files_, first));
  ASSERT_TRUE(read_wait_record(files_).has_value());
  EXPECT_EQ(read_wait_record(files_)->clients.front().generation, first.generation);
}

TEST_F(WaitRecordFile, MissingFolderIsNotMade) {
  WaitClient first = client(10);
  first.generation = "g";
  EXPECT_TRUE(still_mine(files_, first));
  EXPECT_FALSE(base::exists(files_.folder));
}

TEST_F(WaitRecordFile, BrokenFileIsAnEmptyOne) {
  test::write_text(files_.wait(), "{\"clients\":[5,{\"client\":\"x\"");
  WaitClient first = client(10);
  first.generation = *take_over(files_, first);
  EXPECT_TRUE(still_mine(files_, first));
  EXPECT_TRUE(parse_wait_record("[]").clients.empty());
  EXPECT_EQ(parse_wait_record(R"({"clients":[{"client":"x","wakes":["a",3]}]})")
                .clients.front()
                .wakes.size(),
            1U);
}

TEST_F(WaitRecordFile, ParallelTakeOversLeaveOneGenerationEach) {
  std::vector<std::jthread> threads;
  for (std::int64_t pid = 1; pid <= 8; ++pid) {
    threads.emplace_back([this, pid] {
      for (int i = 0; i < 10; ++i) {
        EXPECT_TRUE(take_over(files_, client(pid)).ok());
      }
    });
  }
  threads.clear();
  EXPECT_EQ(read_wait_record(files_)->clients.size(), 8U);
}

TEST_F(WaitRecordFile, LiveWaitersAreThoseThatRun) {
  WaitClient gone = client(10);
  gone.waiter = {999999999, "1"};
  ASSERT_TRUE(take_over(files_, gone).ok());
  WaitClient live = client(20);
  live.waiter = sink::own_process();
  ASSERT_TRUE(take_over(files_, live).ok());
  const std::vector<WaitClient> waiters = live_waiters(files_);
  ASSERT_EQ(waiters.size(), 1U);
  EXPECT_EQ(waiters.front().client.pid, 20);
  EXPECT_EQ(waiters.front().since_ms, kNow);
}

}  // namespace
}  // namespace robot_council::stop_hook
