// What a bridge tells of itself: one notice of a type, whatever happens to the hand-over of an
// older one.

#include "tests/pending/pending_fixture.hpp"

namespace robot_council::pending {
namespace {

using test::event;

class Notices : public test::PendingTest {};

// 69
TEST_F(Notices, S069ALocalRowThatReturnsGivesWayToANewerOne) {
  add_local("bridge.note", "old");
  text(turn_end());
  add_local("bridge.note", "new");
  EXPECT_EQ(home_.rows().size(), 2U) << "a written one is not replaced";
  const std::string second = text(turn_end("A", "t2"));
  EXPECT_NE(second.find("[bridge.note] new"), std::string::npos) << second;
  EXPECT_EQ(second.find("old"), std::string::npos) << second;
  EXPECT_EQ(left(), "replaced");
}

// 69: only what is a notice of its own type, and newer, replaces.
TEST_F(Notices, S069OtherRowsReplaceNoLocalRowThatReturns) {
  add({event(1, "of the fleet", "bridge.note")});
  add_local("bridge.note", "notice");
  add_local("bridge.note-2", "another");
  EXPECT_EQ(text(turn_end()).find("[repeat]"), std::string::npos) << "nor is a new one a repeat";
  add({event(2, "newer, of the fleet", "bridge.note")});
  add_local("bridge.note-3", "newer");
  EXPECT_NE(text(turn_end("A", "t2")), "");
  EXPECT_EQ(home_.bodies(), (std::vector<std::string>{"of the fleet", "notice", "another",
                                                      "newer, of the fleet", "newer"}));
  EXPECT_EQ(left(), "");
}

// 69: an event of the fleet is never replaced, whatever its type.
TEST_F(Notices, S069ALocalRowReplacesNoEventThatReturns) {
  add({event(1, "of the fleet", "bridge.note")});
  text(turn_end());
  add_local("bridge.note", "notice");
  EXPECT_NE(text(turn_end("A", "t2")).find("of the fleet"), std::string::npos);
  EXPECT_EQ(left(), "");
}

// 69: both were printed, both return: the newer one is what counts.
TEST_F(Notices, S069OfTwoLocalRowsThatReturnTheNewerStays) {
  add_local("bridge.note", "old");
  text(turn_end());
  add_local("bridge.note", "new");
  home_.sql(
      "UPDATE entry SET state=2, writes=1, to_session='A', to_turn='turn-1', proof=1, "
      "printed_ms=1");
  const std::string both = text(turn_end("A", "t2"));
  EXPECT_NE(both.find("[repeat] [bridge.note] new"), std::string::npos) << both;
  EXPECT_EQ(both.find("old"), std::string::npos) << both;
  EXPECT_EQ(left(), "replaced");
}

// 41
TEST_F(Notices, S041ANoticeReplacedBetweenChoosingAndMarking) {
  add_local("bridge.note", "old");
  Request wanted = request(turn_end());
  wanted.step = [&](Step step) {
    if (step == Step::printed) {
      add_local("bridge.note", "new");
    }
  };
  EXPECT_NE(deliver(wanted).text.find("old"), std::string::npos);
  EXPECT_EQ(home_.bodies(sink::RowState::waiting), std::vector<std::string>{"new"});
  EXPECT_NE(text(turn_end("A", "t2")).find("[bridge.note] new"), std::string::npos);
}

// 69: its process was killed after the offer; nothing newer is there.
TEST_F(Notices, S069ALocalRowOfADeadOfferComesBack) {
  add_local("bridge.note", "notice");
  home_.sql("UPDATE entry SET state=1, offer='dead', to_session='A', proof=1, printed_ms=1");
  EXPECT_NE(text(turn_end()).find("[repeat] [bridge.note] notice"), std::string::npos);
  EXPECT_EQ(left(), "");
}

// 69: a newer one that another session was given is not waiting.
TEST_F(Notices, S069ANewerLocalRowThatWasPrintedReplacesNothing) {
  add_local("bridge.note", "old");
  text(turn_end("A"));
  add_local("bridge.note", "new");
  text(turn_end("B"));
  EXPECT_NE(text(turn_end("A", "t2")).find("[repeat] [bridge.note] old"), std::string::npos);
  EXPECT_EQ(left(), "");
}

}  // namespace
}  // namespace robot_council::pending
