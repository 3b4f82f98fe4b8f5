// What a delivery does when the sink fails it in the middle: each step is met by the failure that
// can happen there.

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "base/fd.hpp"
#include "base/files.hpp"
#include "pending/print.hpp"
#include "pending/transcript.hpp"
#include "sink/drain_lock.hpp"
#include "tests/pending/pending_fixture.hpp"

namespace robot_council::pending {
namespace {

using test::events;

class Trouble : public test::PendingTest {
 protected:
  std::string database() { return home_.files().database(); }
  // A delivery that meets `failure` at `step`.
  Delivered meets(Step step, const std::function<void()>& failure, Shape shape = Shape::block) {
    Request wanted = request(turn_end(), shape);
    wanted.step = [&](Step now) {
      if (now == step) {
        failure();
      }
    };
    return deliver(wanted);
  }
  // What a waiter hands over.
  Delivered wakes() {
    Request wake = request(turn_end());
    wake.call.kind = sink::CallKind::wake;
    return deliver(wake);
  }
  void lose_entries() { home_.sql("ALTER TABLE entry RENAME TO other"); }
  std::string not_ours() {
    return "The sink `" + database() +
           "` is not a list of events. It was left as it was; move it aside to let delivery "
           "resume.";
  }
};

TEST_F(Trouble, TheFileIsReplacedWhileTheLockIsWaitedFor) {
  add(events(1, 1));
  const auto aside = [&] { ASSERT_EQ(::rename(database().c_str(), (home_.dir / "x").c_str()), 0); };
  auto gone = meets(Step::drain_held, aside);
  ASSERT_TRUE(gone.outcome.ok());
  EXPECT_EQ(gone.outcome->end, End::nothing_waiting);
  EXPECT_EQ(gone.text, "");
  EXPECT_TRUE(base::exists(home_.files().turn()));
  ASSERT_EQ(::rename((home_.dir / "x").c_str(), database().c_str()), 0);
  auto broken = meets(Step::drain_held, [&] {
    aside();
    test::write_text(database(), std::string(9000, 'x'));
  });
  ASSERT_FALSE(broken.outcome.ok());
  EXPECT_NE(broken.outcome.error().what.find("` does not parse: "), std::string::npos);
}

TEST_F(Trouble, ATableIsLostOnTheWay) {
  add(events(1, 1));
  auto settling = meets(Step::drain_held, [&] { lose_entries(); });
  EXPECT_EQ(settling.outcome.error().what, not_ours());
  home_.sql("ALTER TABLE other RENAME TO entry");
  auto offering = meets(Step::before_offer, [&] { lose_entries(); });
  EXPECT_EQ(offering.outcome.error().what, not_ours());
  home_.sql("ALTER TABLE other RENAME TO entry");
  EXPECT_EQ(states(), "0 ") << "nothing was offered";
  auto marking = meets(Step::printed, [&] { lose_entries(); });
  ASSERT_TRUE(marking.outcome.ok());
  EXPECT_EQ(marking.outcome->end, End::printed);
  EXPECT_EQ(marking.outcome->mark_error, not_ours());
  home_.sql("ALTER TABLE other RENAME TO entry");
  EXPECT_EQ(states(), "1 ") << "stays offered: printed again with a mark";
  EXPECT_NE(text(turn_end("A", "turn-2")).find("[repeat] "), std::string::npos);
}

TEST_F(Trouble, ATableIsLostWhenTheReaderIsGone) {
  add(events(1, 1));
  auto pipe = base::Pipe::open();
  ASSERT_TRUE(pipe.ok());
  pipe->read_end.reset();
  Request wanted = request(turn_end());
  wanted.output = pipe->write_end.get();
  wanted.step = [&](Step now) {
    if (now == Step::offered) {
      lose_entries();
    }
  };
  const auto outcome = pending::deliver(wanted, home_.context());
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->end, End::reader_gone);
  EXPECT_EQ(outcome->mark_error, not_ours());
}

TEST_F(Trouble, ARowThatCameBackKeepsTheTimeOfItsFirstPrint) {
  add(events(1, 1));
  EXPECT_NE(text(turn_end()), "");
  const auto first = home_.rows().front().printed_ms;
  ASSERT_TRUE(first.has_value());
  home_.clock.advance(base::Milliseconds(60000));
  auto pipe = base::Pipe::open();
  ASSERT_TRUE(pipe.ok());
  pipe->read_end.reset();
  Request wanted = request(turn_end("A", "turn-2"));
  wanted.output = pipe->write_end.get();
  const auto outcome = pending::deliver(wanted, home_.context());
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->end, End::reader_gone);
  EXPECT_EQ(home_.rows().front().printed_ms, first);
  EXPECT_EQ(home_.rows().front().to_turn, "turn-1");
}

