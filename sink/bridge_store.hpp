#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/context.hpp"
#include "base/result.hpp"
#include "sink/seat_files.hpp"

namespace robot_council::sink {

// The bridge's side of a sink. Source: delivery contract, 2; bridge contract, 6.3 and 8.2.

// A running process, named for good by pid and start time (base::process_start_time; "" = not to be
// told).
struct ProcessName {
  std::int64_t pid = 0;
  std::string started;
};
[[nodiscard]] ProcessName own_process();
[[nodiscard]] ProcessName parent_process();

// A feed event as it came.
struct FeedEvent {
  std::optional<std::int64_t>
      id;            // none when missing or no integer within 64 bits: then it is not deduplicated
  std::string type;  // "" when missing or no string
  std::string json;  // the object's bytes, stored as they are
  // Reads id and type from valid JSON text of one object.
  [[nodiscard]] static FeedEvent from_json(std::string json);
};

// An entry of the bridge's own: stored as {"type","body","created_at"}, created_at = now. `type`
// begins `bridge.`.
struct LocalEntry {
  std::string type;
  std::string body;
};

struct JoinInfo {
  std::optional<std::int64_t> session;  // fleet session id, if known
  std::optional<std::int64_t> cursor;   // feed cursor of the join
  ProcessName bridge;                   // this process
  ProcessName client;                   // its parent: the harness
  bool holds_seat = false;
};

enum class Renumber : unsigned char { no, yes };

struct Page {
  std::vector<FeedEvent> events;       // feed order
  std::optional<std::int64_t> cursor;  // the feed position after them; none = unchanged
  std::vector<LocalEntry> local;       // stored after the events, in the same transaction
  Renumber renumber =
      Renumber::no;  // yes: the feed went back; this page goes under a new join number
};

struct Appended {
  std::size_t events = 0;  // fleet rows added (an event stored before is not counted)
  std::size_t local =
      0;  // local entries added, `bridge.events-dropped` and `bridge.sink-gap` included
  std::size_t dropped = 0;  // fleet rows that left because of the bound
};

// Waiting and offered entries of a join's share: what a notice counts and watches.
struct ShareState {
  std::size_t entries = 0;
  std::string digest;  // 64 hex digits over them in order; changes when one is added, replaced or
                       // handed over
};

// The sink a join writes to. Opened by a join, kept for its life; one a join, a new join ends the
// old one first. Heals: a damaged, replaced or missing file is set aside (never deleted) or left, a
// new one begun at the cursor in memory, `bridge.sink-gap` added and a line logged; this may happen
// in any writing call. Waits    at most 2,000 ms for locks in each call. Errors   `what` is the
// line to log, complete (bridge contract, L34, L35): busy: locked; io, refused: disk, permissions;
//          unsupported: a newer program's file; invalid: another program's file. On error nothing
//          was changed, the cursor neither; a page is appended again later.
// Threads  one at a time (the follower's); read_share() is free of this.
class BridgeStore {
 public:
  // Makes folder and file, checks the file (quick_check), adds the join row. Logs the older-program
  // and network-folder lines. `clock` and `log` of the context are kept.
  [[nodiscard]] static base::Result<BridgeStore> open(const SeatFiles& files, const JoinInfo& join,
                                                      const base::Context& context);
  BridgeStore(BridgeStore&&) noexcept;
  BridgeStore& operator=(BridgeStore&&) noexcept;
  BridgeStore(const BridgeStore&) = delete;
  BridgeStore& operator=(const BridgeStore&) = delete;
  ~BridgeStore();

  // Rows, local entries, the bound of 200 with `bridge.events-dropped`, and the cursor: one
  // transaction, synced when ok. The same (join number, event id) is stored once.
  [[nodiscard]] base::Result<Appended> append(const Page& page);
  // One local entry; an older one of its type that waits or is offered is replaced. Also after
  // end_session().
  [[nodiscard]] base::Result<Appended> put_local(const LocalEntry& entry);

  // The session is over (left, ended by the fleet, shutdown): its fleet entries in any state and
  // `bridge.capacity-changed` leave as `session-ended`, its joins are marked ended, then `local` is
  // stored. busy: ``Left the unread fleet events in `<path>`: could not lock it within 2
  // seconds.``, unchanged.
  [[nodiscard]] base::Status end_session(const std::vector<LocalEntry>& local = {});
  // The feed cursor is at its join's value; the row says whether this bridge holds the seat.
  [[nodiscard]] base::Status set_seat_held();
  // Fills in a session id that was not known at open().
  [[nodiscard]] base::Status set_session(std::int64_t session);

  [[nodiscard]] std::optional<std::int64_t> cursor() const;  // last committed
  [[nodiscard]] std::int64_t join_no() const;
  [[nodiscard]] const SeatFiles& files() const;

 private:
  struct State;
  explicit BridgeStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The share of the live joins of `bridge` in the sink at `files`; zero entries when there is no
// sink. Opens and closes the file by itself: safe from any thread, at any time. Errors: as
// BridgeStore.
[[nodiscard]] base::Result<ShareState> read_share(const SeatFiles& files,
                                                  const ProcessName& bridge);

}  // namespace robot_council::sink
