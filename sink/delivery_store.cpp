#include "sink/delivery_store.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/child.hpp"
#include "sink/database.hpp"
#include "sink/limits.hpp"
#include "sink/one_shot.hpp"
#include "sink/rows.hpp"
#include "sink/schema.hpp"

namespace robot_council::sink {
namespace {

Chain read_chain(SQLite::Database& db, const std::optional<std::string>& session) {
  Chain chain;
  if (!session) {
    return chain;
  }
  SQLite::Statement query(db, sql::kChain);
  query.bind(1, *session);
  if (query.executeStep()) {
    chain.turn = optional_text(query.getColumn(0));
    chain.answers = query.getColumn(1).getInt64();
    chain.streak = query.getColumn(2).getInt64();
    chain.woke = query.getColumn(3).getInt() != 0;
  }
  return chain;
}

DeliveryStore::Look read_look(SQLite::Database& db, const std::optional<std::string>& session,
                              const Ancestors& ancestors) {
  DeliveryStore::Look look;
  look.chain = read_chain(db, session);
  look.empty = !SQLite::Statement(db, sql::kAnyEntry).executeStep();
  if (look.empty) {
    return look;  // whose processes run is of no interest then
  }
  const LiveJoins live = read_live_joins(db);
  look.rows = read_entries(db, States::all, live, share_of_caller(live, ancestors));
  find_duplicates(db, session, look.rows);
  return look;
}

// Of a local entry's type and share: what is not delivered.
std::vector<Entry> notices_like(SQLite::Database& db, const Entry& row,
                                const Ancestors& ancestors) {
  if (!row.local) {
    return {};
  }
  const LiveJoins live = read_live_joins(db);
  auto rows = read_entries(db, States::not_delivered, live, share_of_caller(live, ancestors));
  rows.erase(std::remove_if(rows.begin(), rows.end(),
                            [&](const Entry& other) {
                              return !other.local || other.type != row.type ||
                                     other.in_share != row.in_share;
                            }),
             rows.end());
  return rows;
}

// A local entry that comes back is out of date when a newer one of its type waits.
bool is_outdated(const Entry& row, const std::vector<Entry>& notices) {
  return std::any_of(notices.begin(), notices.end(),
                     [&](const Entry& other) { return other.seq > row.seq; });
}

// Final, and never deleted through its base.
// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): see above
class TransactionIn final : public DeliveryStore::Transaction {
 public:
  TransactionIn(SQLite::Database& db, const Ancestors& ancestors)
      : db_(db),
        ancestors_(ancestors),
        history_(db),
        offer_(db, sql::kOffer),
        wait_again_(db, sql::kWaitAgain),
        take_back_(db, sql::kTakeBack) {}

  // After the last change, before the commit.
  void finish() { history_.prune(); }

  DeliveryStore::Look look(const std::optional<std::string>& session) override {
    return read_look(db_, session, ancestors_);
  }

  void settle(const Entry& row, Settlement settlement, std::int64_t now_ms) override {
    switch (settlement) {
      case Settlement::stays:
        break;
      case Settlement::confirmed:
        history_.move(row.seq, Why::confirmed, now_ms);
        break;
      case Settlement::undelivered:
        history_.move(row.seq, Why::undelivered, now_ms);
        break;
      case Settlement::waits_again:
        come_back(row, now_ms);
        break;
    }
  }

  void offer(const std::vector<Entry>& rows, const Call& call, const OfferTerms& terms,
             std::int64_t now_ms) override {
    for (const Entry& row : rows) {
      SQLite::Statement& update = offer_.again();
      update.bind(1, terms.id);
      bind_optional(update, 2, call.session);
      bind_optional(update, 3, call.turn);
      bind_optional(update, 4, call.turn_end);
      bind_optional(update, 5, call.loop_count);
      bind_optional(update, 6, call.transcript);
      bind_optional(update, 7, terms.transcript_at);
      update.bind(8, static_cast<int>(terms.proof));
      update.bind(9, now_ms);
      update.bind(10, row.seq);
      update.exec();
    }
  }

  void set_chain(const std::string& session, const Chain& chain, std::int64_t now_ms) override {
    SQLite::Statement update(db_, sql::kSetChain);
    update.bind(1, session);
    bind_optional(update, 2, chain.turn);
    update.bind(3, chain.answers);
    update.bind(4, chain.streak);
    update.bind(5, chain.woke ? 1 : 0);
    update.bind(6, now_ms);
    update.exec();
    SQLite::Statement prune(db_, sql::kPruneChain);
    prune.bind(1, static_cast<std::int64_t>(kMaxChainRows));
    prune.exec();
  }

