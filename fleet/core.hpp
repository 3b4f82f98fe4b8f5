#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/context.hpp"
#include "base/mutex.hpp"
#include "fleet/feed_window.hpp"
#include "fleet/presence.hpp"
#include "fleet/rate_limiter.hpp"
#include "fleet/reply.hpp"
#include "fleet/settings.hpp"
#include "fleet/store.hpp"
#include "fleet/unit.hpp"
#include "fleet/waiters.hpp"

namespace robot_council::fleet {

// User codes of pending enrolments, for the operator's overview: the store keeps only their hashes.
// After a restart a code can still be typed, and is not listed. Threads: safe from any.
class PendingCodes {
 public:
  void remember(const std::string& hash, const std::string& code);
  void forget(const std::string& hash);
  [[nodiscard]] std::optional<std::string> find(const std::string& hash) const;

 private:
  mutable base::Mutex mu_;
  std::map<std::string, std::string> codes_ RC_GUARDED_BY(mu_);
};

// The fleet without its wire: runs units of work on the store, then tells the readers. Threads:
// safe from any.
class Core {
 public:
  using Wake = std::function<void(const std::vector<std::uint64_t>&)>;

  // Reads the head of the feed, draws the epoch, makes the developer of settings.login and gives
  // the live sessions a contact of now (8.5). Errors: of the store.
  [[nodiscard]] static base::Result<std::unique_ptr<Core>> open(std::unique_ptr<Store> store,
                                                                Settings settings,
                                                                const base::Context& context);

  // One transaction. A reply of 400 and above undoes it; a store that fails gives 503 (500 where it
  // cannot tell whether the commit was done). After the commit its events are in the window and
  // their readers woken, before this returns.
  Reply write(const std::function<Reply(Unit&)>& work);
  Reply read(const std::function<Reply(Unit&)>& work);

  // Who runs held requests again. Set before the first request.
  void set_wake(Wake wake) { wake_ = std::move(wake); }

  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] const base::Context& context() const { return context_; }
  [[nodiscard]] std::int64_t now() const { return context_.clock.wall_ms(); }
  [[nodiscard]] std::int64_t developer_id() const { return developer_id_; }
  [[nodiscard]] std::int64_t epoch() const { return epoch_; }
  [[nodiscard]] std::int64_t epoch_head() const { return epoch_head_; }
  [[nodiscard]] std::string_view store_kind() const { return store_->kind(); }
  [[nodiscard]] bool store_available();

  FeedWindow window;
  Waiters waiters;
  Presence presence;
  RateLimiter rates;
  PendingCodes codes;

 private:
  Core(std::unique_ptr<Store> store, Settings settings, const base::Context& context);
  base::Status prepare();
  Reply failed(const base::Error& error);

  std::unique_ptr<Store> store_;
  const Settings settings_;
  const base::Context context_;
  Wake wake_;
  std::int64_t developer_id_ = 0;
  std::int64_t epoch_ = 0;
  std::int64_t epoch_head_ = 0;
};

}  // namespace robot_council::fleet
