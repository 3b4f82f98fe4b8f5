#include "base/child.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "base/signals.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::base {
namespace {

using test::TempDir;
using test::wait_until;

ChildOptions shell(const std::string& script) {
  ChildOptions options;
  options.argv = {"/bin/sh", "-c", script};
  options.environment = {"PATH=/usr/bin:/bin"};
  options.standard_err = Stdio::pipe;
  return options;
}

Result<Finished> run_shell(const std::string& script, std::string_view input = {},
                           Milliseconds limit = test::kInTime) {
  return run_child(shell(script), input, deadline_in(limit));
}

bool running(pid_t pid) {
  return ::kill(pid, 0) == 0;
}

TEST(Child, PassesArgumentsEnvironmentFolderInputAndStatus) {
  const TempDir dir;
  ChildOptions options = shell("cat; pwd; env; echo oops >&2; exit 7");
  options.environment.emplace_back("ONLY=this");
  options.directory = dir.path();
  auto done = run_child(options, "input\n", test::in_time());
  ASSERT_TRUE(done.ok()) << done.error().what;
  EXPECT_EQ(done->status.code, 7);
  EXPECT_NE(done->out.find("input\n"), std::string::npos);
  EXPECT_NE(done->out.find(dir.path() + "\n"), std::string::npos);
  EXPECT_NE(done->out.find("ONLY=this\n"), std::string::npos);
  EXPECT_EQ(done->out.find("HOME="), std::string::npos);
  EXPECT_EQ(done->err, "oops\n");
}

TEST(Child, StreamsCanBeDescriptorsOfTheCaller) {
  const TempDir dir;
  auto file = open_file(dir / "err", O_CREAT | O_WRONLY, 0600);
  auto pipe = Pipe::open();
  ASSERT_TRUE(file.ok() && pipe.ok());
  ChildOptions options = shell("echo out; echo err >&2");
  options.standard_out = Stdio::given;
  options.given_out = std::make_shared<Fd>(std::move(pipe->write_end));
  options.standard_err = Stdio::given;
  options.given_err = std::make_shared<Fd>(std::move(*file));
  auto child = Child::start(options);
  ASSERT_TRUE(child.ok()) << child.error().what;
  options.given_out.reset();
  auto text = read_all(pipe->read_end.get(), 100, test::in_time());
  ASSERT_TRUE(child->wait(test::in_time()).ok());
  EXPECT_EQ(text.value_or(""), "out\n");
  EXPECT_EQ(test::read_text(dir / "err"), "err\n");
}

TEST(Child, AStreamThatWasNotGivenIsAnError) {
  ChildOptions options = shell("true");
  options.standard_out = Stdio::given;
  EXPECT_EQ(Child::start(options).error().code, Errc::invalid);
}

TEST(Child, ASessionOfItsOwnHasNoTerminal) {
  ChildOptions options = shell("ps -o sid= -p $$ | tr -d ' '; echo $$");
  options.group = Group::session;
  auto done = run_child(options, {}, test::in_time());
  ASSERT_TRUE(done.ok());
  const auto line = done->out.find('\n');
  ASSERT_NE(line, std::string::npos);
  EXPECT_EQ(done->out.substr(0, line + 1), done->out.substr(line + 1));
}

TEST(Child, SignalIsToldApartFromExit) {
  auto done = run_shell("kill -9 $$");
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->status.signal, SIGKILL);
  EXPECT_EQ(done->status.code, -1);
}

TEST(Child, LargeInputAndOutputDoNotBlockEachOther) {
  const std::string big(4 << 20, 'q');
  auto done = run_child(shell("cat; cat >&2 </dev/null"), big, test::in_time(), 8 << 20);
  ASSERT_TRUE(done.ok()) << done.error().what;
  EXPECT_EQ(done->out, big);
}

TEST(Child, OutputOverItsLimitIsReadAndDropped) {
  auto done =
      run_child(shell("head -c 1000000 /dev/zero; echo end >&2"), {}, test::in_time(), 1000);
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->out.size(), 1000U);
  EXPECT_EQ(done->err, "end\n");
}

