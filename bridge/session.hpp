#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "bridge/limits.hpp"

namespace robot_council::bridge {

// The token that a call is sent with. A call refused with it says so by its generation.
struct Token {
  std::string text;
  std::uint64_t generation = 0;
  std::int64_t session = 0;
};

// Why a call has no token, or no new one.
enum class NoToken : std::uint8_t {
  left,       // no session, or it was left
  ended,      // the fleet ended it
  abandoned,  // the caller's own condition, or its deadline
  failed,     // the renewal failed: `text`
};

struct TokenResult {
  std::optional<Token> token;
  NoToken why = NoToken::left;
  std::string text;
};

// What the keeper and everyone who calls the service share about the fleet session: the token, its
// renewal, the abilities. The keeper changes it; workers and follower read it and wait here for a
// renewal they need. Threads: any.
class Session {
 public:
  explicit Session(const base::Clock& clock, const Timings& timings)
      : clock_(clock), timings_(timings) {}

  struct Issue {
    std::string token;
    std::optional<std::int64_t> expires_in_s;
    bool coordinator = false;  // abilities hold coordinator:direct
  };

  // --- keeper ---
  void begin(std::int64_t session, const Issue& issue);
  void renewed(const Issue& issue);
  void renewal_began();
  // The attempt failed; who waits for it gets `text`.
  void renewal_failed(const std::string& text);
  void end();    // by the fleet
  void leave();  // no session any more
  // The keeper is told when a renewal becomes wanted.
  void on_wanted(std::function<void()> callback);
  // A refused call waits: renew now. A due one obeys the pause between attempts.
  struct Wanted {
    bool now = false;
    bool due = false;
  };
  [[nodiscard]] Wanted wanted();
  // When the token should be renewed by its age (awake_and_asleep time); nothing when unknown.
  [[nodiscard]] std::optional<base::Milliseconds> renew_at() const;

  // --- callers ---
  // The current token; waits while a renewal is under way or must come first. `abandoned` is asked
  // at each wake-up.
  [[nodiscard]] TokenResult acquire(const std::function<bool()>& abandoned,
                                    base::SteadyTime deadline);
  // The service refused a call sent with `generation`: a newer token, after the one renewal that
  // all such calls share.
  [[nodiscard]] TokenResult renew_after(std::uint64_t generation,
                                        const std::function<bool()>& abandoned,
                                        base::SteadyTime deadline);
  // The same for the bridge's own calls: the renewal is only made due.
  void make_due();
  // Waits for the end of a renewal attempt that is due or under way. False: abandoned, left, ended
  // or deadline.
  bool await_attempt(const std::function<bool()>& abandoned, base::SteadyTime deadline);
  [[nodiscard]] bool is_current(std::uint64_t generation) const;
  [[nodiscard]] bool coordinator() const;
  [[nodiscard]] std::optional<std::int64_t> id() const;
  // Wakes all waiters, so that they ask their conditions again.
  void wake();

 private:
  void issue(const Issue& issue) RC_REQUIRES(mu_);
  // After a sleep of the machine the token is renewed first.
  void note_sleep() RC_REQUIRES(mu_);

  const base::Clock& clock_;
  Timings timings_;
  mutable base::Mutex mu_;
  base::CondVar changed_;
  std::function<void()> on_wanted_ RC_GUARDED_BY(mu_);
  std::optional<std::int64_t> session_ RC_GUARDED_BY(mu_);
  bool ended_ RC_GUARDED_BY(mu_) = false;
  std::string token_ RC_GUARDED_BY(mu_);
  std::uint64_t generation_ RC_GUARDED_BY(mu_) = 0;
  bool coordinator_ RC_GUARDED_BY(mu_) = false;
  std::optional<base::Milliseconds> expires_ RC_GUARDED_BY(mu_);
  bool renewing_ RC_GUARDED_BY(mu_) = false;
  bool now_ RC_GUARDED_BY(mu_) = false;              // a refused call waits
  bool due_ RC_GUARDED_BY(mu_) = false;              // latched until a renewal succeeds
  bool first_ RC_GUARDED_BY(mu_) = false;            // before any other call
  std::uint64_t attempts_ RC_GUARDED_BY(mu_) = 0;    // finished
  std::string failure_ RC_GUARDED_BY(mu_);           // of the last attempt, "" if it succeeded
  base::Milliseconds asleep_ RC_GUARDED_BY(mu_){0};  // time asleep that was taken account of
};

}  // namespace robot_council::bridge