  void mark_written(const std::string& offer, std::int64_t now_ms) override {
    SQLite::Statement update(db_, sql::kMarkWritten);
    update.bind(1, now_ms);
    update.bind(2, offer);
    update.exec();
  }

  void take_back(const std::vector<Entry>& before, const std::string& offer, Begun begun,
                 std::int64_t now_ms) override {
    for (const Entry& row : before) {
      SQLite::Statement& update = take_back_.again();
      update.bind(1, row.maybe || begun == Begun::yes ? 1 : 0);
      bind_optional(update, 2, row.offer);
      bind_optional(update, 3, row.to_session);
      bind_optional(update, 4, row.to_turn);
      bind_optional(update, 5, row.to_end);
      bind_optional(update, 6, row.loops);
      bind_optional(update, 7, row.transcript);
      bind_optional(update, 8, row.transcript_at);
      update.bind(9, static_cast<int>(row.proof));
      bind_optional(update, 10, row.printed_ms);
      update.bind(11, row.seq);
      update.bind(12, offer);
      if (update.exec() > 0 && is_outdated(row, notices_like(db_, row, ancestors_))) {
        history_.move(row.seq, Why::replaced, now_ms);
      }
    }
  }

 private:
  // Of the notices of one type that come back, one after the other, the newest stays.
  void come_back(const Entry& row, std::int64_t now_ms) {
    const std::vector<Entry> notices = notices_like(db_, row, ancestors_);
    if (is_outdated(row, notices)) {
      history_.move(row.seq, Why::replaced, now_ms);
      return;
    }
    SQLite::Statement& update = wait_again_.again();
    update.bind(1, row.seq);
    update.exec();
    for (const Entry& older : notices) {
      if (older.seq < row.seq) {
        history_.move(older.seq, Why::replaced, now_ms);
      }
    }
  }

  SQLite::Database& db_;
  const Ancestors& ancestors_;
  HistoryMover history_;
  Reused offer_;
  Reused wait_again_;
  Reused take_back_;
};

}  // namespace

std::vector<ProcessName> own_ancestors() {
  std::vector<ProcessName> ancestors;
  pid_t pid = ::getppid();
  while (pid > 0 && ancestors.size() < static_cast<std::size_t>(kMaxAncestors)) {
    ancestors.push_back({pid, base::process_start_time(pid)});
    pid = base::parent_of(pid);
  }
  return ancestors;
}

namespace {

// What a program that looks once has open, the end of the process closes.
struct CloseOrLeave {
  void operator()(Connection* connection) const {
    if (is_one_shot()) {
      connection->leave_open();
    } else {
      const std::unique_ptr<Connection> closed(connection);
    }
  }
};

}  // namespace

struct DeliveryStore::State {
  SeatFiles files;
  Ancestors ancestors;
  WaitBudget budget;
  std::unique_ptr<Connection, CloseOrLeave> connection;

