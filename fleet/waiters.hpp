#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "fleet/event.hpp"

namespace robot_council::fleet {

// A held read of the feed.
struct Waiter {
  Reader reader;
  std::int64_t after = 0;
  std::int64_t limit = 0;
  base::SteadyTime until;
  bool ended = false;  // its session ended meanwhile: 401
};

// Which requests are held for which readers. Holds no connection: those are with net::HttpServer,
// under the same ids. Threads  safe from any.
class Waiters {
 public:
  explicit Waiters(std::size_t max_held) : max_held_(max_held) {}

  // False: no place is free (all held, 2 of the session, 8 of the operator).
  [[nodiscard]] bool add(std::uint64_t request, const Waiter& waiter);
  [[nodiscard]] std::optional<Waiter> find(std::uint64_t request) const;
  void remove(std::uint64_t request);

  // Requests whose reader sees one of the events. Costs no query and, where one developer sees all,
  // one step a held request.
  [[nodiscard]] std::vector<std::uint64_t> who_sees(const std::vector<StoredEvent>& events) const;
  // Marks the session's requests as ended and names them.
  [[nodiscard]] std::vector<std::uint64_t> end_sessions(const std::vector<std::int64_t>& sessions);
  [[nodiscard]] std::size_t count() const;

 private:
  mutable base::Mutex mu_;
  const std::size_t max_held_;
  std::unordered_map<std::uint64_t, Waiter> held_ RC_GUARDED_BY(mu_);
  std::map<std::int64_t, std::set<std::uint64_t>> of_session_
      RC_GUARDED_BY(mu_);  // 0: the operator
};

}  // namespace robot_council::fleet
