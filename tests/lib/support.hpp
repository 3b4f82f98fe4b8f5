#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/child.hpp"
#include "base/clock.hpp"
#include "base/environment.hpp"

namespace robot_council::test {

// A private folder, removed at the end; kept (and named on stderr) when the running test failed.
// In TMPDIR, else /tmp; Place::memory: in /dev/shm where there is one, for tests that write much
// and test no sync.
class TempDir {
 public:
  enum class Place : unsigned char { disk, memory };
  explicit TempDir(Place place = Place::disk);
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  TempDir(TempDir&&) = delete;
  TempDir& operator=(TempDir&&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string operator/(std::string_view name) const;

 private:
  std::string path_;
};

// What surely happens, happens within this: so long that no busy machine makes a test fail. A wait
// ends as soon as it happens.
inline constexpr base::Milliseconds kInTime{30000};
[[nodiscard]] base::SteadyTime in_time();

// The bound for a measured time. `promised` is for a machine that starts an empty program in a
// millisecond and a program without a checker; what needs longer here and now gets as many times
// as much, and no more than five seconds more, so that a wait for something else is still seen.
[[nodiscard]] base::Milliseconds allowed(base::Milliseconds promised);

// Calls `condition` until it holds or the time is over; true if it held.
[[nodiscard]] bool wait_until(const std::function<bool()>& condition,
                              base::Milliseconds limit = kInTime);

// The processor time that this thread needs for `work`: the least of three, so that what else the
// machine does hardly counts. For comparing lengths with each other in one run.
[[nodiscard]] std::chrono::nanoseconds processor_time(const std::function<void()>& work);

// Holds one side of a test until the other side says that it may go on.
class Gate {
 public:
  void open();
  // Whether it was opened in time.
  bool wait(base::Milliseconds limit = kInTime);

 private:
  std::mutex mu_;
  std::condition_variable changed_;
  bool open_ = false;
};

// Waits until the thread is told to stop: true; false when that did not happen within `limit`.
bool stopped_within(const std::stop_token& stop, base::Milliseconds limit);

// Whether the process still runs after this time; it is waited for no longer than it lives. For
// tests that kill at any point of a program's work.
[[nodiscard]] bool runs_for(pid_t pid, std::chrono::microseconds time);

// Whether all that was written into this pipe has been read.
[[nodiscard]] bool pipe_is_empty(int fd);

// Whether the thread of this process waits in the kernel.
[[nodiscard]] bool thread_sleeps(pid_t thread);

// Numbers from a seed: RC_SEED, else a random one. The seed is part of what a failing test
// prints.
class Seeded {
 public:
  Seeded();
  [[nodiscard]] std::uint32_t below(std::uint32_t end);
  [[nodiscard]] std::string words() const { return "RC_SEED=" + std::to_string(seed_); }

 private:
  std::uint32_t seed_;
  std::mt19937 numbers_;
};

std::string read_text(const std::string& path);  // fails the test when unreadable
void write_text(const std::string& path, std::string_view content);  // makes missing folders

// A clock that moves only when told to.
class FakeClock final : public base::Clock {
 public:
  [[nodiscard]] std::int64_t wall_ms() const override { return wall_ms_; }
  [[nodiscard]] base::SteadyTime steady() const override { return steady_; }
  [[nodiscard]] base::Milliseconds awake_and_asleep() const override { return boot_; }
  void advance(base::Milliseconds by);        // all three
  void sleep_machine(base::Milliseconds by);  // wall and boot, not steady
  void set_wall(std::int64_t ms) { wall_ms_ = ms; }

 private:
  std::int64_t wall_ms_ = 1796018400000;  // 2026-11-30T06:00:00Z
  base::SteadyTime steady_{std::chrono::hours(1)};
  base::Milliseconds boot_{std::chrono::hours(1)};
};

// The built programs of this build, and files of the source tree.
[[nodiscard]] std::string program(std::string_view name);  // "robot-council", "robot-council-net"
[[nodiscard]] std::string source_file(
    std::string_view path);  // "resources/stop-hook/robot-council-stop-hook"

// Runs a program to its end with exactly this environment (PATH=/usr/bin:/bin added if missing).
struct Ran {
  int code = -1;
  int signal = 0;
  std::string out;
  std::string err;
};
Ran run(const std::vector<std::string>& argv, const std::map<std::string, std::string>& environment,
        std::string_view input = {}, const std::string& directory = {},
        base::Milliseconds limit = 2 * kInTime);

}  // namespace robot_council::test
