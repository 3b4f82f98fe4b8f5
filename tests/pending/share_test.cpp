#include <functional>

#include "base/child.hpp"
#include "pending/show.hpp"
#include "tests/pending/pending_fixture.hpp"

namespace robot_council::pending {
namespace {

using test::event;
using test::events;
using test::line_of;

// Two live bridges of one seat: processes that sleep until they are ended.
class Shares : public ::testing::Test {
 protected:
  struct Bridge {
    base::Child process;
    sink::ProcessName name;
    std::optional<sink::BridgeStore> store;
  };
  Bridge bridge(std::int64_t session, const sink::ProcessName& client) {
    base::ChildOptions sleep;
    sleep.argv = {"/bin/sleep", "60"};
    auto process = base::Child::start(sleep);
    EXPECT_TRUE(process.ok());
    const sink::ProcessName name{process->pid(), base::process_start_time(process->pid())};
    sink::JoinInfo join = home_.join(session, client);
    join.bridge = name;
    return {std::move(*process), name, home_.bridge(join)};
  }
  static void add(Bridge& bridge, const std::vector<sink::FeedEvent>& list) {
    ASSERT_TRUE(bridge.store->append({list, std::nullopt, {}, sink::Renumber::no}).ok());
  }
  // A turn end of `session` under the given clients, nearest first.
  std::string text(const std::string& session, std::vector<sink::ProcessName> clients) {
    Request wanted;
    wanted.files = home_.files();
    wanted.call.kind = sink::CallKind::hook;
    wanted.call.session = session;
    wanted.call.turn_end = "T" + std::to_string(++turn_ends_);
    wanted.call.turn = wanted.call.turn_end;
    wanted.shape = Shape::plain;
    wanted.ancestors = [clients] { return clients; };
    const std::string path = home_.dir / "stdout";
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    wanted.output = fd;
    auto outcome = pending::deliver(wanted, home_.context());
    EXPECT_TRUE(outcome.ok());
    ::close(fd);
    return test::read_text(path);
  }

