#include "harness/payload_reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "base/fd.hpp"
#include "base/signals.hpp"
#include "tests/lib/support.hpp"
#include "tests/lib/terminal.hpp"

namespace robot_council::harness {
namespace {

using base::Milliseconds;

struct Ends {
  base::Fd read_end;
  base::Fd write_end;
};

Ends open_pipe() {
  base::ignore_sigpipe();
  base::Result<base::Pipe> pipe = base::Pipe::open();
  EXPECT_TRUE(pipe.ok());
  return {std::move(pipe->read_end), std::move(pipe->write_end)};
}

void put(const base::Fd& to, std::string_view bytes) {
  ASSERT_TRUE(base::write_all(to.get(), bytes, test::in_time()).ok());
}

std::string reason(int fd, const PayloadLimits& limits = {}) {
  const base::Result<std::string> got = read_payload(fd, limits);
  return got.ok() ? "read: " + *got : got.error().what;
}

TEST(PayloadReader, CompleteValueIsEnoughWhileStdinStaysOpen) {  // delivery 94
  const Ends pipe = open_pipe();
  put(pipe.write_end, "\xEF\xBB\xBF {\"a\":\"}\"}\r\n");
  const base::SteadyTime begin = base::deadline_in(Milliseconds(0));
  EXPECT_EQ(reason(pipe.read_end.get()), "read: {\"a\":\"}\"}");
  EXPECT_LT(base::deadline_in(Milliseconds(0)) - begin, test::allowed(Milliseconds(1000)));
}

TEST(PayloadReader, PiecesOfThreeBytesAndAMegabyte) {  // delivery 93, P10
  Ends pipe = open_pipe();
  const std::string whole =
      "{\"last_assistant_message\":\"" + std::string(1U << 20U, 'x') + "\",\"n\":1}";
  std::thread writer([&] {
    for (std::size_t at = 0; at < 30; at += 3) {
      put(pipe.write_end, whole.substr(at, 3));
      EXPECT_TRUE(test::wait_until([&] { return test::pipe_is_empty(pipe.write_end.get()); }));
    }
    put(pipe.write_end, std::string_view(whole).substr(30));
  });
  const base::Result<std::string> got = read_payload(pipe.read_end.get());
  writer.join();
  ASSERT_TRUE(got.ok()) << got.error().what;
  EXPECT_EQ(*got, whole);
}

TEST(PayloadReader, NoByteEndsAfterTheSilence) {  // delivery 95, P12
  const Ends pipe = open_pipe();
  EXPECT_EQ(reason(pipe.read_end.get(), {Milliseconds(50), Milliseconds(5000), 100}),
            "nothing came in time");
}

TEST(PayloadReader, DropsEndAfterTheTotal) {
  Ends pipe = open_pipe();
  std::jthread writer([&](const std::stop_token& stop) {
    put(pipe.write_end, "{\"a\":\"");
    while (!stop.stop_requested()) {
      put(pipe.write_end, "x");
      // One byte at a time: the next one when this one was read.
      (void)test::wait_until(
          [&] { return stop.stop_requested() || test::pipe_is_empty(pipe.write_end.get()); });
    }
  });
  EXPECT_EQ(reason(pipe.read_end.get(), {Milliseconds(1000), Milliseconds(150), 1U << 20U}),
            "it did not end in time");
}

TEST(PayloadReader, StalledHalfwayEndsAfterTheSilence) {
  const Ends pipe = open_pipe();
  put(pipe.write_end, "{\"a\":");
  EXPECT_EQ(reason(pipe.read_end.get(), {Milliseconds(50), Milliseconds(5000), 100}),
            "no more came in time");
}

TEST(PayloadReader, TooLargeEndsBounded) {  // delivery 96
  Ends pipe = open_pipe();
  std::jthread writer([&] {
    const std::string block(65536, 'x');
    base::Status status = base::write_all(pipe.write_end.get(), "{\"a\":\"", test::in_time());
    for (int i = 0; i < 300 && status.ok(); ++i) {
      status = base::write_all(pipe.write_end.get(), block, test::in_time());
    }
  });
  EXPECT_EQ(reason(pipe.read_end.get()), "it is over 16777216 bytes");
  pipe.read_end.reset();
}

TEST(PayloadReader, EndOfFileTellsEmptyFromCut) {
  for (const auto& [bytes, why] : {std::pair<std::string, std::string>{"", "it is empty"},
                                   {" \n", "it is empty"},
                                   {"{\"a\":1", "cut short"},
                                   {"words", "no JSON object"},
                                   {"[]", "no JSON object"}}) {
    Ends pipe = open_pipe();
    put(pipe.write_end, bytes);
    pipe.write_end.reset();
    EXPECT_EQ(reason(pipe.read_end.get()), why) << bytes;
  }
}

TEST(PayloadReader, ClosedNullFolder) {  // delivery 97, P13
  Ends pipe = open_pipe();
  const int closed = pipe.read_end.get();
  pipe.read_end.reset();
  EXPECT_NE(reason(closed).find("Bad file descriptor"), std::string::npos) << reason(closed);
  EXPECT_EQ(reason(-1), "it is closed");
  const base::Result<base::Fd> null = base::open_file("/dev/null", O_RDONLY);
  EXPECT_EQ(reason(null->get()), "it is empty");
  const base::Result<base::Fd> folder = base::open_file("/", O_RDONLY | O_DIRECTORY);
  EXPECT_NE(reason(folder->get()).find("directory"), std::string::npos) << reason(folder->get());
}

TEST(PayloadReader, ATerminalIsNoPayload) {  // delivery 97
  const auto terminal_of_a_person = test::open_terminal();
  if (!terminal_of_a_person) {
    GTEST_SKIP() << test::kNoTerminal;
  }
  const auto terminal = base::open_file(terminal_of_a_person->path, O_RDWR | O_NOCTTY);
  ASSERT_TRUE(terminal.ok());
  EXPECT_EQ(reason(terminal->get()), "--hook reads the harness's payload from standard input");
}

TEST(PayloadReader, NonBlockingPipe) {
  Ends pipe = open_pipe();
  ASSERT_TRUE(base::set_nonblocking(pipe.read_end.get()).ok());
  const pid_t reader = ::gettid();
  std::jthread writer([&] {
    EXPECT_TRUE(test::wait_until([&] { return test::thread_sleeps(reader); }));
    put(pipe.write_end, "{}");
  });
  EXPECT_EQ(reason(pipe.read_end.get()), "read: {}");
}

}  // namespace
}  // namespace robot_council::harness
