#include "fleet/core.hpp"

#include <utility>

#include "base/random.hpp"

namespace robot_council::fleet {

namespace {

constexpr std::uint64_t kMaxEpoch = std::uint64_t{1}
                                    << 53U;  // exact in a double: some readers have no other number

}  // namespace

std::int64_t Unit::append(const EventDraft& draft) {
  events.push_back(store_event(tx, draft, now));
  return events.back().id;
}

void PendingCodes::remember(const std::string& hash, const std::string& code) {
  const base::MutexLock lock(mu_);
  codes_[hash] = code;
}

void PendingCodes::forget(const std::string& hash) {
  const base::MutexLock lock(mu_);
  codes_.erase(hash);
}

std::optional<std::string> PendingCodes::find(const std::string& hash) const {
  const base::MutexLock lock(mu_);
  const auto found = codes_.find(hash);
  return found == codes_.end() ? std::nullopt : std::optional<std::string>(found->second);
}

Core::Core(std::unique_ptr<Store> store, Settings settings, const base::Context& context)
    : waiters(settings.max_held),
      rates(context.clock),
      store_(std::move(store)),
      settings_(std::move(settings)),
      context_(context) {}

base::Result<std::unique_ptr<Core>> Core::open(std::unique_ptr<Store> store, Settings settings,
                                               const base::Context& context) {
  std::unique_ptr<Core> core(new Core(std::move(store), std::move(settings), context));
  if (auto ready = core->prepare(); !ready) {
    return ready.error();
  }
  return core;
}

base::Status Core::prepare() {
  const std::int64_t now_ms = now();
  return store_->write(
      [this, now_ms](Transaction& tx) {
        tx.execute(
            "INSERT INTO developers(github_login, allowed, created_at) VALUES(?, 1, ?) ON CONFLICT "
            "DO NOTHING",
            {settings_.login, now_ms});
        tx.execute("UPDATE developers SET developer_id = id WHERE developer_id IS NULL", {});
        const auto developer =
            tx.first("SELECT id FROM developers WHERE github_login = ?", {settings_.login});
        developer_id_ = developer ? developer->integer(0) : 0;
        tx.execute("UPDATE sessions SET contact_at = ? WHERE status <> 'gone' AND contact_at < ?",
                   {now_ms, now_ms});
        epoch_head_ = store_->last_event_id(tx);
        const auto oldest = tx.first("SELECT MIN(id) FROM events", {});
        epoch_ = static_cast<std::int64_t>(base::random_below(kMaxEpoch - 1)) + 1;
        window.start(epoch_head_,
                     oldest ? oldest->maybe_integer(0).value_or(epoch_head_ + 1) : epoch_head_ + 1);
        return Ending::commit;
      },
      {});
}

Reply Core::failed(const base::Error& error) {
  context_.log.error(error.what);
  if (error.code == base::Errc::invalid) {
    return refuse(500, "The service failed on this request.");
  }
  return unavailable();
}

Reply Core::write(const std::function<Reply(Unit&)>& work) {
  Reply reply;
  std::vector<std::uint64_t> woken;
  std::vector<StoredEvent> events;
  std::vector<std::int64_t> ended;
  const base::Status done = store_->write(
      [&](Transaction& tx) {
        Unit unit{tx, now(), settings_, presence, window.head(), {}, {}};
        reply = work(unit);
        events = std::move(unit.events);
        ended = std::move(unit.ended_sessions);
        return reply.refused() ? Ending::undo : Ending::commit;
      },
      [&] {
        // The window first: a reader that registers in between finds the event there.
        window.add(events);
        woken = waiters.who_sees(events);
        const auto gone = waiters.end_sessions(ended);
        woken.insert(woken.end(), gone.begin(), gone.end());
      });
  if (!done) {
    return failed(done.error());
  }
  if (wake_ && !woken.empty()) {
    wake_(woken);
  }
  return reply;
}

Reply Core::read(const std::function<Reply(Unit&)>& work) {
  Reply reply;
  const base::Status done = store_->read([&](Transaction& tx) {
    Unit unit{tx, now(), settings_, presence, window.head(), {}, {}};
    reply = work(unit);
  });
  return done ? reply : failed(done.error());
}

bool Core::store_available() {
  return store_->read([](Transaction& tx) { (void)tx.first("SELECT 1", {}); }).ok();
}

}  // namespace robot_council::fleet
