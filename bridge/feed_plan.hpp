#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "bridge/limits.hpp"

namespace robot_council::bridge {

// When the feed is read next, and how: pacing, back-off, and what a service does not take. Pure:
// times are handed in. Threads: one.
class FeedPlan {
 public:
  explicit FeedPlan(const Timings& timings) : timings_(timings), backoff_(timings.backoff) {}

  // Query of the next read.
  [[nodiscard]] std::string query(std::optional<std::int64_t> after) const;
  // Seconds the service is asked to hold the next read, 0: not asked.
  [[nodiscard]] int wait_seconds() const;
  // Whole time of the next read.
  [[nodiscard]] base::Milliseconds read_time() const;

  struct PageFacts {
    bool held = false;           // the answer has the header Robot-Council-Wait
    bool moved = false;          // the cursor moved
    bool full = false;           // kFullPage events
    std::int64_t moved_by = 0;   // ids
    bool empty = false;          // no events
    base::Milliseconds took{0};  // from request to answer
    std::optional<base::Milliseconds> retry_after;
  };
  // A page was taken in at `now`. When to read again.
  [[nodiscard]] base::SteadyTime after_page(const PageFacts& facts, base::SteadyTime now);
  // The service answered `status` (0: no answer). `held`: the read had been under way for some
  // time. `jitter`: 0..1.
  [[nodiscard]] base::SteadyTime after_failure(int status,
                                               std::optional<base::Milliseconds> retry_after,
                                               bool cut_while_held, double jitter,
                                               base::SteadyTime now);
  // Each read's time goes through here last, whatever it came from: kReadsWithoutPause reads may
  // come in a row and then one every Timings::flood, so that whatever a service answers, no minute
  // has more than 60 and none waits longer than Timings::flood because of this.
  [[nodiscard]] base::SteadyTime spaced(base::SteadyTime next);
  // A 422 whose errors name these: dropped for this process. True if that changes the next query.
  bool drop(bool acknowledge, bool wait);

 private:
  void halve_wait(base::SteadyTime now);
  Timings timings_;
  base::Milliseconds backoff_;
  bool acknowledge_ = true;
  bool wait_ = true;
  int wait_s_ = kWaitSeconds;
  std::optional<base::SteadyTime> no_wait_until_;
  base::SteadyTime used_until_{};  // every read uses up Timings::flood; never set back
};

// The answer's page was refused with 401: a run of them.
class RefusalRun {
 public:
  // Counts one; true if it is to be said.
  bool refused() { return ++count_ > 1; }
  void over() { count_ = 0; }
  [[nodiscard]] int count() const { return count_; }

 private:
  int count_ = 0;
};

}  // namespace robot_council::bridge
