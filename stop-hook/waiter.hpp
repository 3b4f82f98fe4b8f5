#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/context.hpp"
#include "base/signals.hpp"
#include "harness/payload.hpp"
#include "pending/engine.hpp"
#include "sink/seat.hpp"
#include "stop-hook/sink_watch.hpp"
#include "stop-hook/wait_hook.hpp"
#include "stop-hook/wait_record.hpp"
#include "stop-hook/wake_rule.hpp"

namespace robot_council::stop_hook {

// The event that began a waiter, by the payload of its hook.
[[nodiscard]] WaiterStart waiter_start(const harness::Payload& payload);

// One background waiter from its take-over to its end. Threads: one.
class Waiter {
 public:
  struct Setup {
    const WaitHookOptions& options;
    const base::Context& context;
    const sink::Seat& seat;
    const harness::Payload& payload;
    sink::ProcessName client;     // the agent client
    std::int64_t started_ms = 0;  // when this process began, wall clock
    int stderr_fd = 2;
  };
  explicit Waiter(const Setup& setup);

  // The exit code.
  int run();

 private:
  enum class Next : std::uint8_t { wait, leave, handed_over };
  struct Gathering {
    base::SteadyTime first;
    base::SteadyTime newest;
    pending::Waiting seen;
  };

  [[nodiscard]] bool client_there() const;
  [[nodiscard]] bool braked() const;
  void watch_transcript();
  [[nodiscard]] WakeView view() const;
  void note_start_of_sink();
  [[nodiscard]] pending::Request request(Take take) const;
  Next turn();  // one look; sets again_
  Next look(Take take);
  Next hand_over(Take take);

  Setup setup_;
  WaitClient mine_;
  WaiterStart start_;
  Midturn midturn_;
  std::int64_t parent_pid_ = 0;
  base::SteadyTime life_end_;
  base::SteadyTime again_;
  std::optional<Gathering> gathering_;
  std::optional<std::int64_t> transcript_size_;
  base::SteadyTime transcript_grew_;
  // Rows up to this one were there when a fresh session began: they wait for its first turn end.
  std::int64_t after_seq_ = 0;
  std::uint64_t sink_inode_ = 0;
};

}  // namespace robot_council::stop_hook
