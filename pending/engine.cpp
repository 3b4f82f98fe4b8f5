#include "pending/engine.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/random.hpp"
#include "pending/limits.hpp"
#include "pending/print.hpp"
#include "pending/proofs.hpp"
#include "pending/transcript.hpp"
#include "sink/drain_lock.hpp"
#include "sink/settle.hpp"

namespace robot_council::pending {
namespace {

using sink::Call;
using sink::CallKind;
using sink::Chain;
using sink::DeliveryStore;
using sink::Entry;
using sink::RowState;
using Rows = std::vector<Entry>;
using Opened = base::Result<std::optional<DeliveryStore>>;

constexpr std::size_t kOfferBytes = 16;  // of randomness: an offer's id is never used again

bool passes(const Entry& row, const RowFilter& filter) {
  return row.in_share && row.seq > filter.after_seq &&
         (!filter.urgent_only || sink::is_urgent(row.type));
}

sink::Proof proof_of(const Call& call) {
  if (call.kind == CallKind::wake) {
    return sink::Proof::wake;
  }
  const bool can_prove =
      call.session && (call.has_continuation_field || call.turn || call.transcript);
  return can_prove ? sink::Proof::hook : sink::Proof::next_call;
}

sink::Scope scope_of(const Call& call) {
  return call.kind == CallKind::wake ? sink::Scope::offered_only : sink::Scope::all;
}

// One run of deliver(): the steps in their order, and what one step leaves for the next.
class Delivery {
 public:
  Delivery(const Request& request, const base::Context& context)
      : request_(request), context_(context) {}

  base::Result<Outcome> run();

 private:
  [[nodiscard]] bool is_quiet(const DeliveryStore& store, const DeliveryStore::Look& look) const;
  [[nodiscard]] base::Status settle_and_offer(DeliveryStore& store, const sink::WaitBudget& budget);
  void decide(DeliveryStore::Transaction& transaction, std::int64_t now_ms);
  void offer(DeliveryStore::Transaction& transaction, Rows rows, Chain chain, std::int64_t now_ms);
  void print(DeliveryStore& store);
  void take_back(DeliveryStore& store, std::size_t written);
  void mark_turn() const;
  void at(Step step) const {
    if (request_.step) {
      request_.step(step);
    }
  }
  // Counters belong to the turn ends of a session.
  [[nodiscard]] bool has_chain() const {
    return request_.call.kind == CallKind::hook && request_.call.session;
  }
  [[nodiscard]] Verdict ask_guard(const TurnEnd& turn_end) const {
    return request_.guard ? request_.guard(turn_end) : Verdict{true, turn_end.chain};
  }
  // What the counters become when this call prints nothing.
  [[nodiscard]] static Chain silent(Chain chain) {
    chain.streak = 0;
    return chain;
  }

  const Request& request_;
  const base::Context& context_;
  Outcome outcome_;
  std::set<std::int64_t> seen_;
  Rows chosen_;  // as they were before the offer
  Chain chain_before_;
  std::string offer_id_;
  std::string bytes_;
};

base::Result<Outcome> Delivery::run() {
  const sink::WaitBudget budget;
  auto opened = DeliveryStore::open_and_look(request_.files, sink::Access::read_write,
                                             request_.call.session, budget, request_.ancestors);
  if (!opened) {
    return opened.error();
  }
  at(Step::opened);
  if (!opened->has_value() || is_quiet((*opened)->store, (*opened)->look)) {
    mark_turn();
    return outcome_;
  }
  Opened store(std::move((*opened)->store));
  (*opened)->look = {};  // 200 events are many pages of memory; the next look takes them
  auto lock = sink::lock_drain(request_.files, budget);
  if (!lock) {
    return lock.error();
  }
  at(Step::drain_held);
  if (!(*store)->still_at_path()) {
    // A bridge set the file aside while we waited for the lock.
    store =
        DeliveryStore::open(request_.files, sink::Access::read_write, budget, request_.ancestors);
    if (!store) {
      return store.error();
    }
  }
  if (!store->has_value()) {
    mark_turn();
    return outcome_;
  }
  if (request_.still_wanted && !request_.still_wanted()) {
    outcome_.end = End::unwanted;
    return outcome_;
  }
  if (auto done = settle_and_offer(**store, budget); !done) {
    return done.error();
  }
  if (outcome_.end != End::guarded || !request_.call.continuation) {
    mark_turn();
  }
  if (!chosen_.empty()) {
    at(Step::offered);
    print(**store);
  }
  return outcome_;
}

// No row at all, and no counter to reset: then nothing is locked and nothing written.
bool Delivery::is_quiet(const DeliveryStore& store, const DeliveryStore::Look& look) const {
  if (!look.empty) {
    return false;
  }
  return !has_chain() || store.read_only() ||
         silent(ask_guard({look.chain, 0, 0}).chain) == look.chain;
}

base::Status Delivery::settle_and_offer(DeliveryStore& store, const sink::WaitBudget& budget) {
  const std::int64_t now_ms = context_.clock.wall_ms();
  {
    const auto look = store.look(request_.call.session);
    if (!look) {
      return look.error();
    }
    seen_ = seen_rows(look->rows, request_.call, scope_of(request_.call), now_ms);
  }
  at(Step::before_offer);
  return store.write(budget, [&](DeliveryStore::Transaction& transaction) -> base::Status {
    decide(transaction, now_ms);
    return {};
  });
}

// Inside the transaction; may run again after another process was in the way.
void Delivery::decide(DeliveryStore::Transaction& transaction, std::int64_t now_ms) {
  outcome_ = {};
  chosen_.clear();
  const Call& call = request_.call;
  auto look = transaction.look(call.session);
  bool answered_already = false;
  bool changed = false;
  for (const Entry& row : look.rows) {
    answered_already =
        answered_already || (row.state == RowState::written && same_turn_end(row, call, now_ms));
    const auto seen = seen_.count(row.seq) != 0 ? sink::Seen::yes : sink::Seen::no;
    const auto settlement = settle_row(row, call, seen, scope_of(call), now_ms);
    transaction.settle(row, settlement, now_ms);
    changed = changed || settlement != sink::Settlement::stays;
  }
  if (changed) {
    look = transaction.look(call.session);
  }
  Rows rows;
  for (Entry& row : look.rows) {
    if (row.state == RowState::waiting && passes(row, request_.filter)) {
      rows.push_back(std::move(row));
    }
  }
  outcome_.waiting = rows.size();
  if (answered_already) {
    outcome_.end = End::same_turn_end;
    return;
  }
  const auto never_printed = static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [](const Entry& row) { return !row.printed_before(); }));
  chain_before_ = look.chain;
  const Verdict verdict = ask_guard({look.chain, rows.size(), never_printed});
  if (rows.empty() || !verdict.answer) {
    outcome_.end = rows.empty() ? End::nothing_waiting : End::guarded;
    const Chain chain = silent(verdict.chain);
    if (has_chain() && chain != look.chain) {
      transaction.set_chain(*call.session, chain, now_ms);
    }
    return;
  }
  offer(transaction, std::move(rows), verdict.chain, now_ms);
}