// Half a JSON answer is thrown away by its reader; half of the plain lines may have been read.
TEST_F(Trouble, OnlyPlainOutputThatBeganIsPerhapsPrinted) {
  add({test::event(1, std::string(9000, 'l'))});
  for (const Shape shape : {Shape::block, Shape::plain}) {
    auto pipe = base::Pipe::open();
    ASSERT_TRUE(pipe.ok());
    Request wanted = request(shape == Shape::plain ? sink::Call() : turn_end(), shape);
    wanted.output = pipe->write_end.get();
    wanted.step = [&](Step now) {
      if (now == Step::part_printed) {
        pipe->read_end.reset();
      }
    };
    const auto outcome = pending::deliver(wanted, home_.context());
    ASSERT_TRUE(outcome.ok());
    EXPECT_EQ(outcome->end, End::reader_gone);
    EXPECT_EQ(outcome->waiting, 1U) << "it waits again";
    EXPECT_EQ(states(), shape == Shape::plain ? "0? " : "0 ");
  }
}

TEST_F(Trouble, AWakeWhoseReaderIsGoneWokeNobody) {
  add(events(1, 1));
  auto pipe = base::Pipe::open();
  ASSERT_TRUE(pipe.ok());
  pipe->read_end.reset();
  sink::Call wake;
  wake.kind = sink::CallKind::wake;
  wake.session = "A";
  Request wanted = request(wake, Shape::text);
  wanted.output = pipe->write_end.get();
  ASSERT_TRUE(pending::deliver(wanted, home_.context()).ok());
  EXPECT_EQ(home_.sql_value("SELECT woke FROM chain WHERE session='A'"), "0");
}

// Nobody may write, and nothing waits: a counter that cannot be reset is no reason to complain.
TEST_F(Trouble, AReadOnlySinkWithACounterToResetIsQuiet) {
  add(events(1, 1));
  text(turn_end());
  home_.sql("DELETE FROM entry");
  Request wanted = request(turn_end("A", "turn-2"));
  EXPECT_EQ(home_.sql_value("SELECT streak FROM chain"), "1");
  ::chmod(home_.dir.path().c_str(), 0755);
  for (std::string folder = home_.folder(); folder != home_.dir.path();
       folder = base::parent_path(folder)) {
    if (::chown(folder.c_str(), 65534, 65534) != 0) {
      GTEST_SKIP() << "cannot give a folder away (needs root)";
    }
  }
  ASSERT_EQ(::chown(database().c_str(), 65534, 65534), 0);
  ASSERT_EQ(::chmod(database().c_str(), 0400), 0);
  EXPECT_EQ(test::in_child([&] {
              if (::setgid(65534) != 0 || ::setuid(65534) != 0) {
                return 9;
              }
              const auto outcome = pending::deliver(wanted, home_.context());
              return outcome.ok() && outcome->end == End::nothing_waiting ? 0 : 1;
            }),
            0);
}

// 69: it comes back, and a newer one of its type waits by now
TEST_F(Trouble, ANoticeThatCameBackTooLateIsReplaced) {
  add_local("bridge.note", "old");
  auto pipe = base::Pipe::open();
  ASSERT_TRUE(pipe.ok());
  pipe->read_end.reset();
  Request wanted = request(turn_end());
  wanted.output = pipe->write_end.get();
  wanted.step = [&](Step now) {
    if (now == Step::offered) {
      home_.sql("UPDATE entry SET state=2 WHERE state=1");
      add_local("bridge.note", "new");
      home_.sql("UPDATE entry SET state=1 WHERE state=2");
    }
  };
  ASSERT_TRUE(pending::deliver(wanted, home_.context()).ok());
  EXPECT_EQ(home_.bodies(), std::vector<std::string>{"new"});
  EXPECT_EQ(left(), "replaced");
}

TEST_F(Trouble, AsideWorkSaysWhatFailed) {
  add(events(1, 1));
  Request wanted = request(turn_end());
  const auto each = [&](const std::string& part) {
    for (const std::string& said :
         {confirm_only(wanted, home_.context()).error().what,
          confirm_by_prompt(wanted, "words", Whose::any_session, home_.context()).error().what,
          pending::look(wanted).error().what}) {
      EXPECT_NE(said.find(part), std::string::npos) << said;
    }
  };
  lose_entries();
  each("is not a list of events");
  std::filesystem::rename(database(), home_.dir / "x");
  std::filesystem::create_symlink(home_.dir / "x", database());
  each("Could not open the sink");
  std::filesystem::remove(database());
  EXPECT_EQ(confirm_only(wanted, home_.context()).value_or(9), 0U);
  EXPECT_EQ(confirm_by_prompt(wanted, "words", Whose::any_session, home_.context()).value_or(9),
            0U);
}