  test::SinkHome home_;
  sink::ProcessName one_{100001, "11"};
  sink::ProcessName two_{100002, "22"};
  sink::ProcessName shell_{100003, "33"};
  int turn_ends_ = 0;
};

// 162
TEST_F(Shares, S162ABroadcastGoesToEachSessionOnce) {
  Bridge first = bridge(1, one_);
  Bridge second = bridge(2, two_);
  add(first, {event(5), event(6, "for the first")});
  add(second, {event(5), event(7, "for the second")});
  EXPECT_EQ(text("A", {shell_, one_}),
            line_of(5) + "\n[directive] for the first from otherdev at " + test::kTime + "\n");
  EXPECT_EQ(text("B", {shell_, two_}),
            line_of(5) + "\n[directive] for the second from otherdev at " + test::kTime + "\n");
}

TEST_F(Shares, S162ACallerUnderNeitherGetsAllTheSecondCopyMarked) {
  Bridge first = bridge(1, one_);
  Bridge second = bridge(2, two_);
  add(first, events(5, 5));
  add(second, events(5, 6));
  EXPECT_EQ(text("A", {shell_}),
            line_of(5) + "\n[repeat] " + line_of(5) + "\n" + line_of(6) + "\n");
}

TEST_F(Shares, ACopyIsMarkedAlsoWhenItComesInALaterAnswer) {
  Bridge first = bridge(1, one_);
  Bridge second = bridge(2, two_);
  add(first, events(5, 5));
  EXPECT_EQ(text("A", {shell_}), line_of(5) + "\n");
  home_.sql(
      "INSERT INTO history SELECT "
      "NULL,1,'confirmed',writes,join_no,event_id,json,to_session,printed_ms,proof FROM entry;"
      "DELETE FROM entry");
  add(second, events(5, 5));
  EXPECT_EQ(text("A", {shell_}), "[repeat] " + line_of(5) + "\n");
}

// A restored feed gives an id again, to another event.
TEST_F(Shares, AnotherEventOfTheSameIdIsNoCopy) {
  Bridge first = bridge(1, one_);
  Bridge second = bridge(2, two_);
  add(first, {event(5)});
  add(second, {event(5, "of the restored feed")});
  EXPECT_EQ(
      text("A", {shell_}),
      line_of(5) + "\n[directive] of the restored feed from otherdev at " + test::kTime + "\n");
}

TEST_F(Shares, APeekShowsTheShareOfItsCaller) {
  const auto ancestors = sink::own_ancestors();
  ASSERT_FALSE(ancestors.empty());
  Bridge first = bridge(1, ancestors.front());
  Bridge second = bridge(2, two_);
  add(first, events(1, 1));
  add(second, events(2, 2));
  EXPECT_EQ(*peek_lines(home_.files()), line_of(1) + "\n");
  const std::string json = *peek_json(home_.files());
  EXPECT_NE(json.find("\"event 1\""), std::string::npos) << json;
  EXPECT_EQ(json.find("\"event 2\""), std::string::npos) << json;
}

TEST_F(Shares, UnderTheBrakeTheShareOfTheCallerIsCounted) {
  Bridge first = bridge(1, one_);
  Bridge second = bridge(2, two_);
  add(first, events(1, 1));
  add(second, events(2, 4));
  Request wanted;
  wanted.files = home_.files();
  wanted.ancestors = [&] { return std::vector<sink::ProcessName>{two_}; };
  EXPECT_EQ(*confirm_only(wanted, home_.context()), 3U);
}

TEST_F(Shares, TheNearestClientDecides) {
  Bridge first = bridge(1, one_);
  Bridge second = bridge(2, two_);
  add(first, events(1, 1));
  add(second, events(2, 2));
  EXPECT_EQ(text("A", {two_, one_}), line_of(2) + "\n") << "an agent started by another agent";
}

TEST_F(Shares, APidUsedAgainIsAnotherProcess) {
  Bridge first = bridge(1, one_);
  Bridge second = bridge(2, two_);
  add(first, events(1, 1));
  add(second, events(2, 2));
  EXPECT_EQ(text("A", {{one_.pid, "other start"}}), line_of(1) + "\n" + line_of(2) + "\n");
}

// 164
TEST_F(Shares, S164ABridgeThatRunsOnKeepsItsSessionAndOneThatIsKilledLosesIt) {
  Bridge first = bridge(1, one_);
  {
    Bridge second = bridge(2, two_);
    add(second, events(1, 1));
    EXPECT_EQ(text("B", {two_}), line_of(1) + "\n") << "without [earlier session]";
    add(second, events(2, 2));
    EXPECT_EQ(text("A", {one_}), "");
  }
  EXPECT_EQ(text("A", {one_}), "[earlier session] " + line_of(2) + "\n");
}

TEST_F(Shares, WithOneLiveBridgeEverybodyGetsItsRows) {
  Bridge first = bridge(1, one_);
  add(first, events(1, 1));
  EXPECT_EQ(text("A", {shell_}), line_of(1) + "\n");
}

// Its process runs on, and may join again.
TEST_F(Shares, AJoinThatEndedHasNoShareThoughItsBridgeRuns) {
  Bridge first = bridge(1, one_);
  Bridge second = bridge(2, two_);
  add(first, events(1, 1));
  ASSERT_TRUE(second.store->end_session().ok());
  EXPECT_EQ(text("B", {two_}), line_of(1) + "\n") << "one live join: its rows are everybody's";
}

TEST_F(Shares, RowsOfAJoinThatIsOverAreInEveryShare) {
  Bridge first = bridge(1, one_);
  Bridge second = bridge(2, two_);
  {
    Bridge third = bridge(3, shell_);
    add(third, events(1, 1));
  }
  EXPECT_EQ(text("A", {one_}), "[earlier session] " + line_of(1) + "\n");
}

// Many processes start in the same tick, and of some the start time cannot be told.
TEST_F(Shares, AProcessIsNamedByItsPidAndItsStartTimeWhereThatIsKnown) {
  const sink::ProcessName unknown_start{100004, ""};
  const sink::ProcessName same_tick{100005, one_.started};
  Bridge first = bridge(1, one_);
  Bridge second = bridge(2, unknown_start);
  add(first, events(1, 1));
  add(second, events(2, 2));
  EXPECT_EQ(text("B", {{unknown_start.pid, "44"}}), line_of(2) + "\n");
  add(second, events(3, 3));
  EXPECT_EQ(text("A", {{one_.pid, ""}}), line_of(1) + "\n");
  add(first, events(4, 4));
  EXPECT_EQ(text("C", {same_tick}), line_of(3) + "\n" + line_of(4) + "\n") << "under neither";
}

TEST_F(Shares, APrintToAnotherSessionMakesNoRepeat) {
  Bridge first = bridge(1, one_);
  Bridge second = bridge(2, two_);
  add(first, events(5, 5));
  EXPECT_EQ(text("A", {shell_}), line_of(5) + "\n");
  add(second, events(5, 5));
  EXPECT_EQ(text("B", {shell_}), line_of(5) + "\n") << "written to A, not confirmed";
  home_.sql(
      "UPDATE entry SET to_session='A'; INSERT INTO history SELECT "
      "NULL,1,'confirmed',writes,join_no,event_id,json,to_session,printed_ms,proof FROM entry;"
      "DELETE FROM entry");
  Bridge third = bridge(3, shell_);
  add(third, events(5, 5));
  EXPECT_EQ(text("B", {shell_}), line_of(5) + "\n") << "A took it in";
}

TEST_F(Shares, ACopyOfARowThatIsWrittenAndNotConfirmedIsMarked) {
  Bridge first = bridge(1, one_);
  Bridge second = bridge(2, two_);
  add(first, events(5, 5));
  EXPECT_EQ(text("A", {shell_}), line_of(5) + "\n");
  add(second, events(5, 5));
  home_.sql("UPDATE entry SET to_end='T" + std::to_string(turn_ends_ + 1) +
            "' WHERE state=2");  // so that it stays written
  home_.sql("UPDATE entry SET printed_ms=1 WHERE state=2");
  EXPECT_EQ(text("A", {two_}), "[repeat] " + line_of(5) + "\n");
}

// 162, the other way round: the copy that was stored first waits for its own session still.
TEST_F(Shares, S162ACopyThatWaitsForAnotherSessionMakesNoRepeat) {
  Bridge first = bridge(1, one_);
  Bridge second = bridge(2, two_);
  add(first, events(5, 5));
  add(second, events(5, 5));
  EXPECT_EQ(text("B", {two_}), line_of(5) + "\n");
  EXPECT_EQ(text("A", {one_}), line_of(5) + "\n");
}

// A plain caller has no session id, and neither has what was never printed.
TEST_F(Shares, WhatWasNeverPrintedMakesNoRepeatForAPlainCaller) {
  Bridge first = bridge(1, one_);
  Bridge second = bridge(2, two_);
  add(first, events(5, 5));
  ASSERT_TRUE(first.store->end_session().ok());
  add(second, events(5, 6));
  Bridge third = bridge(3, shell_);
  add(third, events(6, 6));
  const std::string path = home_.dir / "stdout";
  Request wanted;
  wanted.files = home_.files();
  wanted.ancestors = [] { return std::vector<sink::ProcessName>(); };
  wanted.output = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  ASSERT_TRUE(pending::deliver(wanted, home_.context()).ok());
  ::close(wanted.output);
  EXPECT_EQ(test::read_text(path),
            line_of(5) + "\n" + line_of(6) + "\n[repeat] " + line_of(6) + "\n");
}

// 69: of two live bridges.
TEST_F(Shares, ANewerNoticeOfAnotherShareReplacesNothing) {
  Bridge first = bridge(1, one_);
  Bridge second = bridge(2, two_);
  ASSERT_TRUE(first.store->put_local({"bridge.note", "of the first"}).ok());
  text("A", {one_});
  ASSERT_TRUE(second.store->put_local({"bridge.note", "of the second"}).ok());
  const std::string again = text("A", {one_});
  EXPECT_NE(again.find("[repeat] [bridge.note] of the first"), std::string::npos) << again;
  EXPECT_EQ(again.find("of the second"), std::string::npos) << again;
}

// 2.3: at most 32 steps.
TEST_F(Shares, NoMoreThan32AncestorsAreLookedAt) {
  const std::function<int(int)> below = [&](int depth) -> int {
    return depth == 0 ? static_cast<int>(sink::own_ancestors().size())
                      : test::in_child([&] { return below(depth - 1); });
  };
  EXPECT_EQ(test::in_child([&] { return below(40); }), 32);
}

TEST_F(Shares, TheRealAncestorsBeginWithTheParent) {
  const auto ancestors = sink::own_ancestors();
  ASSERT_FALSE(ancestors.empty());
  EXPECT_EQ(ancestors.front().pid, ::getppid());
  EXPECT_FALSE(ancestors.front().started.empty());
  // A hook under this process, which is the client of one of two bridges.
  Bridge first = bridge(1, sink::own_process());
  Bridge second = bridge(2, two_);
  add(first, events(1, 1));
  add(second, events(2, 2));
  const std::string path = home_.dir / "of-child";
  const int code = test::in_child([&] {
    Request wanted;
    wanted.files = home_.files();
    wanted.output = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    return pending::deliver(wanted, home_.context()).ok() ? 0 : 1;
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(test::read_text(path), line_of(1) + "\n");
}

}  // namespace
}  // namespace robot_council::pending
