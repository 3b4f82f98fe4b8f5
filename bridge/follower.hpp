#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/context.hpp"
#include "base/mutex.hpp"
#include "bridge/bridge_record.hpp"
#include "bridge/feed_page.hpp"
#include "bridge/feed_plan.hpp"
#include "bridge/session.hpp"
#include "bridge/sink_desk.hpp"
#include "bridge/upstream.hpp"

namespace robot_council::bridge {

// What the follower works with; all outlive it.
struct FollowerParts {
  const base::Context& context;
  Session& session;
  SinkDesk& sink;
  BridgeRecord& record;
  std::function<void(std::size_t rows)> stored;  // rows were committed
};

// The thread that reads the fleet's feed for one join and stores what concerns the session. One
// object a join; the plan of a service (what it does not take) is kept by the caller between joins.
class Follower {
 public:
  // Starts at once. `cursor`: nothing = the service's own position. `plan` outlives the follower.
  Follower(FollowerParts parts, std::unique_ptr<Upstream> upstream, FeedPlan& plan,
           std::int64_t session, std::optional<std::int64_t> cursor);
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;
  Follower(Follower&&) = delete;
  Follower& operator=(Follower&&) = delete;
  ~Follower();

  // Ends the read under way; the thread ends soon after.
  void ask_to_stop();
  // The same, and waits. Returns once nothing more is written. Idempotent.
  void stop();

 private:
  void run();
  void loop();
  // One read; when the next is due.
  [[nodiscard]] base::SteadyTime read_once();
  [[nodiscard]] base::SteadyTime refused(const net::ClientResponse& answer,
                                         std::uint64_t generation);
  [[nodiscard]] base::SteadyTime failed(int status, std::optional<base::Milliseconds> retry_after,
                                        bool cut_while_held, const std::string& what);
  [[nodiscard]] base::SteadyTime take(const FeedPage& page, FeedPlan::PageFacts facts);

  // What a page comes to before it is committed.
  struct Harvest {
    sink::Page page;
    std::vector<std::string> said;
    std::set<std::int64_t> held;
    std::optional<std::int64_t> role_event;       // the page is cut after it
    std::optional<std::int64_t> last_role_event;  // followed by a renewal already
    std::string new_role;
    std::string new_epoch;
  };
  [[nodiscard]] Harvest harvest(const FeedPage& page) const;
  // True: the event is about the own role and was handled.
  bool own_role(const FeedEvent& event, Harvest& harvest) const;
  [[nodiscard]] base::SteadyTime commit_failed(const base::Error& error);
  [[nodiscard]] base::SteadyTime after_role_change();

  [[nodiscard]] bool stopped() const { return stop_.load(); }
  void wait_until(base::SteadyTime when);

  FollowerParts parts_;
  std::unique_ptr<Upstream> upstream_;
  FeedPlan& plan_;
  std::int64_t me_;
  std::optional<std::int64_t> cursor_;
  std::set<std::int64_t> held_;
  std::string epoch_;
  std::optional<std::int64_t> last_role_event_;
  RefusalRun refusals_;
  bool sink_failing_ = false;
  base::Milliseconds sink_backoff_;
  std::atomic<bool> stop_{false};
  base::Mutex mu_;
  base::CondVar woken_;
  std::thread thread_;
};

}  // namespace robot_council::bridge
