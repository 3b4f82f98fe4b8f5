#pragma once

#include <functional>
#include <optional>
#include <thread>

#include "base/context.hpp"
#include "base/mutex.hpp"
#include "bridge/bridge_record.hpp"
#include "bridge/notice_plan.hpp"
#include "bridge/output.hpp"
#include "sink/bridge_store.hpp"

namespace robot_council::bridge {

struct AnnouncerParts {
  const base::Context& context;
  Output& output;
  BridgeRecord& record;
  sink::SeatFiles files;
  std::function<bool()> braked;
};

// The thread that wakes an idle Claude Code session with a channel notice: that events wait, or
// that its prompt cache would grow cold. Counts only, never an event's text. Does nothing for
// another harness.
class Announcer {
 public:
  enum class Channel : unsigned char { none, claude };
  Announcer(AnnouncerParts parts, const Timings& timings, Channel channel, HookState hook,
            const KeepWarmOptions& keep_warm);
  Announcer(const Announcer&) = delete;
  Announcer& operator=(const Announcer&) = delete;
  Announcer(Announcer&&) = delete;
  Announcer& operator=(Announcer&&) = delete;
  ~Announcer();

  void joined();  // notices may be sent from now on
  void left();    // no more
  void stop();    // for good; returns once the thread ended

  void initialized();             // the harness said notifications/initialized
  void stored(std::size_t rows);  // rows were committed
  void tool_called();             // any tools/call
  void feed_was_read();           // events_read answered without an error

 private:
  void run();
  void pass() RC_REQUIRES(mu_);
  [[nodiscard]] std::optional<base::SteadyTime> next_due() RC_REQUIRES(mu_);
  [[nodiscard]] std::optional<sink::ShareState> read_share() RC_REQUIRES(mu_);
  bool announce(base::SteadyTime now) RC_REQUIRES(mu_);
  void keep_warm(base::SteadyTime now) RC_REQUIRES(mu_);
  void look_at_turn(base::SteadyTime now) RC_REQUIRES(mu_);
  void send(const std::string& params) RC_REQUIRES(mu_);

  AnnouncerParts parts_;
  Timings timings_;
  Channel channel_;
  HookState hook_;
  base::Mutex mu_;
  base::CondVar changed_;
  NoticePlan plan_ RC_GUARDED_BY(mu_);
  KeepWarmPlan warm_ RC_GUARDED_BY(mu_);
  bool joined_ RC_GUARDED_BY(mu_) = false;
  bool initialized_ RC_GUARDED_BY(mu_) = false;
  bool stop_ RC_GUARDED_BY(mu_) = false;
  std::optional<base::SteadyTime> held_back_ RC_GUARDED_BY(mu_);  // the brake is looked at again
  std::thread thread_;
};

// Texts of the two notices' params. `repeat` 0: the first.
[[nodiscard]] std::string notice_params(std::size_t count, int repeat, HookState hook);
[[nodiscard]] std::string keep_warm_params();

}  // namespace robot_council::bridge
