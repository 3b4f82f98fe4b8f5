// `robot-council pending` and the reader of its stdout: slow, gone, never reading.

#include <algorithm>
#include <array>
#include <thread>

#include "base/fd.hpp"
#include "tests/pending/command_fixture.hpp"

namespace robot_council::pending {
namespace {

using test::events;
using test::line_of;
using Command = test::CommandTest;

// 88
TEST_F(Command, S088TwoHundredLongEventsPlain) {
  std::vector<sink::FeedEvent> list = events(1, 200);
  for (sink::FeedEvent& one : list) {
    one.json = test::event_json(*one.id, std::to_string(*one.id) + std::string(1000, 'l'));
  }
  add(list);
  const Ran ran = run();
  EXPECT_EQ(ran.code, kExitOk);
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 200);
  EXPECT_EQ(states().find("0"), std::string::npos);
}

// 91
TEST_F(Command, S091ANonBlockingStdoutWithASlowReader) {
  std::vector<sink::FeedEvent> list = events(1, 200);
  std::string expected;
  for (sink::FeedEvent& one : list) {
    one.json = test::event_json(*one.id, std::to_string(*one.id) + std::string(1000, 'l'));
    expected += "[directive] " + std::to_string(*one.id) + std::string(1000, 'l') +
                " from otherdev at " + test::kTime + "\n";
  }
  add(list);
  auto pipe = base::Pipe::open();
  ASSERT_TRUE(pipe.ok());
  ASSERT_TRUE(base::set_nonblocking(pipe->write_end.get()).ok());
  std::string got;
  std::thread reader([&] {
    std::array<char, 1500> part{};
    while (true) {
      auto size = base::read_some(pipe->read_end.get(), part);
      if (!size || *size == 0) {
        return;
      }
      got.append(part.data(), *size);
    }
  });
  EXPECT_EQ(pending::run(options_, home_.context(), pipe->write_end.get()), kExitOk);
  pipe->write_end.reset();
  reader.join();
  EXPECT_EQ(got, expected);
  EXPECT_EQ(states().find("0"), std::string::npos);
  EXPECT_EQ(states().find("1"), std::string::npos);
}

TEST_F(Command, AReaderThatNeverReadsIsGivenUp) {
  std::vector<sink::FeedEvent> list = events(1, 200);
  for (sink::FeedEvent& one : list) {
    one.json = test::event_json(*one.id, std::string(1000, 'l'));
  }
  add(list);
  auto pipe = base::Pipe::open();  // blocking, as a harness's is
  ASSERT_TRUE(pipe.ok());
  Request wanted = request(sink::Call(), Shape::plain);
  wanted.output = pipe->write_end.get();
  wanted.write_wait = base::Milliseconds(200);
  auto outcome = pending::deliver(wanted, home_.context());
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->end, End::reader_gone);
  EXPECT_EQ(outcome->waiting, 200U);
  EXPECT_EQ(home_.bodies(sink::RowState::waiting).size(), 200U);
  EXPECT_EQ(plain().substr(0, 9), "[repeat] ");
}

// 155
TEST_F(Command, S155TheReaderIsGone) {
  const auto run_into_closed = [&](const char* format, std::size_t read_first) {
    auto pipe = base::Pipe::open();
    if (read_first == 0) {
      pipe->read_end.reset();
    }
    std::thread reader([&] {
      if (read_first > 0) {
        std::vector<char> part(read_first);
        static_cast<void>(base::read_some(pipe->read_end.get(), part));
        pipe->read_end.reset();
      }
    });
    PendingOptions options = options_;
    options.format = format;
    EXPECT_EQ(pending::run(options, home_.context(), pipe->write_end.get()), kExitOk);
    reader.join();
  };
  std::vector<sink::FeedEvent> list = events(1, 200);
  for (sink::FeedEvent& one : list) {
    one.json = test::event_json(*one.id, std::to_string(*one.id) + std::string(1000, 'l'));
  }
  add(list);
  run_into_closed("block", 0);
  run_into_closed("", 0);
  EXPECT_EQ(home_.log.lines(), std::vector<std::string>{});
  EXPECT_EQ(home_.sql_value("SELECT count(*) FROM entry WHERE state=0 AND writes=0 AND maybe=0"),
            "200");
  EXPECT_EQ(
      home_.sql_value("SELECT count(*) FROM entry WHERE to_session IS NULL AND printed_ms IS NULL"),
      "200");
  run_into_closed("", 100);
  EXPECT_EQ(home_.sql_value("SELECT count(*) FROM entry WHERE state=0 AND writes=0 AND maybe=1"),
            "200");
  EXPECT_EQ(plain().substr(0, 9), "[repeat] ");
}

// A person who closed the pager has seen enough; where nothing could be shown, that is said.
TEST_F(Command, APeekThatNobodyReads) {
  std::vector<sink::FeedEvent> list = events(1, 200);
  for (sink::FeedEvent& one : list) {
    one.json = test::event_json(*one.id, std::string(1000, 'l'));
  }
  add(list);
  PendingOptions peek = options_;
  peek.peek = true;
  auto closed = base::Pipe::open();
  ASSERT_TRUE(closed.ok());
  closed->read_end.reset();
  EXPECT_EQ(pending::run(peek, home_.context(), closed->write_end.get()), kExitMisconfigured);
  EXPECT_TRUE(home_.log.contains("cannot write the answer to stdout: "));
  const std::size_t lines = home_.log.lines().size();
  auto pager = base::Pipe::open();
  ASSERT_TRUE(pager.ok());
  std::thread reader([&] {
    std::vector<char> part(100);
    static_cast<void>(base::read_some(pager->read_end.get(), part));
    pager->read_end.reset();
  });
  EXPECT_EQ(pending::run(peek, home_.context(), pager->write_end.get()), kExitOk);
  reader.join();
  EXPECT_EQ(home_.log.lines().size(), lines);
}

TEST_F(Command, AReaderThatIsGoneLeavesTheCountersAsTheyWere) {
  add(events(1, 1));
  home_.sql("INSERT INTO chain VALUES('A','turn-0',2,5,1,5)");
  auto pipe = base::Pipe::open();
  pipe->read_end.reset();
  Request wanted = request(turn_end());
  wanted.output = pipe->write_end.get();
  wanted.guard = [](const TurnEnd& end) {
    sink::Chain chain = end.chain;
    chain.woke = false;
    chain.answers = 0;
    return Verdict{true, chain};
  };
  ASSERT_TRUE(pending::deliver(wanted, home_.context()).ok());
  EXPECT_EQ(home_.sql_value("SELECT turn||' '||answers||' '||streak||' '||woke FROM chain"),
            "turn-0 2 5 1");
}

}  // namespace
}  // namespace robot_council::pending