TEST(Child, ThatReadsNothingIsNoError) {
  ignore_sigpipe();
  auto done = run_child(shell("exec <&-; exit 0"), std::string(1 << 20, 'x'), test::in_time());
  ASSERT_TRUE(done.ok()) << done.error().what;
  EXPECT_EQ(done->status.code, 0);
}

TEST(Child, DeadlineEndsTheWholeGroup) {
  const TempDir dir;
  auto late = run_child(
      shell("trap '' TERM; sh -c 'echo $$ > " + (dir / "pid") + "; exec tail -f /dev/null'"), {},
      deadline_in(Milliseconds(700)));
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().code, Errc::timeout);
  const pid_t grandchild = std::stoi(test::read_text(dir / "pid"));
  // Gone, or a zombie that its new parent has not reaped yet.
  EXPECT_TRUE(wait_until(
      [&] { return process_alive(grandchild, process_start_time(grandchild)) != true; }));
}

TEST(Child, DestructorEndsAndReaps) {
  pid_t pid = 0;
  {
    auto child = Child::start(shell("exec tail -f /dev/null"));
    ASSERT_TRUE(child.ok());
    pid = child->pid();
    EXPECT_TRUE(running(pid));
  }
  EXPECT_FALSE(running(pid));
}

TEST(Child, StartsWithDefaultSignalsAndNothingBlocked) {
  ignore_sigpipe();
  auto done = run_shell("sed -n 's/^SigBlk:[^0]*//p;s/^SigIgn:[^0]*//p' /proc/self/status");
  ASSERT_TRUE(done.ok());
  // Signals 32 and 33 belong to the C library, which lets nobody set them.
  constexpr unsigned long long kOurs = 0x7fffffffULL;
  std::size_t used = 0;
  EXPECT_EQ(std::stoull(done->out, &used, 16) & kOurs, 0ULL) << done->out;
  EXPECT_EQ(std::stoull(done->out.substr(used), nullptr, 16) & kOurs, 0ULL) << done->out;
}

TEST(Child, GetsNoDescriptorOfOurs) {
  auto opened = open_file("/dev/null", 0);
  ASSERT_TRUE(opened.ok());
  const int moved = ::fcntl(opened->get(), F_DUPFD_CLOEXEC, 700);  // a number that nobody else uses
  const Fd open_here(moved);
  auto done = run_shell("ls /proc/self/fd");
  ASSERT_TRUE(done.ok());
  EXPECT_NE(done->out.find("1\n"), std::string::npos);
  EXPECT_EQ(done->out.find(std::to_string(moved)), std::string::npos) << done->out;
}

TEST(Child, MissingProgramIsNotFoundAndNoFork) {
  ChildOptions options;
  options.argv = {"no-such-program-here"};
  options.environment = {"PATH=/usr/bin:/bin"};
  auto child = Child::start(options);
  ASSERT_FALSE(child.ok());
  EXPECT_EQ(child.error().code, Errc::not_found);
  options.argv = {"/no/such/path"};
  EXPECT_FALSE(Child::start(options).ok());
}

TEST(Child, ProgramsAreNeverFoundInTheWorkingDirectory) {
  EXPECT_FALSE(find_program("sh", "::.:bin").has_value());
  EXPECT_EQ(find_program("sh", "/nowhere:/bin"), "/bin/sh");
  EXPECT_EQ(find_program("/x/y", ""), "/x/y");
}

TEST(Process, IsNamedByPidAndStartTime) {
  const std::string started = process_start_time(::getpid());
  EXPECT_FALSE(started.empty());
  EXPECT_EQ(process_alive(::getpid(), started), true);
  EXPECT_EQ(process_alive(::getpid(), "1"), false);
  EXPECT_EQ(process_alive(::getpid(), ""), std::nullopt);
  EXPECT_EQ(parent_of(::getpid()), ::getppid());
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::_exit(0);
  }
  // A zombie has a start time, and is no process that could hold anything.
  ASSERT_TRUE(wait_until([&] { return process_alive(pid, process_start_time(pid)) == false; }));
  ::waitpid(pid, nullptr, 0);
  EXPECT_EQ(process_alive(pid, started), false);
}

}  // namespace
}  // namespace robot_council::base
