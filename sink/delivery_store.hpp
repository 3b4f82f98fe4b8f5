#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "sink/bridge_store.hpp"
#include "sink/call.hpp"
#include "sink/entry.hpp"
#include "sink/seat_files.hpp"
#include "sink/settle.hpp"
#include "sink/wait_budget.hpp"

namespace robot_council::sink {

// The reader's side of a sink: `pending`, the stop hook, the waiter, `status`, `stops`. Source:
// delivery contract, 2.2, 3.
//
// Errors of everything here: `what` is the sentence of delivery contract, section 4 (exit 3),
// complete with its full stop:
//   io, refused, not_found  `Could not open ...` or `... could not be written back: <why>. It was
//   left as it was.` busy                    `Could not lock ... within 2 seconds ...` corrupt `...
//   does not parse: ...` invalid                 `... is not a list of events. ...` unsupported
//   `... was written by a newer robot-council ...`

// pids and start times of this process's parents, nearest first. Empty function = look at the real
// ones.
using Ancestors = std::function<std::vector<ProcessName>()>;
[[nodiscard]] std::vector<ProcessName> own_ancestors();

enum class Access : unsigned char {
  read_write,  // pending: never creates; too wide modes are narrowed
  read_only,   // peek, history, status, stops: no byte, mode or lock file is changed
};

// What one offer puts into its rows, besides the call's own names.
struct OfferTerms {
  std::string id;  // random
  Proof proof = Proof::next_call;
  std::optional<std::int64_t> transcript_at;  // bytes of call.transcript now
};

class DeliveryStore {
 public:
  // nothing (ok without a value): no file, zero bytes, no tables yet, or neither a file nor a link.
  [[nodiscard]] static base::Result<std::optional<DeliveryStore>> open(
      const SeatFiles& files, Access access, const WaitBudget& budget,
      const Ancestors& ancestors = {});
  DeliveryStore(DeliveryStore&&) noexcept;
  DeliveryStore& operator=(DeliveryStore&&) noexcept;
  DeliveryStore(const DeliveryStore&) = delete;
  DeliveryStore& operator=(const DeliveryStore&) = delete;
  ~DeliveryStore();

  // The path still names the file that is open (a bridge may have set it aside).
  [[nodiscard]] bool still_at_path() const;

  // The file or file system lets nobody write.
  [[nodiscard]] bool read_only() const;

  // One consistent look, in a read transaction.
  struct Look {
    bool empty = true;  // no row at all in `entry`, whoever's
    std::vector<Entry>
        rows;  // by seq; in_share, earlier_session and duplicate filled in for `session`
    std::int64_t last_seq = 0;  // highest seq ever given in this file; filled in by look() alone
    Chain chain;                // of `session`; zeros when there is none
  };
  // `session`: whose chain and duplicates; none for a plain call.
  [[nodiscard]] base::Result<Look> look(const std::optional<std::string>& session);
  // open() and look() in one read transaction, which is all that a quiet turn end needs.
  struct Opened;
  [[nodiscard]] static base::Result<std::optional<Opened>> open_and_look(
      const SeatFiles& files, Access access, const std::optional<std::string>& session,
      const WaitBudget& budget, const Ancestors& ancestors = {});
  // Newest `count`, oldest first.
  [[nodiscard]] base::Result<std::vector<HistoryRow>> history(std::size_t count);
  // Prints (of any kind of call) to `session` with printed_ms within [from_ms, to_ms], entry and
  // history together.
  struct Print {
    std::int64_t printed_ms = 0;
    Proof proof = Proof::next_call;
  };
  [[nodiscard]] base::Result<std::vector<Print>> prints_to(const std::string& session,
                                                           std::int64_t from_ms,
                                                           std::int64_t to_ms);

  // One write transaction (BEGIN IMMEDIATE), repeated whole when another process is in the way.
  // `work` may run more than once, must only use the Transaction, and its error rolls back. A call
  // of the Transaction that fails ends `work` there and write() with the error: nothing in `work`
  // may catch what passes through it. Hold <key>.drain for anything that settles or offers.
  class Transaction {
   public:
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    Transaction(Transaction&&) = delete;
    Transaction& operator=(Transaction&&) = delete;
    // All rows and the caller's chain as they are now.
    [[nodiscard]] virtual Look look(const std::optional<std::string>& session) = 0;
    // Carries a settlement out (sink/settle.hpp); `row` as this transaction's look() gave it.
    virtual void settle(const Entry& row, Settlement settlement, std::int64_t now_ms) = 0;
    // Rows (waiting) become offered under `terms.id`; printed_ms is the time of the offer until it
    // is marked.
    virtual void offer(const std::vector<Entry>& rows, const Call& call, const OfferTerms& terms,
                       std::int64_t now_ms) = 0;
    virtual void set_chain(const std::string& session, const Chain& chain, std::int64_t now_ms) = 0;
    // Rows still under this offer: written, writes + 1, printed_ms = now.
    virtual void mark_written(const std::string& offer, std::int64_t now_ms) = 0;
    // Rows still under this offer go back to waiting exactly as `before` had them; `begun`: a byte
    // of plain text went out, so they may have been seen.
    enum class Begun : unsigned char { no, yes };
    virtual void take_back(const std::vector<Entry>& before, const std::string& offer, Begun begun,
                           std::int64_t now_ms) = 0;

   protected:
    Transaction() = default;
    ~Transaction() = default;  // never deleted through this class
  };
  using Work = std::function<base::Status(Transaction&)>;
  [[nodiscard]] base::Status write(const WaitBudget& budget, const Work& work);

 private:
  struct State;
  explicit DeliveryStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct DeliveryStore::Opened {
  DeliveryStore store;
  Look look;
};

}  // namespace robot_council::sink