void Delivery::offer(DeliveryStore::Transaction& transaction, Rows rows, Chain chain,
                     std::int64_t now_ms) {
  const Call& call = request_.call;
  Answer answer = build_answer(rows, request_.shape, request_.budget);
  bytes_ = std::move(answer.bytes);
  outcome_.waiting = rows.size() - answer.rows;
  rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(answer.rows), rows.end());
  chosen_ = std::move(rows);
  offer_id_ = base::random_hex(kOfferBytes);
  const sink::OfferTerms terms{offer_id_, proof_of(call),
                               call.transcript ? transcript_size(*call.transcript) : std::nullopt};
  transaction.offer(chosen_, call, terms, now_ms);
  if (call.kind == CallKind::wake && call.session) {
    chain.woke = true;
    transaction.set_chain(*call.session, chain, now_ms);
  } else if (has_chain()) {
    ++chain.answers;
    ++chain.streak;
    chain.turn = call.turn;
    transaction.set_chain(*call.session, chain, now_ms);
  }
}

void Delivery::print(DeliveryStore& store) {
  std::size_t written = 0;
  const auto printed = print_all(request_.output, bytes_, base::deadline_in(request_.write_wait),
                                 &written, [this] { at(Step::part_printed); });
  if (!printed) {
    take_back(store, written);
    return;
  }
  at(Step::printed);
  outcome_.end = End::printed;
  outcome_.printed = chosen_.size();
  const auto mark = [&](DeliveryStore::Transaction& transaction) -> base::Status {
    transaction.mark_written(offer_id_, context_.clock.wall_ms());
    return {};
  };
  const auto marked = store.write(sink::WaitBudget(), mark);
  if (!marked) {
    outcome_.mark_error = marked.error().what;
  }
  at(Step::marked);
}

void Delivery::take_back(DeliveryStore& store, std::size_t written) {
  using Begun = DeliveryStore::Transaction::Begun;
  // Half a JSON answer is thrown away by its reader; half of the plain lines may have been read.
  const Begun begun = request_.shape == Shape::plain && written > 0 ? Begun::yes : Begun::no;
  const std::int64_t now_ms = context_.clock.wall_ms();
  const auto taken =
      store.write(sink::WaitBudget(), [&](DeliveryStore::Transaction& transaction) -> base::Status {
        transaction.take_back(chosen_, offer_id_, begun, now_ms);
        const bool counted =
            has_chain() || (request_.call.kind == CallKind::wake && request_.call.session);
        if (counted) {
          transaction.set_chain(*request_.call.session, chain_before_, now_ms);
        }
        return {};
      });
  outcome_.end = End::reader_gone;
  outcome_.waiting += chosen_.size();
  if (!taken) {
    outcome_.mark_error = taken.error().what;
  }
  at(Step::taken_back);
}