TEST_F(Trouble, WithoutTheLockProofsWaitForTheNextCall) {
  add(events(1, 2));
  const Delivered woken = wakes();
  ASSERT_TRUE(woken.outcome.ok());
  ASSERT_EQ(::unlink(home_.files().drain().c_str()), 0);
  ASSERT_EQ(::mkdir(home_.files().drain().c_str(), 0700), 0);
  const Request wanted = request(continued());
  EXPECT_EQ(confirm_only(wanted, home_.context()).value_or(9), 0U);
  EXPECT_NE(confirm_by_prompt(wanted, woken.text, Whose::any_session, home_.context())
                .error()
                .what.find("could not be written back"),
            std::string::npos);
  ASSERT_EQ(::rmdir(home_.files().drain().c_str()), 0);
  Request nobody = wanted;
  nobody.call.session.reset();
  EXPECT_EQ(confirm_by_prompt(nobody, woken.text, Whose::any_session, home_.context()).value_or(9),
            2U);
}

// A prompt that shows rows which another call has settled while the lock was waited for: they are
// not counted a second time.
TEST_F(Trouble, WhatLeftWhileTheLockWasWaitedForIsNotConfirmed) {
  add(events(1, 2));
  const Delivered woken = wakes();
  ASSERT_TRUE(woken.outcome.ok());
  auto held = sink::lock_drain(home_.files(), sink::WaitBudget());
  ASSERT_TRUE(held.ok());
  std::atomic<pid_t> thread{0};
  std::size_t confirmed = 9;
  const Request wanted = request(continued());
  std::thread late([&] {
    thread = ::gettid();
    confirmed =
        confirm_by_prompt(wanted, woken.text, Whose::any_session, home_.context()).value_or(8);
  });
  EXPECT_TRUE(test::wait_until([&] { return thread != 0 && test::thread_sleeps(thread); }));
  home_.sql("DELETE FROM entry WHERE seq=1");
  held.value().release();
  late.join();
  EXPECT_EQ(confirmed, 1U);
  EXPECT_EQ(left(), "confirmed");
}

// What a proof would settle cannot be: the rows stay, and so does their count.
TEST_F(Trouble, AProofThatCannotBeNotedWaitsForTheNextCall) {
  add(events(1, 1));
  text(turn_end());
  add(events(2, 2));
  home_.sql("CREATE TRIGGER keep BEFORE DELETE ON entry BEGIN SELECT raise(ABORT, 'no'); END");
  EXPECT_EQ(confirm_only(request(continued()), home_.context()).value_or(9), 1U);
  EXPECT_EQ(states(), "2 0 ");
  EXPECT_EQ(left(), "");
  home_.sql("DROP TRIGGER keep");
  EXPECT_EQ(confirm_only(request(continued()), home_.context()).value_or(9), 1U);
  EXPECT_EQ(states(), "0 ");
  EXPECT_EQ(left(), "confirmed");
}

TEST(Print, WhatCannotBeWaitedForIsAnError) {
  auto pipe = base::Pipe::open();
  ASSERT_TRUE(pipe.ok());
  EXPECT_EQ(test::in_child([&] {
              rlimit before{};
              ::getrlimit(RLIMIT_NOFILE, &before);
              const rlimit none{0, before.rlim_max};  // poll(2) takes no descriptor then
              ::setrlimit(RLIMIT_NOFILE, &none);
              std::size_t written = 9;
              const base::Status printed =
                  print_all(pipe->write_end.get(), "x", base::deadline_in(base::Milliseconds(100)),
                            &written, nullptr);
              ::setrlimit(RLIMIT_NOFILE, &before);
              return !printed.ok() && printed.error().what.find("poll: ") == 0 && written == 0 ? 0
                                                                                               : 1;
            }),
            0);
  EXPECT_TRUE(test::pipe_is_empty(pipe->read_end.get()));
}

TEST(Print, AReaderThatLeftAFullPipeAndAClosedDescriptor) {
  base::ignore_sigpipe();
  std::size_t written = 9;
  EXPECT_FALSE(
      print_all(-1, "x", base::deadline_in(base::Milliseconds(100)), &written, nullptr).ok());
  EXPECT_EQ(written, 0U);
  auto pipe = base::Pipe::open();
  ASSERT_TRUE(pipe.ok());
  ASSERT_TRUE(base::set_nonblocking(pipe->write_end.get()).ok());
  const std::string block(65536, 'x');
  while (::write(pipe->write_end.get(), block.data(), block.size()) > 0) {
  }
  pipe->read_end.reset();
  EXPECT_FALSE(print_all(pipe->write_end.get(), "x", base::deadline_in(base::Milliseconds(100)),
                         &written, nullptr)
                   .ok());
}

}  // namespace
}  // namespace robot_council::pending
