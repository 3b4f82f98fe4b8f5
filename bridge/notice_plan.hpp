#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "bridge/limits.hpp"

namespace robot_council::bridge {

enum class HookState : std::uint8_t { found, none };

// When a channel notice goes out and when it is repeated (bridge contract, 7). Pure: times and the
// sink's state are handed in.
class NoticePlan {
 public:
  NoticePlan(const Timings& timings, HookState hook) : timings_(timings), hook_(hook) {}

  // Rows were committed.
  void stored(std::size_t rows) { fresh_ += rows; }
  // Rows wait that no notice has told of.
  [[nodiscard]] bool has_news() const { return fresh_ > 0; }
  // A first notice goes out now: its count. `digest`: of the undelivered entries, nothing if the
  // sink could not be read.
  std::size_t announce(std::optional<std::string> digest, base::SteadyTime now);

  // The next repeat, if one is planned.
  [[nodiscard]] std::optional<base::SteadyTime> repeat_due() const { return due_; }
  struct Repeat {
    std::size_t count = 0;
    int number = 0;
  };
  // A repeat is due: what to send, or nothing (drained, changed, unreadable: then it is asked again
  // later). `empty`: nothing undelivered. `digest`: nothing if the sink could not be read.
  std::optional<Repeat> repeat(const std::optional<std::string>& digest, bool empty,
                               base::SteadyTime now);
  // The agent read the feed itself: settles a batch when there is no hook.
  void feed_was_read();
  // A repeat that could not be sent (brake): asked again later.
  void postpone(base::SteadyTime now) { due_ = now + timings_.unreadable; }
  // The session is over.
  void reset();

 private:
  Timings timings_;
  HookState hook_;
  std::size_t fresh_ = 0;
  std::size_t told_ = 0;
  int repeats_ = 0;
  std::optional<std::string> digest_;
  std::optional<base::SteadyTime> due_;
};

// When a notice is sent only to keep the prompt cache of an idle session warm.
class KeepWarmPlan {
 public:
  // interval: nothing = off. ceiling: nothing = none.
  KeepWarmPlan(std::optional<base::Milliseconds> interval,
               std::optional<base::Milliseconds> ceiling, base::Milliseconds own_turn,
               base::Milliseconds look, base::SteadyTime start)
      : interval_(interval),
        ceiling_(ceiling),
        own_turn_(own_turn),
        look_(look),
        activity_(start) {}

  [[nodiscard]] bool on() const { return interval_.has_value(); }
  // A tool call, a notice or a repeat.
  void active(base::SteadyTime now);
  // A turn-end mark with this mtime was seen (ms, wall); the same one again is nothing new.
  void turn_ended(std::int64_t mark_ms, std::int64_t wall_ms, base::SteadyTime now);
  // When the next keep-alive is due; nothing when off or over the ceiling.
  [[nodiscard]] std::optional<base::SteadyTime> due() const;
  void sent(std::int64_t wall_ms, base::SteadyTime now);
  // When the turn-end mark is looked at next: when a keep-alive is due, and now and then while
  // one's own turn may end.
  [[nodiscard]] std::optional<base::SteadyTime> look_due() const;
  void looked(base::SteadyTime now) { looked_ = now; }

 private:
  std::optional<base::Milliseconds> interval_;
  std::optional<base::Milliseconds> ceiling_;
  base::Milliseconds own_turn_;
  base::Milliseconds look_;
  base::SteadyTime activity_;
  base::SteadyTime looked_{};
  std::optional<base::SteadyTime> alive_;  // last keep-alive
  std::int64_t alive_wall_ms_ = 0;
  bool own_turn_open_ = false;  // the next mark may be the keep-alive's own
  std::optional<std::int64_t> last_mark_ms_;
};

struct KeepWarmOptions {
  std::optional<base::Milliseconds> interval;
  std::optional<base::Milliseconds> ceiling;
  std::string said;  // why keep-alives are off, "" if they are on or were not asked for
};
// Values as given ("" = not given; `bare`: --keep-warm without a value).
[[nodiscard]] KeepWarmOptions keep_warm_options(std::optional<std::string_view> keep_warm,
                                                std::optional<std::string_view> keep_warm_for,
                                                std::string_view harness);

}  // namespace robot_council::bridge
