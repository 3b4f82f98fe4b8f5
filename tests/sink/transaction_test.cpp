// What one transaction of the reader's side changes, and what it leaves alone.

#include <functional>

#include <gtest/gtest.h>

#include "sink/store.hpp"
#include "tests/lib/sink_fixture.hpp"

namespace robot_council::sink {
namespace {

using test::events;
using test::must_append;
using test::SinkHome;
using Transaction = DeliveryStore::Transaction;

class Transactions : public ::testing::Test {
 protected:
  Transactions() : bridge_(home_.bridge()) {
    must_append(bridge_, {events(1, 4), 4, {}, Renumber::no});
  }
  void write(const std::function<void(Transaction&)>& work) {
    auto store = DeliveryStore::open(home_.files(), Access::read_write, WaitBudget());
    ASSERT_TRUE(store.ok() && store->has_value());
    ASSERT_TRUE((*store)
                    ->write(WaitBudget(),
                            [&](Transaction& transaction) -> base::Status {
                              work(transaction);
                              return {};
                            })
                    .ok());
  }
  [[nodiscard]] std::string states() const {
    return home_.sql_value("SELECT group_concat(state) FROM entry");
  }

  SinkHome home_;
  BridgeStore bridge_;
};

// The states a row may have been given by others meanwhile: gone back, under another offer.
TEST_F(Transactions, OnlyRowsStillUnderTheOfferAreMarked) {
  home_.sql(
      "UPDATE entry SET offer='mine', state=1; UPDATE entry SET state=0 WHERE event_id=2; UPDATE "
      "entry SET offer='other' WHERE event_id=3");
  write([&](Transaction& transaction) { transaction.mark_written("mine", 1); });
  EXPECT_EQ(states(), "2,0,1,2");
  EXPECT_EQ(home_.sql_value("SELECT group_concat(writes) FROM entry"), "1,0,0,1");
}

TEST_F(Transactions, OnlyRowsStillUnderTheOfferAreTakenBack) {
  const std::vector<Entry> before = home_.rows();
  home_.sql(
      "UPDATE entry SET offer='mine', state=1; UPDATE entry SET state=2, writes=1 WHERE "
      "event_id=2; UPDATE entry SET offer='other' WHERE event_id=3");
  write([&](Transaction& transaction) {
    transaction.take_back(before, "mine", Transaction::Begun::no, 1);
  });
  EXPECT_EQ(states(), "0,2,1,0");
}

// Exactly as they were, whatever the offer had put into them.
TEST_F(Transactions, ARowThatIsTakenBackIsAsBefore) {
  home_.sql(
      "UPDATE entry SET maybe=1, writes=2, offer='old', to_session='A', to_turn='t', to_end='T', "
      "loops=3, "
      "transcript='/x', transcript_at=44, proof=1, printed_ms=55 WHERE event_id=1");
  const std::string row =
      "SELECT state||'|'||writes||'|'||maybe||'|'||ifnull(offer,'-')||'|'||ifnull(to_session,'-')||"
      "'|'||ifnull(to_turn,'-')||'|'||ifnull(to_end,'-')||'|'||ifnull(loops,'-')||'|'||"
      "ifnull(transcript,'-')||'|'||ifnull(transcript_at,'-')||'|'||ifnull(proof,'-')||'|'||"
      "ifnull(printed_ms,'-') FROM entry WHERE event_id=1";
  const std::string before = home_.sql_value(row);
  EXPECT_EQ(before, "0|2|1|old|A|t|T|3|/x|44|1|55");
  Call call;
  call.kind = CallKind::wake;
  call.session = "B";
  call.turn = "u";
  call.turn_end = "U";
  call.loop_count = 9;
  call.transcript = "/y";
  const std::vector<Entry> rows = home_.rows();
  write([&](Transaction& transaction) {
    transaction.offer({rows.front()}, call, {"mine", Proof::wake, 99}, 1000);
  });
  EXPECT_EQ(home_.sql_value(row), "1|2|1|mine|B|u|U|9|/y|99|2|1000");
  write([&](Transaction& transaction) {
    transaction.take_back(rows, "mine", Transaction::Begun::no, 2000);
  });
  EXPECT_EQ(home_.sql_value(row), before);
}

TEST_F(Transactions, ARowThatWaitsAgainIsUnderNoOffer) {
  home_.sql("UPDATE entry SET offer='dead', state=1 WHERE event_id=1");
  write([&](Transaction& transaction) {
    transaction.settle(transaction.look(std::nullopt).rows.front(), Settlement::waits_again, 1);
  });
  EXPECT_EQ(home_.sql_value("SELECT state||maybe||ifnull(offer,'-') FROM entry WHERE event_id=1"),
            "01-");
}

TEST_F(Transactions, TheNewestAnswerIsTheOneOfTheCounters) {
  write([&](Transaction& transaction) {
    transaction.set_chain("A", {"t1", 1, 2, false}, 1);
    transaction.set_chain("A", {"t2", 3, 4, true}, 2);
    const Chain chain = transaction.look("A").chain;
    EXPECT_EQ(chain, (Chain{"t2", 3, 4, true}));
  });
}

// A print whose process died is none until its row was printed again.
TEST_F(Transactions, PrintsAreRowsThatWereOfferedOrWritten) {
  home_.sql(
      "UPDATE entry SET to_session='A', printed_ms=100*event_id; UPDATE entry SET maybe=1 WHERE "
      "event_id=1; UPDATE entry SET state=1 WHERE event_id=2; UPDATE entry SET writes=1 WHERE "
      "event_id=3; UPDATE entry SET state=2, writes=1, printed_ms=150 WHERE event_id=4");
  auto store = DeliveryStore::open(home_.files(), Access::read_only, WaitBudget());
  std::string times;
  for (const auto& print : (*store)->prints_to("A", 150, 300).value_or({})) {
    times += std::to_string(print.printed_ms) + " ";
  }
  EXPECT_EQ(times, "150 200 300 ") << "in their order, both ends included";
  EXPECT_EQ((*store)->prints_to("A", 0, 1000)->size(), 3U);
}

// A waiter that begins at the last number must not take for new what is stored after all left.
TEST_F(Transactions, TheLastNumberStaysWhenItsRowHasLeft) {
  home_.sql("DELETE FROM entry WHERE event_id > 2");
  auto store = DeliveryStore::open(home_.files(), Access::read_only, WaitBudget());
  EXPECT_EQ((*store)->look(std::nullopt)->last_seq, 4);
}

}  // namespace
}  // namespace robot_council::sink
