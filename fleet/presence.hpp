#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/mutex.hpp"
#include "fleet/store.hpp"

namespace robot_council::fleet {

// Contact and watcher times that are not in the store yet: the only thing that may wait in memory
// (8.3), so that 1,000 reads cost no 1,000 syncs. Lost ones are made up for at the start (8.5).
// Threads  safe from any.
class Presence {
 public:
  void contact(std::int64_t session_id, std::int64_t now);
  // A watcher's heartbeat, a renewal or a feed read.
  void watcher(std::int64_t session_id, std::int64_t now);

  struct Times {
    std::optional<std::int64_t> contact;
    std::optional<std::int64_t> watcher;
  };
  [[nodiscard]] Times of(std::int64_t session_id) const;
  [[nodiscard]] bool dirty() const;

  // Writes all of them inside the caller's transaction; they leave the memory with
  // forget_flushed(), after the commit.
  void flush(Transaction& transaction);
  void forget_flushed();

 private:
  mutable base::Mutex mu_;
  std::map<std::int64_t, Times> times_ RC_GUARDED_BY(mu_);
  std::map<std::int64_t, Times> flushed_ RC_GUARDED_BY(mu_);
};

}  // namespace robot_council::fleet