  // Asked of a sink of ours, in the transaction that found out that it is one. May throw
  // SQLite::Exception.
  using First = std::function<void(SQLite::Database&)>;
  static base::Result<std::optional<DeliveryStore>> open(const SeatFiles& files, Access access,
                                                         const WaitBudget& budget,
                                                         const Ancestors& ancestors,
                                                         const First& first);
  // blank or ours.
  base::Result<Content> open_at(const Location& location, Access access, const First& first);
};

DeliveryStore::DeliveryStore(std::unique_ptr<State> state) : state_(std::move(state)) {}
DeliveryStore::DeliveryStore(DeliveryStore&&) noexcept = default;
DeliveryStore& DeliveryStore::operator=(DeliveryStore&&) noexcept = default;
DeliveryStore::~DeliveryStore() = default;

base::Result<std::optional<DeliveryStore>> DeliveryStore::open(const SeatFiles& files,
                                                               Access access,
                                                               const WaitBudget& budget,
                                                               const Ancestors& ancestors) {
  return State::open(files, access, budget, ancestors, {});
}

base::Result<std::optional<DeliveryStore::Opened>> DeliveryStore::open_and_look(
    const SeatFiles& files, Access access, const std::optional<std::string>& session,
    const WaitBudget& budget, const Ancestors& ancestors) {
  Look look;
  auto store = State::open(files, access, budget, ancestors,
                           [&](SQLite::Database& db) { look = read_look(db, session, ancestors); });
  if (!store) {
    return store.error();
  }
  std::optional<Opened> opened;
  if (store->has_value()) {
    opened = Opened{std::move(**store), std::move(look)};
  }
  return opened;
}

base::Result<std::optional<DeliveryStore>> DeliveryStore::State::open(const SeatFiles& files,
                                                                      Access access,
                                                                      const WaitBudget& budget,
                                                                      const Ancestors& ancestors,
                                                                      const First& first) {
  while (true) {
    std::optional<DeliveryStore> store;
    const Location location = locate(files);
    if (location.at == AtPath::nothing) {
      return store;
    }
    if (location.at == AtPath::refused) {
      return not_opened(files);
    }
    std::unique_ptr<State> state(new State{files, ancestors, budget, {}});
    auto opened = state->open_at(location, access, first);
    if (!opened && locate(files).inode != location.inode && budget.pause()) {
      continue;  // a bridge set the file aside under us
    }
    if (!opened) {
      return opened.error();
    }
    if (*opened == Content::ours) {
      store = DeliveryStore(std::move(state));
    }
    return store;
  }
}

base::Result<Content> DeliveryStore::State::open_at(const Location& location, Access access,
                                                    const First& first) try {
  const bool write = access == Access::read_write;
  if (write) {
    narrow_modes(files, location);
  }
  connection.reset(
      Connection::open(files, write ? Connection::Mode::read_write : Connection::Mode::read_only,
                       budget.deadline(), location)
          .release());
  SQLite::Database& db = connection->db();
  const Scoped transaction(db, kBeginRead);  // one lock for all questions
  const Identity identity = identify(db);
  switch (identity.content) {
    case Content::newer:
      return newer_file(files, identity.version);
    case Content::foreign:
      return foreign_file(files);
    case Content::ours:
      if (first) {
        first(db);
      }
      break;
    case Content::blank:
      break;
  }
  return identity.content;
} catch (const SQLite::Exception& x) {
  return reader_error(files, x, Phase::reading);
}

bool DeliveryStore::still_at_path() const {
  return state_->connection->still_at_path();
}

bool DeliveryStore::read_only() const {
  return state_->connection->read_only_file();
}

base::Result<DeliveryStore::Look> DeliveryStore::look(
    const std::optional<std::string>& session) try {
  SQLite::Database& db = state_->connection->db();
  const Scoped transaction(db, kBeginRead);
  Look look = read_look(db, session, state_->ancestors);
  SQLite::Statement last(db, sql::kLastSeq);
  look.last_seq = last.executeStep() ? last.getColumn(0).getInt64() : 0;
  return look;
} catch (const SQLite::Exception& x) {
  return reader_error(state_->files, x, Phase::reading);
}

base::Result<std::vector<HistoryRow>> DeliveryStore::history(std::size_t count) try {
  std::vector<HistoryRow> rows;
  SQLite::Statement query(state_->connection->db(), sql::kHistory);
  query.bind(1, static_cast<std::int64_t>(count));
  while (query.executeStep()) {
    HistoryRow row;
    row.left_ms = query.getColumn(0).getInt64();
    row.why = query.getColumn(1).getString();
    row.writes = query.getColumn(2).getInt();
    row.event_id = optional_integer(query.getColumn(3));
    row.json = query.getColumn(4).getString();
    row.to_session = optional_text(query.getColumn(5));
    row.printed_ms = optional_integer(query.getColumn(6));
    if (const auto proof = optional_integer(query.getColumn(7))) {
      row.proof = static_cast<int>(*proof);
    }
    rows.push_back(std::move(row));
  }
  std::reverse(rows.begin(), rows.end());
  return rows;
} catch (const SQLite::Exception& x) {
  return reader_error(state_->files, x, Phase::reading);
}

base::Result<std::vector<DeliveryStore::Print>> DeliveryStore::prints_to(const std::string& session,
                                                                         std::int64_t from_ms,
                                                                         std::int64_t to_ms) try {
  std::vector<Print> prints;
  SQLite::Statement query(state_->connection->db(), sql::kPrintsTo);
  query.bind(1, session);
  query.bind(2, from_ms);
  query.bind(3, to_ms);
  while (query.executeStep()) {
    prints.push_back({query.getColumn(0).getInt64(),
                      static_cast<Proof>(optional_integer(query.getColumn(1)).value_or(0))});
  }
  return prints;
} catch (const SQLite::Exception& x) {
  return reader_error(state_->files, x, Phase::reading);
}

base::Status DeliveryStore::write(const WaitBudget& budget, const Work& work) try {
  if (state_->connection->read_only_file()) {
    return not_written(state_->files, "it is read-only");
  }
  return write_transaction(*state_->connection, budget, [&]() -> base::Status {
    TransactionIn transaction(state_->connection->db(), state_->ancestors);
    base::Status done = work(transaction);
    if (done) {
      transaction.finish();
    }
    return done;
  });
} catch (const SQLite::Exception& x) {
  return reader_error(state_->files, x, Phase::writing);
}

}  // namespace robot_council::sink