// For keep-warm, which only Claude Code has: a turn ended now. Best effort, never in a folder of
// our making.
void Delivery::mark_turn() const {
  if (request_.harness == "claude" && request_.call.kind != CallKind::wake) {
    static_cast<void>(base::touch_file(request_.files.turn()));
  }
}

bool prompt_shows(std::string_view prompt, const Entry& row, Whose whose,
                  const std::optional<std::string>& session) {
  return row.proof == sink::Proof::wake && row.printed_ms &&
         (whose == Whose::any_session || row.to_session == session) &&
         shows(prompt, evidence_of(row.json));
}

std::size_t count_kept(const DeliveryStore::Look& look) {
  return static_cast<std::size_t>(std::count_if(
      look.rows.begin(), look.rows.end(),
      [](const Entry& row) { return row.in_share && row.state != RowState::written; }));
}

}  // namespace

base::Result<Outcome> deliver(const Request& request, const base::Context& context) {
  return Delivery(request, context).run();
}

base::Result<std::size_t> confirm_only(const Request& request, const base::Context& context) {
  const sink::WaitBudget budget;
  auto store =
      DeliveryStore::open(request.files, sink::Access::read_write, budget, request.ancestors);
  if (!store) {
    return store.error();
  }
  if (!store->has_value()) {
    return std::size_t{0};
  }
  auto look = (*store)->look(request.call.session);
  if (!look) {
    return look.error();
  }
  const bool any_to_prove = std::any_of(look->rows.begin(), look->rows.end(), [](const Entry& row) {
    return row.state != RowState::waiting;
  });
  if (!any_to_prove) {
    return count_kept(*look);
  }
  const std::int64_t now_ms = context.clock.wall_ms();
  const auto seen = seen_rows(look->rows, request.call, sink::Scope::proofs_only, now_ms);
  auto lock = sink::lock_drain(request.files, budget);
  if (!lock) {
    return count_kept(*look);  // a proof that is not noted now costs a marked repeat at most
  }
  const auto noted =
      (*store)->write(budget, [&](DeliveryStore::Transaction& transaction) -> base::Status {
        for (const Entry& row : transaction.look(request.call.session).rows) {
          const auto proof = seen.count(row.seq) != 0 ? sink::Seen::yes : sink::Seen::no;
          const auto settlement =
              settle_row(row, request.call, proof, sink::Scope::proofs_only, now_ms);
          transaction.settle(row, settlement, now_ms);
        }
        look = transaction.look(request.call.session);
        return {};
      });
  static_cast<void>(noted);
  return count_kept(*look);
}

base::Result<std::size_t> confirm_by_prompt(const Request& request, std::string_view prompt,
                                            Whose whose, const base::Context& context) {
  const sink::WaitBudget budget;
  const auto& session = request.call.session;
  auto store =
      DeliveryStore::open(request.files, sink::Access::read_write, budget, request.ancestors);
  if (!store) {
    return store.error();
  }
  if (!store->has_value()) {
    return std::size_t{0};
  }
  const auto is_shown = [&](const Entry& row) { return prompt_shows(prompt, row, whose, session); };
  auto look = (*store)->look(session);
  if (!look) {
    return look.error();
  }
  if (std::none_of(look->rows.begin(), look->rows.end(), is_shown)) {
    return std::size_t{0};
  }
  auto lock = sink::lock_drain(request.files, budget);
  if (!lock) {
    return lock.error();
  }
  std::size_t confirmed = 0;
  const std::int64_t now_ms = context.clock.wall_ms();
  const auto done =
      (*store)->write(budget, [&](DeliveryStore::Transaction& transaction) -> base::Status {
        confirmed = 0;
        auto now = transaction.look(session);
        for (const Entry& row : now.rows) {
          if (is_shown(row)) {
            transaction.settle(row, sink::Settlement::confirmed, now_ms);
            ++confirmed;
          }
        }
        if (confirmed > 0 && session) {
          now.chain.woke = true;
          transaction.set_chain(*session, now.chain, now_ms);
        }
        return {};
      });
  return done ? base::Result<std::size_t>(confirmed) : base::Result<std::size_t>(done.error());
}

base::Result<Waiting> look(const Request& request) {
  const sink::WaitBudget budget;
  Waiting waiting;
  auto store =
      DeliveryStore::open(request.files, sink::Access::read_only, budget, request.ancestors);
  if (!store && store.error().code == base::Errc::refused) {
    // A hot journal of a killed writer can only be rolled back by a connection that may write.
    store = DeliveryStore::open(request.files, sink::Access::read_write, budget, request.ancestors);
  }
  if (!store) {
    return store.error();
  }
  if (!store->has_value()) {
    return waiting;
  }
  auto seen = (*store)->look(request.call.session);
  if (!seen) {
    return seen.error();
  }
  waiting.last_seq = seen->last_seq;
  for (const Entry& row : seen->rows) {
    if (row.state != RowState::written && passes(row, request.filter)) {
      ++waiting.rows;
      waiting.urgent += sink::is_urgent(row.type) ? 1U : 0U;
    }
  }
  return waiting;
}

}  // namespace robot_council::pending
