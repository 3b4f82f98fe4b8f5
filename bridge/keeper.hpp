#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "account/credentials.hpp"
#include "base/context.hpp"
#include "base/mutex.hpp"
#include "bridge/announcer.hpp"
#include "bridge/bridge_record.hpp"
#include "bridge/follower.hpp"
#include "bridge/inbox.hpp"
#include "bridge/join_record.hpp"
#include "bridge/join_request.hpp"
#include "bridge/session.hpp"
#include "bridge/sink_desk.hpp"
#include "bridge/summary.hpp"
#include "bridge/upstream.hpp"

namespace robot_council::bridge {

// Where the keeper's work comes from and goes to; all outlive it.
struct KeeperParts {
  const base::Context& context;
  Session& session;
  SinkDesk& sink;
  BridgeRecord& record;
  Announcer& announcer;
  Inbox& inbox;
  std::function<std::unique_ptr<Upstream>()> connect;
  std::function<base::Result<account::Credential>()> read_credential;
  std::function<bool()> holds_seat;
};

// What a join sends when it was not told.
struct JoinDefaults {
  std::string harness;
  std::string project;
  std::optional<std::string> repository;     // of the option
  std::optional<std::string> work_location;  // of the option
  std::string folder;                        // the rest comes from its checkout
  std::string join_record;                   // path, "" = none is kept
};

// The thread that owns the fleet session: joins, renews, keeps it alive, leaves. Threads: calls
// from any.
class Keeper {
 public:
  Keeper(KeeperParts parts, JoinDefaults defaults, const Timings& timings);
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  Keeper(Keeper&&) = delete;
  Keeper& operator=(Keeper&&) = delete;
  ~Keeper();

  void start();
  // Answered by JoinFinished and LeaveFinished in the inbox.
  void join(const JoinRequest& request);
  void leave();
  // Begins the end: what is under way is cut off, but for a start.
  void ask_to_stop();
  // The end: one DELETE for a started session, at most Timings::delete_wait in all, then the sink
  // is cleared. Returns once the thread ended. Idempotent.
  void stop();

 private:
  enum class Command : unsigned char { none, join, leave };

  void run();
  void guarded(const std::function<void()>& work);
  // Seconds and jobs.
  [[nodiscard]] std::optional<base::SteadyTime> next_due() RC_REQUIRES(mu_);
  void pass();
  void heartbeat();
  void watcher();
  void capacity();
  void expiry();
  void renew();
  void renewal_answered(const Answer& answer);
  void gone();

  // --- join ---
  void do_join(const JoinRequest& request);
  // The error's `what` is the reason of the failure.
  [[nodiscard]] base::Result<JoinFinished> try_join(const JoinRequest& request);
  [[nodiscard]] StartFields start_fields(const JoinRequest& request, Joined& joined) const;
  [[nodiscard]] base::Status open_sink(const Started& started);
  [[nodiscard]] RoleAnswer ask_role(const Started& started, const std::string& role);
  void end_leftover();
  void tell_whether_directed();
  [[nodiscard]] std::string fleet_instructions();
  void begin_timers(const Started& started);
  void end_started(const std::string& credential, std::int64_t session);
  void do_leave();
  void do_end();
  void forget_session();

  // One call of the session with its token; nothing when there is no token. A 401 makes the renewal
  // due.
  [[nodiscard]] std::optional<Answer> call_session(Upstream::Call call, base::Milliseconds time);
  // A 429 or 503 with Retry-After: the job waits as long.
  [[nodiscard]] base::SteadyTime next_of(base::Milliseconds period, const Answer& answer) const;
  [[nodiscard]] bool stopping() const;
  void local_entry(const std::string& type, const std::string& body);
  [[nodiscard]] std::optional<std::int64_t> unread_capacity_start() const;

  KeeperParts parts_;
  JoinDefaults defaults_;
  Timings timings_;
  std::unique_ptr<Upstream> upstream_;
  FeedPlan feed_plan_;
  std::unique_ptr<Follower> follower_;

  mutable base::Mutex mu_;
  base::CondVar changed_;
  Command command_ RC_GUARDED_BY(mu_) = Command::none;
  JoinRequest request_ RC_GUARDED_BY(mu_);
  bool stop_ RC_GUARDED_BY(mu_) = false;
  bool starting_ RC_GUARDED_BY(mu_) = false;  // POST sessions is under way
  bool background_ RC_GUARDED_BY(mu_) =
      false;  // a call that may be cut off for a renewal somebody waits for
  bool finished_ RC_GUARDED_BY(mu_) = false;
  base::SteadyTime stop_deadline_ RC_GUARDED_BY(mu_){};

  // The keeper's own; touched by its thread only.
  std::optional<std::int64_t> session_;  // started and its end not yet answered
  std::string credential_;
  bool joined_ = false;
  bool no_watcher_ = false;
  bool watcher_failing_ = false;
  bool credential_refused_ = false;  // said for this join
  bool credential_changed_ = false;  // since the service refused one
  bool reread_credential_ = false;
  int not_found_run_ = 0;
  std::int64_t capacity_ = 1;
  std::optional<std::int64_t> capacity_from_;  // what the unread entry started from
  base::SteadyTime heartbeat_at_{};
  base::SteadyTime watcher_at_{};
  base::SteadyTime capacity_at_{};
  base::SteadyTime expiry_at_{};
  base::SteadyTime renew_not_before_{};
  std::thread thread_;
};

}  // namespace robot_council::bridge
