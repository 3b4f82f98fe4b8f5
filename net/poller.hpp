#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/fd.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "net/connections.hpp"
#include "net/http_guard.hpp"
#include "net/readiness.hpp"
#include "net/work_queue.hpp"

namespace robot_council::net {

struct PollerSetup {
  base::Fd listener;
  GuardRules rules;
  ServerOptions options;
  std::size_t max_parked = 0;
  std::size_t max_open = 0;  // connections
};

// The event loop of a server: accepts, reads whole requests, refuses bad ones, gives good ones to
// the queue, holds parked ones and sends answers. It alone touches connections; workers and callers
// leave messages.
class Poller {
 public:
  [[nodiscard]] static base::Result<std::unique_ptr<Poller>> open(PollerSetup setup,
                                                                  WorkQueue& queue, base::Log& log);

  // Before run() only.
  void on_gone(std::function<void(RequestId)> callback) { on_gone_ = std::move(callback); }
  // The loop; returns after begin_stop().
  void run();

  // Threads: any.
  void complete(Job job, Outcome outcome) RC_EXCLUDES(mu_);
  void wake(std::vector<RequestId> requests) RC_EXCLUDES(mu_);
  // Accepts no more, drops unfinished requests, gives parked ones their last turn; the loop ends
  // when all are answered, or at the deadline.
  void begin_stop(base::SteadyTime deadline) RC_EXCLUDES(mu_);
  [[nodiscard]] std::size_t parked() const { return parked_.load(std::memory_order_relaxed); }

 private:
  struct Completion {
    Job job;
    Outcome outcome;
  };
  struct Inbox {
    std::vector<Completion> completions;
    std::vector<RequestId> wakes;
    std::optional<base::SteadyTime> stop;
  };

  Poller(PollerSetup setup, Readiness readiness, WorkQueue& queue, base::Log& log);
  void handle(const ReadyEvent& event);
  void take_inbox() RC_EXCLUDES(mu_);
  void expire();
  [[nodiscard]] base::SteadyTime next_wait() const;

  void accept_some();
  // Makes room by ending the oldest unfinished request; false: there is none.
  bool drop_oldest();
  void pause_accepting();

  void read_request(Connection& connection);
  void read_head(Connection& connection);
  void start_if_whole(Connection& connection);
  void refuse(Connection& connection, const Refusal& refusal);

  void finish(Completion completion);
  void park(Connection& connection, std::unique_ptr<WholeRequest> request, const Park& park);
  void run_again(Connection& connection, Turn turn);
  void wake_one(RequestId id);

  void answer(Connection& connection, std::string bytes);
  void send_answer(Connection& connection);
  void drain(Connection& connection);
  void close(Connection& connection);

  void stop(base::SteadyTime deadline);
  void set_interest(Connection& connection, Interest interest);
  void move_to(Connection& connection, Stage stage);
  void say_dropped();

  PollerSetup setup_;
  Readiness readiness_;
  WorkQueue& queue_;
  base::Log& log_;
  base::SystemClock clock_;
  std::function<void(RequestId)> on_gone_;
  std::atomic<std::size_t> parked_{0};

  base::Mutex mu_;
  Inbox inbox_ RC_GUARDED_BY(mu_);

  // The loop's own.
  Connections connections_;
  std::vector<char> chunk_;
  base::SteadyTime now_;
  Interest listening_ = Interest::none;
  std::optional<base::SteadyTime> accept_again_;
  std::optional<base::SteadyTime> stop_by_;
  std::optional<base::SteadyTime> said_dropped_;
  std::size_t dropped_ = 0;
};

}  // namespace robot_council::net
