#include "sink/bridge_store.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/child.hpp"
#include "base/files.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "sink/bridge_rows.hpp"
#include "sink/database.hpp"
#include "sink/drain_lock.hpp"
#include "sink/limits.hpp"
#include "sink/schema.hpp"

namespace robot_council::sink {
namespace {

// What a call was about, for its error line (bridge contract, L34, L35).
enum class Leaving : unsigned char { events, notice, session_end };

std::string what_text(Leaving leaving) {
  return leaving == Leaving::notice ? "a notice" : "fleet events";
}

base::Error cannot_open(const SeatFiles& files, Leaving leaving) {
  return {base::Errc::refused,
          "Could not open `" + files.database() + "` to leave " + what_text(leaving) + " in."};
}

base::Error writer_error(const SeatFiles& files, Leaving leaving, Fault fault) {
  switch (fault) {
    case Fault::busy:
      if (leaving == Leaving::session_end) {
        return {base::Errc::busy, "Left the unread fleet events in `" + files.database() +
                                      "`: could not lock it within 2 seconds."};
      }
      return {base::Errc::busy,
              "Could not lock `" + files.database() + "` to leave " + what_text(leaving) + " in."};
    case Fault::foreign:
      return foreign_file(files);
    case Fault::not_opened:
      return cannot_open(files, leaving);
    case Fault::damaged:
    case Fault::not_written:
      break;
  }
  return {base::Errc::io,
          "Could not write " + what_text(leaving) + " to `" + files.database() + "`."};
}

std::string gap_body(const std::string& set_aside, const std::optional<std::int64_t>& after) {
  const std::string head =
      set_aside.empty()
          ? "The store of waiting fleet events was moved away or replaced."
          : "The store of waiting fleet events was damaged and set aside as " + set_aside + ".";
  return head + " Events in it may not have reached you: call events_read" +
         (after ? " with after=" + std::to_string(*after) : std::string()) + " to read them.";
}

// An empty 0600 file, so that SQLite does not make one by the umask. Its presence is no error.
void create_private(const SeatFiles& files) {
  static_cast<void>(
      base::open_file(files.database(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
}

}  // namespace

ProcessName own_process() {
  return {::getpid(), base::process_start_time(::getpid())};
}

ProcessName parent_process() {
  return {::getppid(), base::process_start_time(::getppid())};
}

struct BridgeStore::State {
  SeatFiles files;
  const base::Clock& clock;
  base::Log& log;
  JoinInfo join;
  std::vector<std::int64_t>
      join_nos;  // of this store, in the open file; the last is the current one
  std::optional<std::int64_t> cursor;  // last committed
  std::optional<std::int64_t>
      unconfirmed;  // lowest id of the current join not confirmed, as of the last transaction
  std::unique_ptr<Connection> connection;
  std::uint64_t looked_at = 0;            // inode of the file that was opened last, or was to be
  std::string owed_gap;                   // body of a bridge.sink-gap that is not stored yet
  std::optional<std::int64_t> gap_after;  // what the newest one says, until it was seen to have
                                          // been taken in: another damage may take it along
  std::size_t gaps_stored = 0;

  [[nodiscard]] base::Status attach(Leaving leaving, const WaitBudget& budget);
  [[nodiscard]] base::Status begin(const WaitBudget& budget);
  [[nodiscard]] base::Status attach_once(Leaving leaving, const WaitBudget& budget);
  [[nodiscard]] base::Status set_aside(Leaving leaving, const WaitBudget& budget,
                                       const std::string& why);
  [[nodiscard]] std::string name_of_inode(std::uint64_t inode) const;
  [[nodiscard]] std::string newest_set_aside() const;
  void owe_gap(const std::string& set_aside_as);

  using Work = std::function<base::Status(BridgeRows&)>;
  [[nodiscard]] base::Status transact(Leaving leaving, const Work& work);
  [[nodiscard]] base::Status ready(Leaving leaving, const WaitBudget& budget);
};

// Opens the file at the path, making a missing one, checks it whole and adds the join row. A
// damaged one is set aside; when another process changes what lies at the path meanwhile, it is
// looked at again.
base::Status BridgeStore::State::attach(Leaving leaving, const WaitBudget& budget) {
  constexpr int kMaxTries = 4;
  for (int tries = 1;; ++tries) {
    const base::Status attached = attach_once(leaving, budget);
    if (attached) {
      return {};
    }
    const bool damaged_file = attached.error().code == base::Errc::corrupt;
    const bool other_file = locate(files).inode != looked_at;
    connection.reset();
    if (tries == kMaxTries || (!damaged_file && !other_file)) {
      return damaged_file ? writer_error(files, leaving, Fault::damaged) : attached;
    }
    if (damaged_file) {
      if (auto aside = set_aside(leaving, budget, attached.error().what); !aside) {
        return aside;
      }
    }
  }
}

// corrupt: `what` is why.
base::Status BridgeStore::State::attach_once(Leaving leaving, const WaitBudget& budget) {
  connection.reset();
  join_nos.clear();
  if (!base::make_private_directory(files.folder)) {
    return base::Error{base::Errc::refused,
                       "Could not create `" + files.folder + "` to leave fleet events in."};
  }
  Location location = locate(files);
  if (!location.exists && location.at == AtPath::nothing) {
    create_private(files);
    location = locate(files);
  }
  if (!location.exists || location.at == AtPath::refused) {
    return cannot_open(files, leaving);
  }
  looked_at = location.inode;
  narrow_modes(files, location);
  Phase phase = Phase::reading;
  try {
    connection = Connection::open(files, Connection::Mode::read_write, budget.deadline());
    looked_at = connection->inode();
    const std::string verdict = connection->db().execAndGet("PRAGMA quick_check(1)").getString();
    if (verdict != "ok") {
      return base::Error{base::Errc::corrupt,
                         base::replace_all(verdict, "\n", " ")};  // a message is one line
    }
    phase = Phase::writing;
    return begin(budget);
  } catch (const SQLite::Exception& x) {
    if (fault_of(x, phase) == Fault::damaged) {
      return base::Error{base::Errc::corrupt, x.what()};
    }
    return writer_error(files, leaving, fault_of(x, phase));
  }
}

// Schema where there is none, join row, and the entry owed for a sink that was lost: one
// transaction.
base::Status BridgeStore::State::begin(const WaitBudget& budget) {
  std::int64_t number = 0;
  auto done = write_transaction(*connection, budget, [&]() -> base::Status {
    SQLite::Database& db = connection->db();
    const Identity identity = identify(db);
    if (identity.content == Content::newer) {
      return newer_file(files, identity.version);
    }
    if (identity.content == Content::foreign) {
      return foreign_file(files);
    }
    if (identity.content == Content::blank) {
      db.exec(sql::kCreate);
      // A bridge that was killed between setting a file aside and beginning this one said nothing.
      if (const std::string left = newest_set_aside(); owed_gap.empty() && !left.empty()) {
        owe_gap(left);
      }
    }
    BridgeRows rows(db, join, clock.wall_ms());
    number = rows.add_join(cursor);
    if (!owed_gap.empty()) {
      rows.add_local(number, {kSinkGap, owed_gap});
    }
    return {};
  });
  if (!done) {
    return done;
  }
  join_nos.push_back(number);
  unconfirmed.reset();
  gaps_stored += owed_gap.empty() ? 0U : 1U;
  owed_gap.clear();
  return {};
}

void BridgeStore::State::owe_gap(const std::string& set_aside_as) {
  auto after = unconfirmed ? std::optional<std::int64_t>(*unconfirmed - 1) : cursor;
  if (gap_after && (!after || *gap_after < *after)) {
    after = gap_after;
  }
  gap_after = after;
  owed_gap = gap_body(set_aside_as, after);
}

// Under <key>.drain, so that no reader is in the middle of it and one bridge only does it.
base::Status BridgeStore::State::set_aside(Leaving leaving, const WaitBudget& budget,
                                           const std::string& why) {
  const std::uint64_t inode = looked_at;
  connection.reset();
  auto lock = lock_drain(files, budget);
  if (!lock) {
    return writer_error(files, leaving,
                        lock.error().code == base::Errc::busy ? Fault::busy : Fault::not_written);
  }
  if (locate(files).inode != inode) {
    owe_gap(name_of_inode(inode));  // another bridge was faster
    return {};
  }
  const std::string first = files.key + ".db.corrupt-" + base::compact_utc(clock.wall_ms());
  std::string name = first;
  for (int n = 2; base::exists(base::join_path(files.folder, name)); ++n) {
    name = first + "-" + std::to_string(n);
  }
  const std::string to = base::join_path(files.folder, name);
  // The journal first: a new database must not meet the old one's hot journal.
  static_cast<void>(base::rename_file(files.database() + "-journal", to + "-journal"));
  if (!base::rename_file(files.database(), to)) {
    return writer_error(files, leaving, Fault::not_written);
  }
  static_cast<void>(base::sync_directory(files.folder));
  log.warning("the sink " + files.database() + " was damaged (" + why + "); it was set aside as " +
              name + " and a new one started.");
  owe_gap(name);
  return {};
}

// "" if there is none. The names end with their time, so the order of the alphabet is that of time.
std::string BridgeStore::State::newest_set_aside() const {
  const std::string head = files.key + ".db.corrupt-";
  std::string newest;
  for (const std::string& name : base::list_directory(files.folder).value_or({})) {
    if (name.compare(0, head.size(), head) == 0 && !name.ends_with("-journal")) {
      newest = std::max(newest, name);
    }
  }
  return newest;
}

// The name under which another bridge set the file aside, "" if it is not to be found.
std::string BridgeStore::State::name_of_inode(std::uint64_t inode) const {
  const std::string head = files.key + ".db.corrupt-";
  for (const std::string& name : base::list_directory(files.folder).value_or({})) {
    auto info = base::file_info(base::join_path(files.folder, name), base::Links::dont);
    if (name.compare(0, head.size(), head) == 0 && info && info->inode == inode) {
      return name;
    }
  }
  return {};
}

// The file at the path is the one that is open, or another one was begun.
base::Status BridgeStore::State::ready(Leaving leaving, const WaitBudget& budget) {
  if (connection && connection->still_at_path()) {
    return {};
  }
  if (connection) {
    owe_gap(name_of_inode(connection->inode()));
  }
  return attach(leaving, budget);
}

base::Status BridgeStore::State::transact(Leaving leaving, const Work& work) {
  const WaitBudget budget;
  // A file found damaged is replaced once and the work done in the new one.
  for (int round = 0;; ++round) {
    if (auto good = ready(leaving, budget); !good) {
      return good;
    }
    try {
      return write_transaction(*connection, budget, [&]() -> base::Status {
        BridgeRows rows(connection->db(), join, clock.wall_ms());
        return work(rows);
      });
    } catch (const SQLite::Exception& x) {
      const Fault fault = fault_of(x, Phase::writing);
      if (fault != Fault::damaged || round > 0) {
        return writer_error(files, leaving, fault);
      }
      if (auto aside = set_aside(leaving, budget, x.what()); !aside) {
        return aside;
      }
    }
  }
}

BridgeStore::BridgeStore(std::unique_ptr<State> state) : state_(std::move(state)) {}
BridgeStore::BridgeStore(BridgeStore&&) noexcept = default;
BridgeStore& BridgeStore::operator=(BridgeStore&&) noexcept = default;
BridgeStore::~BridgeStore() = default;

base::Result<BridgeStore> BridgeStore::open(const SeatFiles& files, const JoinInfo& join,
                                            const base::Context& context) {
  std::unique_ptr<State> state(
      new State{files, context.clock, context.log, join, {}, join.cursor, {}, {}, 0, {}, {}, 0});
  for (const auto& line : {older_program_line(files), network_folder_line(files)}) {
    if (line) {
      context.log.warning(*line);
    }
  }
  const WaitBudget budget;
  if (auto attached = state->attach(Leaving::events, budget); !attached) {
    return attached.error();
  }
  return BridgeStore(std::move(state));
}

base::Result<Appended> BridgeStore::append(const Page& page) {
  State& state = *state_;
  Appended added;
  std::optional<std::int64_t> number;
  std::optional<std::int64_t> unconfirmed;
  bool gap_waits = false;
  auto done = state.transact(Leaving::events, [&](BridgeRows& rows) -> base::Status {
    std::int64_t join_no = state.join_nos.back();
    if (page.renumber == Renumber::yes) {
      join_no = rows.add_join(state.cursor);
      number = join_no;
    }
    added.events = rows.add_events(join_no, page.events);
    added.dropped = rows.drop_above_bound(join_no);
    added.local = added.dropped > 0 ? 1 : 0;
    for (const LocalEntry& entry : page.local) {
      rows.add_local(join_no, entry);
      ++added.local;
    }
    if (page.cursor) {
      rows.set_cursor(join_no, *page.cursor);
    }
    unconfirmed = rows.lowest_unconfirmed(join_no);
    gap_waits = rows.has_local(kSinkGap);
    return {};
  });
  if (!done) {
    return done.error();
  }
  if (number) {
    state.join_nos.push_back(*number);
  }
  if (page.cursor) {
    state.cursor = page.cursor;
  }
  state.unconfirmed = unconfirmed;
  if (!gap_waits) {
    state.gap_after.reset();
  }
  added.local += std::exchange(state.gaps_stored, 0);
  return added;
}

base::Result<Appended> BridgeStore::put_local(const LocalEntry& entry) {
  State& state = *state_;
  auto done = state.transact(Leaving::notice, [&](BridgeRows& rows) -> base::Status {
    rows.add_local(state.join_nos.back(), entry);
    return {};
  });
  if (!done) {
    return done.error();
  }
  Appended added;
  added.local = 1 + std::exchange(state.gaps_stored, 0);
  return added;
}

base::Status BridgeStore::end_session(const std::vector<LocalEntry>& local) {
  State& state = *state_;
  return state.transact(Leaving::session_end, [&](BridgeRows& rows) -> base::Status {
    rows.end_session(state.join_nos);
    for (const LocalEntry& entry : local) {
      rows.add_local(state.join_nos.back(), entry);
    }
    return {};
  });
}

base::Status BridgeStore::set_seat_held() {
  State& state = *state_;
  state.join.holds_seat = true;
  return state.transact(Leaving::events, [&](BridgeRows& rows) -> base::Status {
    rows.set_seat(state.join_nos);
    return {};
  });
}

base::Status BridgeStore::set_session(std::int64_t session) {
  State& state = *state_;
  state.join.session = session;
  return state.transact(Leaving::events, [&](BridgeRows& rows) -> base::Status {
    rows.set_session(state.join_nos, session);
    return {};
  });
}

std::optional<std::int64_t> BridgeStore::cursor() const {
  return state_->cursor;
}

std::int64_t BridgeStore::join_no() const {
  return state_->join_nos.empty() ? 0 : state_->join_nos.back();
}

const SeatFiles& BridgeStore::files() const {
  return state_->files;
}

base::Result<ShareState> read_share(const SeatFiles& files, const ProcessName& bridge) try {
  ShareState share;
  std::string text;
  const Location location = locate(files);
  if (location.at == AtPath::nothing) {
    share.digest = base::sha256_hex(text);
    return share;
  }
  if (location.at == AtPath::refused) {
    return cannot_open(files, Leaving::events);
  }
  const WaitBudget budget;
  auto connection = Connection::open(files, Connection::Mode::read_write, budget.deadline());
  SQLite::Database& db = connection->db();
  const Scoped transaction(db, kBeginRead);
  const Identity identity = identify(db);
  if (identity.content == Content::newer) {
    return newer_file(files, identity.version);
  }
  if (identity.content == Content::foreign) {
    return foreign_file(files);
  }
  if (identity.content == Content::ours) {
    const LiveJoins live = read_live_joins(db);
    for (const Entry& row :
         read_entries(db, States::not_delivered, live, share_of_bridge(live, bridge))) {
      if (row.in_share) {
        ++share.entries;
        text.append(std::to_string(row.seq)).append(1, '\0').append(row.json).append(1, '\0');
      }
    }
  }
  share.digest = base::sha256_hex(text);
  return share;
} catch (const SQLite::Exception& x) {
  return writer_error(files, Leaving::events, fault_of(x, Phase::reading));
}

}  // namespace robot_council::sink
