#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "tests/bridge/fake_fleet.hpp"

namespace robot_council::test {

// A service at its worst: every answer may be slow, cut, wrong or absent, and the feed is restored,
// pruned, repeated and shuffled. It keeps the books: which events a session must have got in the
// end. Faults come from the seed; two faults of the feed never follow each other, so that the
// bridge's back-off stays near a second.
class MisbehavingFleet {
 public:
  explicit MisbehavingFleet(std::uint64_t seed);

  [[nodiscard]] std::string url() const { return fleet_.url(); }
  void storm();  // faults from now on
  void calm();   // none
  // Some events at the end of the feed; most of them for the session.
  void post();
  // The next renewal is answered by 409, and one is due at once.
  void end_session();
  // The session's role changes; its next reads are of the new role.
  void change_role();
  void expire_token();

  // An event that the running session must find in its sink. `pruned`: the id under which the
  // service dropped it before the session read it; then a gap that names this id may stand for it.
  struct Owed {
    std::string tag;
    std::int64_t id = 0;
    std::optional<std::int64_t> pruned;
  };
  [[nodiscard]] std::vector<Owed> owed();
  [[nodiscard]] std::int64_t restores();  // of this session's feed
  [[nodiscard]] std::int64_t sessions();
  [[nodiscard]] std::size_t ends();  // DELETEs that were answered
  // What was done, for the end of the run.
  [[nodiscard]] std::string done();
  void stop();  // reads that are held are answered

 private:
  struct Event {
    std::int64_t id = 0;
    std::string json;
  };
  using Reply = std::optional<FleetReply>;
  Reply start(const FleetRequest& request);
  Reply renew(const FleetRequest& request);
  Reply feed(const FleetRequest& request);
  Reply mcp(const FleetRequest& request);
  Reply small(const FleetRequest& request);  // heartbeat, watcher, agent/session, DELETE
  [[nodiscard]] bool refused(const FleetRequest& request);
  [[nodiscard]] bool is_refused(const FleetRequest& request) RC_REQUIRES(mu_);
  std::uint64_t draw(std::uint64_t below) RC_REQUIRES(mu_);
  FleetReply broken(std::uint64_t kind) RC_REQUIRES(mu_);
  Reply feed_fault(std::int64_t after) RC_REQUIRES(mu_);
  FleetReply page(std::int64_t after) RC_REQUIRES(mu_);
  FleetReply restored(std::int64_t after) RC_REQUIRES(mu_);
  void prune(std::int64_t after) RC_REQUIRES(mu_);
  std::string tool_list() RC_REQUIRES(mu_);
  enum class For : unsigned char { session, nobody };
  void add_event(const std::string& type, const std::string& rest, For whom) RC_REQUIRES(mu_);
  void count(const std::string& what) RC_REQUIRES(mu_) { ++done_[what]; }

  base::Mutex mu_;
  base::CondVar changed_;  // what a held read waits for
  std::mt19937_64 random_ RC_GUARDED_BY(mu_);
  std::deque<Event> events_ RC_GUARDED_BY(mu_);
  std::vector<Owed> owed_ RC_GUARDED_BY(mu_);
  std::int64_t next_id_ RC_GUARDED_BY(mu_) = 1;
  std::int64_t next_tag_ RC_GUARDED_BY(mu_) = 0;
  std::int64_t session_ RC_GUARDED_BY(mu_) = 40;
  std::int64_t token_ RC_GUARDED_BY(mu_) = 0;
  std::int64_t epoch_ RC_GUARDED_BY(mu_) = 1;
  std::int64_t restored_to_ RC_GUARDED_BY(mu_) = 0;
  std::int64_t restores_ RC_GUARDED_BY(mu_) = 0;
  std::int64_t joined_at_ RC_GUARDED_BY(mu_) = 0;
  std::size_t ends_ RC_GUARDED_BY(mu_) = 0;
  std::size_t tools_ RC_GUARDED_BY(mu_) = 3;
  bool calm_ RC_GUARDED_BY(mu_) = false;
  bool stopping_ RC_GUARDED_BY(mu_) = false;
  bool expired_ RC_GUARDED_BY(mu_) = false;
  bool gone_ RC_GUARDED_BY(mu_) = false;
  bool coordinator_ RC_GUARDED_BY(mu_) = false;
  bool feed_was_faulty_ RC_GUARDED_BY(mu_) = false;
  std::map<std::string, std::size_t> done_ RC_GUARDED_BY(mu_);
  FakeFleet fleet_;
};

}  // namespace robot_council::test
