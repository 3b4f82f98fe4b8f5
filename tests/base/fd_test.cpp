#include "base/fd.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "base/signals.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::base {
namespace {

using test::TempDir;
using test::wait_until;

void do_nothing(int /*signal*/) {}

// Interrupts one thread with a signal that has a handler and no SA_RESTART, until told to stop.
class Interrupter {
 public:
  explicit Interrupter(pthread_t target) {
    struct sigaction action {};
    action.sa_handler = do_nothing;
    sigaction(SIGUSR1, &action, nullptr);
    thread_ = std::jthread([this, target](const std::stop_token& stop) {
      do {
        pthread_kill(target, SIGUSR1);
        ++sent_;
      } while (!test::stopped_within(stop, Milliseconds(1)));
    });
  }
  [[nodiscard]] int sent() const { return sent_; }

 private:
  std::atomic<int> sent_{0};
  std::jthread thread_;
};

TEST(Fd, DescriptorsAreClosedOnExec) {
  auto pipe = Pipe::open();
  ASSERT_TRUE(pipe.ok());
  auto file = open_file("/dev/null", O_RDONLY);
  ASSERT_TRUE(file.ok());
  auto copy = file->duplicate();
  ASSERT_TRUE(copy.ok());
  for (const int fd : {pipe->read_end.get(), pipe->write_end.get(), file->get(), copy->get()}) {
    EXPECT_NE(::fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
  }
}

TEST(Fd, MovedFromOwnsNothingAndMovingInClosesTheOld) {
  auto pipe = Pipe::open();
  ASSERT_TRUE(pipe.ok());
  const int old = pipe->read_end.get();
  Fd moved = std::move(pipe->read_end);
  EXPECT_FALSE(pipe->read_end.valid());  // NOLINT(bugprone-use-after-move): that is what is tested
  moved = std::move(pipe->write_end);
  EXPECT_EQ(::fcntl(old, F_GETFD), -1);
}

TEST(Fd, ReadsAndWritesGoOnAfterSignals) {
  auto pipe = Pipe::open();
  ASSERT_TRUE(pipe.ok());
  const std::string big(3 << 20,
                        'x');  // many times a pipe's buffer: both sides block and are interrupted
  std::string got;
  std::jthread reader([&] {
    const Interrupter interrupter(pthread_self());
    auto all = read_all(pipe->read_end.get(), 4 << 20, test::in_time());
    ASSERT_TRUE(all.ok()) << all.error().what;
    got = *all;
    EXPECT_GT(interrupter.sent(), 0);
  });
  {
    const Interrupter interrupter(pthread_self());
    std::size_t written = 0;
    EXPECT_TRUE(write_all(pipe->write_end.get(), big, test::in_time(), &written).ok());
    EXPECT_EQ(written, big.size());
  }
  pipe->write_end.reset();
  reader.join();
  EXPECT_EQ(got, big);
}

TEST(Fd, NonBlockingWriterWaitsForASlowReader) {
  auto pipe = Pipe::open();
  ASSERT_TRUE(pipe.ok());
  ASSERT_TRUE(set_nonblocking(pipe->write_end.get()).ok());
  const std::string big(1 << 20, 'y');
  std::size_t read_bytes = 0;
  std::jthread reader([&] {
    std::array<char, 1000> small{};
    while (true) {
      auto got = read_some(pipe->read_end.get(), small);
      if (!got || *got == 0) {
        return;
      }
      read_bytes += *got;
    }
  });
  EXPECT_TRUE(write_all(pipe->write_end.get(), big, test::in_time()).ok());
  pipe->write_end.reset();
  reader.join();
  EXPECT_EQ(read_bytes, big.size());
}

TEST(Fd, WriteToAClosedPipeIsAnErrorAndNotASignal) {
  ignore_sigpipe();
  auto pipe = Pipe::open();
  ASSERT_TRUE(pipe.ok());
  pipe->read_end.reset();
  std::size_t written = 99;
  const auto failed = write_all(pipe->write_end.get(), "hello", test::in_time(), &written);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, Errc::io);
  EXPECT_EQ(written, 0U);
}

TEST(Fd, WriteStopsAtItsDeadlineAndTellsHowMuchWentOut) {
  auto pipe = Pipe::open();
  ASSERT_TRUE(pipe.ok());
  ASSERT_TRUE(set_nonblocking(pipe->write_end.get()).ok());
  std::size_t written = 0;
  const std::string big(1 << 20, 'z');
  const auto failed =
      write_all(pipe->write_end.get(), big, deadline_in(Milliseconds(50)), &written);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, Errc::timeout);
  EXPECT_GT(written, 0U);
  EXPECT_LT(written, big.size());
}

TEST(Fd, FullDeviceIsAnError) {
  auto full = open_file("/dev/full", O_WRONLY);
  ASSERT_TRUE(full.ok());
  const auto failed = write_all(full->get(), "x", test::in_time());
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.error().what.find("No space left"), std::string::npos) << failed.error().what;
}

TEST(Fd, ReadAllRefusesMoreThanItsLimitAndTimesOut) {
  auto pipe = Pipe::open();
  ASSERT_TRUE(pipe.ok());
  ASSERT_TRUE(write_all(pipe->write_end.get(), "12345", test::in_time()).ok());
  auto late = read_all(pipe->read_end.get(), 5, deadline_in(Milliseconds(50)));
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().code, Errc::timeout);
  ASSERT_TRUE(write_all(pipe->write_end.get(), "123456", test::in_time()).ok());
  pipe->write_end.reset();
  auto over = read_all(pipe->read_end.get(), 5, test::in_time());
  ASSERT_FALSE(over.ok());
  EXPECT_EQ(over.error().code, Errc::invalid);
}

TEST(Fd, WaitTellsReadyTimeoutAndEnd) {
  auto pipe = Pipe::open();
  ASSERT_TRUE(pipe.ok());
  auto quiet = wait_readable(pipe->read_end.get(), deadline_in(Milliseconds(10)));
  ASSERT_TRUE(quiet.ok());
  EXPECT_EQ(*quiet, Ready::timeout);
  pipe->write_end.reset();
  auto end = wait_readable(pipe->read_end.get(), test::in_time());
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(*end, Ready::yes);
  auto closed = wait_readable(987, deadline_in(Milliseconds(10)));
  ASSERT_TRUE(closed.ok());
  EXPECT_EQ(*closed, Ready::hung_up);
}

TEST(Signals, AreReadFromADescriptorAndNotLost) {
  // In a child: signal masks belong to the whole test process otherwise.
  const pid_t pid = ::fork();
  if (pid == 0) {
    auto reader = SignalReader::open({SIGTERM, SIGHUP});
    if (!reader || reader->take()) {
      ::_exit(1);
    }
    ::kill(::getpid(), SIGTERM);
    auto ready = wait_readable(reader->fd(), test::in_time());
    const auto got = reader->take();
    ::_exit(ready && *ready == Ready::yes && got == SIGTERM && !reader->take() ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace robot_council::base
