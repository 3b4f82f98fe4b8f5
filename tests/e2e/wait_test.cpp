// `robot-council wait` and `wait --hook` with real processes. Numbers: acceptance of the wake
// contract.

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/json_scan.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "tests/e2e/hook_fixture.hpp"

namespace robot_council::test {
namespace {

using base::Milliseconds;

constexpr int kHandedOver = 10;
constexpr int kEnds = static_cast<int>(kInTime.count());

std::string prompt_payload(const std::string& prompt, const std::string& turn = "p1",
                           const std::string& session = "s1") {
  return "{\"session_id\":\"" + session + "\",\"cwd\":\"/\",\"prompt_id\":\"" + turn +
         "\",\"hook_event_name\":\"UserPromptSubmit\",\"prompt\":" + base::quote_json(prompt) + "}";
}

std::string start_payload(const std::string& source, const std::string& session = "s1") {
  return "{\"session_id\":\"" + session +
         "\",\"cwd\":\"/\",\"hook_event_name\":\"SessionStart\",\"source\":\"" + source + "\"}";
}

std::string stop_payload(const std::string& turn, bool continuation,
                         const std::string& session = "s1") {
  return claude_stop({{"session_id", "\"" + session + "\""},
                      {"prompt_id", "\"" + turn + "\""},
                      {"stop_hook_active", continuation ? "true" : "false"}});
}

// The agent client: a process that lives as long as the test wants it to.
class FakeClient {
 public:
  FakeClient() {
    base::ChildOptions options;
    options.argv = {"/bin/sleep", "600"};
    base::Result<base::Child> child = base::Child::start(options);
    EXPECT_TRUE(child.ok());
    child_ = std::make_unique<base::Child>(std::move(*child));
  }
  [[nodiscard]] std::string pid() const { return std::to_string(child_->pid()); }
  void kill() { child_.reset(); }

 private:
  std::unique_ptr<base::Child> child_;
};

class Waiting : public testing::Test {
 protected:
  [[nodiscard]] Values session_environment(const std::string& session = "s1",
                                           const Values& more = {}) const {
    Values values = {{"CLAUDE_CODE_SESSION_ID", session},
                     {"CLAUDE_CODE_SESSION_ATTENDED", "1"},
                     {"CLAUDE_PID", client_.pid()}};
    for (const auto& [name, value] : more) {
      values[name] = value;
    }
    return values;
  }
  // A waiter, as the client starts it; returns when it has taken over.
  [[nodiscard]] base::Child wait_hook(const std::string& payload, const Values& more = {},
                                      const std::string& session = "s1") {
    const std::string before =
        base::exists(seat_.files().wait()) ? read_text(seat_.files().wait()) : "";
    base::Child child = seat_.start({program("robot-council"), "wait", "--hook"},
                                    session_environment(session, more));
    EXPECT_TRUE(base::write_all(child.standard_in.get(), payload, test::in_time()).ok());
    const std::string pid = "\"pid\":" + std::to_string(child.pid()) + ",";
    EXPECT_TRUE(wait_until([&] {
      return base::exists(seat_.files().wait()) &&
             read_text(seat_.files().wait()).find(pid) != std::string::npos;
    })) << "it did not take over; before: "
        << before;
    return child;
  }
  // Its exit code within the time, -1 if it still runs.
  static int exit_of(base::Child& child, int within_ms) {
    const base::Result<base::ExitStatus> ended =
        child.wait(base::deadline_in(Milliseconds(within_ms)));
    return ended.ok() ? ended->code : -1;
  }
  // A program that reads its signals has blocked them; before that one would end it.
  static bool comes_to_block(base::Child& child, int signal_number) {
    const std::string path = "/proc/" + std::to_string(child.pid()) + "/status";
    const auto blocked = [&] {
      const std::string status = base::read_file(path, 1U << 16U).value_or("");
      const std::size_t at = status.find("SigBlk:");
      return at != std::string::npos && ((std::stoull(status.substr(at + 7), nullptr, 16) >>
                                          static_cast<unsigned>(signal_number - 1)) &
                                         1U) != 0;
    };
    return test::wait_until(blocked);
  }
  static std::string stderr_of(const base::Child& child) {
    return base::read_all(child.standard_err.get(), 1U << 20U, test::in_time()).value_or("unread");
  }
  static std::string stdout_of(const base::Child& child) {
    return base::read_all(child.standard_out.get(), 1U << 20U, test::in_time()).value_or("unread");
  }

  HookSeat seat_;
  FakeClient client_;
};

// ---- wait for people

TEST_F(Waiting, ForPeopleQuietSeatEndsAtTheTimeout) {  // 16
  const base::SteadyTime begin = base::deadline_in(Milliseconds(0));
  const Ran ran = seat_.command({"wait", "--timeout", "1"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "");
  EXPECT_GE(base::deadline_in(Milliseconds(0)) - begin, Milliseconds(950));
  EXPECT_FALSE(base::exists(seat_.files().folder));
}

TEST_F(Waiting, ForPeopleWaitingEntryEndsAtOnce) {  // 16
  seat_.store_directive();
  const Ran ran = seat_.command({"wait", "--timeout=60"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(seat_.waiting(), 1U);
}

TEST_F(Waiting, ForPeopleEntryThatComesLater) {
  base::Child child = seat_.start({program("robot-council"), "wait", "--timeout=20"});
  EXPECT_EQ(exit_of(child, 300), -1);
  seat_.store_directive();
  EXPECT_EQ(exit_of(child, kEnds), 0);
}

TEST_F(Waiting, ForPeopleUnreadableMisconfiguredInterrupted) {  // 16
  seat_.store_directive();
  write_text(seat_.files().database(), "this is a text file, and no database at all");
  const Ran ran = seat_.command({"wait", "--timeout=5"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_TRUE(ran.err.starts_with("robot-council: The sink `")) << ran.err;
  EXPECT_EQ(seat_.command({"wait", "--timeout=x"}).code, 1);
  EXPECT_EQ(seat_.command({"wait", "--nonsense"}).code, 1);
  EXPECT_EQ(seat_.command({"wait"}, {{"ROBOT_COUNCIL_SERVICE", ""}}).code, 1);
  HookSeat quiet;
  base::Child child = quiet.start({program("robot-council"), "wait"});
  ASSERT_TRUE(comes_to_block(child, SIGINT)) << stderr_of(child);
  child.send_signal(SIGINT);
  EXPECT_EQ(exit_of(child, kEnds), 130);
}

// ---- wait --hook

TEST_F(Waiting, IdleSessionIsWokenAndItsPromptConfirms) {  // 1
  seat_.bridge();
  base::Child waiter = wait_hook(start_payload("startup"));
  const base::SteadyTime begin = base::deadline_in(Milliseconds(0));
  const std::string line = seat_.store_directive();
  EXPECT_EQ(exit_of(waiter, kEnds), kHandedOver);
  // A second for the programs that people have; those of a checking build take their time.
  const bool as_installed = std::getenv("RC_PROGRAMS") != nullptr;
  EXPECT_LT(base::deadline_in(Milliseconds(0)) - begin,
            as_installed ? allowed(Milliseconds(1000)) : kInTime);
  EXPECT_EQ(stderr_of(waiter), news({line}));
  EXPECT_EQ(stdout_of(waiter), "");
  ASSERT_EQ(seat_.rows().size(), 1U);
  EXPECT_EQ(seat_.rows().front().state, sink::RowState::written);
  EXPECT_EQ(seat_.rows().front().proof, sink::Proof::wake);
  // The client hands the text to the model in a prompt of its own.
  base::Child next = wait_hook(
      prompt_payload("<task-notification>\n" + news({line}) + "\n</task-notification>", "p2"));
  EXPECT_TRUE(wait_until([&] { return seat_.history().size() == 1; }));
  EXPECT_EQ(seat_.history().front().why, "confirmed");
  EXPECT_EQ(seat_.hook(stop_payload("p2", true)).out, "");
}

TEST_F(Waiting, DirectiveDuringATurnIsHandedOverTheRestWaits) {  // 2
  seat_.bridge();
  base::Child waiter = wait_hook(prompt_payload("go"));
  const std::string stale = seat_.store_event("session.stale", "somebody is quiet");
  EXPECT_EQ(exit_of(waiter, 1200), -1) << "not urgent";
  const std::string line = seat_.store_directive();
  EXPECT_EQ(exit_of(waiter, kEnds), kHandedOver);
  EXPECT_EQ(stderr_of(waiter), news({line}));
  base::Child next = wait_hook(prompt_payload("<task-notification>" + news({line}), "p1"));
  EXPECT_TRUE(wait_until([&] { return seat_.history().size() == 1; }));
  EXPECT_EQ(seat_.hook(stop_payload("p1", false)).out, block_answer({stale}));
}

TEST_F(Waiting, HandedOverDuringTheLastAnswerIsNotRepeated) {  // 2
  seat_.bridge();
  base::Child waiter = wait_hook(prompt_payload("go"));
  const std::string line = seat_.store_directive();
  ASSERT_EQ(exit_of(waiter, kEnds), kHandedOver);
  // That turn ends before the client takes the text in; then a prompt of a new turn carries it.
  EXPECT_EQ(seat_.hook(stop_payload("p1", false)).out, "");
  base::Child next = wait_hook(prompt_payload("<task-notification>" + news({line}), "p2"));
  EXPECT_TRUE(wait_until([&] { return seat_.history().size() == 1; }));
  EXPECT_EQ(seat_.hook(stop_payload("p2", true)).out, "");
}

TEST_F(Waiting, MidturnNoneAndAll) {  // 3
  seat_.bridge();
  base::Child none = wait_hook(prompt_payload("go"), {{"ROBOT_COUNCIL_MIDTURN", "none"}});
  const std::string line = seat_.store_directive();
  EXPECT_EQ(exit_of(none, 1200), -1);
  const std::string stale = seat_.store_event("session.stale", "quiet");
  base::Child all = wait_hook(prompt_payload("go"), {{"ROBOT_COUNCIL_MIDTURN", "all"}});
  EXPECT_EQ(exit_of(none, kEnds), 0) << "replaced";
  EXPECT_EQ(exit_of(all, kEnds), kHandedOver);
  EXPECT_EQ(stderr_of(all), news({line, stale}));
}

TEST_F(Waiting, TurnEndWithRowsWaitingIsTheDeliveringHooks) {  // 4
  seat_.bridge();
  base::Child waiter = wait_hook(prompt_payload("go"));
  const std::string line = seat_.store_event("session.stale", "quiet");
  EXPECT_EQ(seat_.hook(stop_payload("p1", false)).out, block_answer({line}));
  EXPECT_EQ(exit_of(waiter, 2500), -1);
  EXPECT_EQ(seat_.hook(stop_payload("p1", true)).out, "");
  const std::string later = seat_.store_event("session.stale", "while idle");
  EXPECT_EQ(exit_of(waiter, kEnds), kHandedOver) << "two seconds after the quiet turn end";
  EXPECT_EQ(stderr_of(waiter), news({later}));
}

TEST_F(Waiting,
       LoopGuardHoldsTheWaiterForAMinute) {  // 4: the minute itself is tested in wake_rule_test.cpp
  seat_.bridge();
  base::Child waiter = wait_hook(prompt_payload("go"));
  seat_.store_event("session.stale", "one");
  EXPECT_NE(seat_.hook(stop_payload("p1", false)).out, "");
  seat_.store_event("session.stale", "two");
  EXPECT_EQ(seat_.hook(stop_payload("p1", true)).out, "");
  EXPECT_EQ(seat_.record_answer(), "loop guard");
  EXPECT_EQ(exit_of(waiter, 3000), -1);
  // The same turn end a minute ago: a waiter hands over.
  const std::string now = read_text(seat_.files().hook());
  const std::int64_t old_ms = base::SystemClock().wall_ms() - 60000;
  const std::string at(base::json_member(now, "at"));
  const std::string idle(base::json_member(base::json_member(now, "idle"), "s1"));
  write_text(seat_.files().hook(),
             base::replace_all(base::replace_all(now, at, "\"" + base::iso_zulu(old_ms) + "\""),
                               idle, std::to_string(old_ms)));
  base::Child next = wait_hook(start_payload("clear"));
  EXPECT_EQ(exit_of(next, kEnds), kHandedOver);
}

TEST_F(Waiting, TenPromptsLeaveOneWaiter) {  // 6
  seat_.bridge();
  std::vector<base::Child> waiters;
  for (int i = 0; i < 10; ++i) {
    waiters.push_back(wait_hook(prompt_payload("prompt", "p" + std::to_string(i))));
  }
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(exit_of(waiters[i], kEnds), 0) << i;
  }
  EXPECT_EQ(exit_of(waiters[9], 300), -1);
}

TEST_F(Waiting, ClearGivesTheNewSessionItsWaiter) {  // 6
  seat_.bridge();
  base::Child older = wait_hook(prompt_payload("go", "p1", "s1"), {}, "s1");
  base::Child newer = wait_hook(start_payload("clear", "s2"), {}, "s2");
  EXPECT_EQ(exit_of(older, kEnds), 0);
  seat_.store_directive();
  EXPECT_EQ(exit_of(newer, kEnds), kHandedOver);
  EXPECT_EQ(seat_.rows().front().to_session, "s2");
}

TEST_F(Waiting, TwoClientsOfASeatHaveAWaiterEach) {  // 6
  seat_.bridge();
  const FakeClient other;
  base::Child first = wait_hook(start_payload("startup", "s1"), {}, "s1");
  base::Child second =
      wait_hook(start_payload("startup", "s2"), {{"CLAUDE_PID", other.pid()}}, "s2");
  EXPECT_EQ(exit_of(first, 500), -1);
  seat_.store_directive();
  EXPECT_TRUE(wait_until([&] { return seat_.rows().front().state == sink::RowState::written; }));
  int first_code = -1;
  int second_code = -1;
  EXPECT_TRUE(wait_until([&] {
    first_code = exit_of(first, 1);
    second_code = exit_of(second, 1);
    return first_code != -1 || second_code != -1;
  }));
  EXPECT_EQ(std::max(first_code, second_code), kHandedOver);
  EXPECT_EQ(exit_of(first_code == -1 ? first : second, 500), -1) << "the other waits on";
}

TEST_F(Waiting, GoneClientEndsTheWaiter) {  // 7
  seat_.store_directive();
  base::Child waiter = wait_hook(start_payload("startup"));
  client_.kill();
  EXPECT_EQ(exit_of(waiter, kEnds), 0);
  EXPECT_EQ(seat_.waiting(), 1U);
}

TEST_F(Waiting, SignalsEndTheWaiterAtOnce) {  // 7
  seat_.bridge();
  for (const int number : {SIGTERM, SIGHUP}) {
    base::Child waiter = wait_hook(start_payload("startup"));
    waiter.send_signal(number);
    EXPECT_EQ(exit_of(waiter, kEnds), 0) << "it would wait for ten minutes";
  }
}

TEST_F(Waiting, HeadlessSessionsAndForeignPayloadsEndAtOnce) {  // 8
  seat_.store_directive();
  const auto code = [&](const std::string& payload, Values more) {
    const std::vector<std::string> argv = {program("robot-council"), "wait", "--hook"};
    Values values = seat_.environment(session_environment());
    for (const auto& [name, value] : more) {
      values[name] = value;
    }
    const Ran ran = run(argv, values, payload, seat_.folder(), Milliseconds(5000));
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.err, "");
    return ran.code;
  };
  const std::string good = start_payload("startup");
  EXPECT_EQ(code(good, {{"CLAUDE_CODE_SESSION_ATTENDED", "0"}}), 0);
  EXPECT_EQ(code(good, {{"CLAUDE_CODE_SESSION_ATTENDED", ""}}), 0);
  EXPECT_EQ(code(good, {{"CLAUDE_PID", ""}}), 0);
  EXPECT_EQ(code(good, {{"CLAUDE_PID", "999999999"}}), 0);
  EXPECT_EQ(code(good, {{"CLAUDE_CODE_SESSION_ID", "other"}}), 0);
  EXPECT_EQ(code(good, {{"ROBOT_COUNCIL_HARNESS", "codex"}}), 0);
  EXPECT_EQ(code(good, {{"ROBOT_COUNCIL_SERVICE", ""}}), 0);
  EXPECT_EQ(code(stop_payload("p1", false), {}), 0);
  EXPECT_EQ(code("words", {}), 0);
  EXPECT_EQ(code(R"({"hook_event_name":"SessionStart","session_id":"s1","agent_id":"a"})", {}), 0);
  EXPECT_EQ(code(R"({"hook_event_name":"SessionStart","session_id":"s1","turn_id":"t"})", {}), 0);
  EXPECT_EQ(seat_.waiting(), 1U);
  const base::SteadyTime begin = base::deadline_in(Milliseconds(0));
  EXPECT_EQ(code(good, {{"CLAUDE_CODE_SESSION_ATTENDED", "0"}}), 0);
  EXPECT_LT(base::deadline_in(Milliseconds(0)) - begin, test::allowed(Milliseconds(2000)))
      << "20 ms on an idle machine; a waiter that begins would hold it";
}

TEST_F(Waiting, BrakeHoldsAndItsEndHandsOver) {  // 9
  seat_.bridge();
  const std::string stops = seat_.home() + "/.robot-council/stops";
  write_text(
      stops + "/_everywhere.json",
      R"({"version":1,"scope":"all","reason":"r","who":"","when":"2026-11-30T05:40:12Z","repo":""})");
  ASSERT_EQ(chmod((seat_.home() + "/.robot-council").c_str(), 0700), 0);
  ASSERT_EQ(chmod(stops.c_str(), 0700), 0);
  base::Child waiter = wait_hook(start_payload("startup"));
  const std::string line = seat_.store_directive();
  EXPECT_EQ(exit_of(waiter, 900), -1);
  EXPECT_EQ(seat_.waiting(), 1U);
  ASSERT_TRUE(base::remove_file(stops + "/_everywhere.json").ok());
  EXPECT_EQ(exit_of(waiter, kEnds), kHandedOver);
  EXPECT_EQ(stderr_of(waiter), news({line}));
}

TEST_F(Waiting, StderrWithoutAReaderKeepsTheRows) {  // 10
  seat_.store_directive();
  base::Child gone = wait_hook(start_payload("clear"), {{"ROBOT_COUNCIL_MIDTURN", "urgent"}});
  gone.standard_err.reset();
  EXPECT_EQ(exit_of(gone, kEnds), 0);
  EXPECT_EQ(seat_.waiting(), 1U);
  const Ran closed = run({"/bin/sh", "-c", program("robot-council") + " wait --hook 2>&-"},
                         seat_.environment(session_environment()), start_payload("clear"),
                         seat_.folder(), Milliseconds(5000));
  EXPECT_EQ(closed.code, 0);
  EXPECT_EQ(seat_.waiting(), 1U);
}

TEST_F(Waiting, ScriptMakesTwoOfTen) {  // 10 and section 2
  seat_.bridge();
  base::Child script =
      seat_.start({source_file("resources/stop-hook/robot-council-stop-hook"), "--wait"},
                  session_environment("s1", {{"ROBOT_COUNCIL_BIN", program("robot-council")}}));
  ASSERT_TRUE(
      base::write_all(script.standard_in.get(), start_payload("startup"), test::in_time()).ok());
  ASSERT_TRUE(wait_until([&] { return base::exists(seat_.files().wait()); }));
  const std::string line = seat_.store_directive();
  EXPECT_EQ(exit_of(script, kEnds), 2);
  EXPECT_EQ(stderr_of(script), news({line}));
  EXPECT_EQ(stdout_of(script), "");
}

TEST_F(Waiting, BurstIsOneHandOver) {  // 12
  seat_.bridge();
  base::Child waiter = wait_hook(start_payload("startup"));
  std::vector<std::string> lines;
  for (int i = 0; i < 20; ++i) {
    lines.push_back(seat_.store_directive("event " + std::to_string(i)));
  }
  EXPECT_EQ(exit_of(waiter, kEnds), kHandedOver);
  EXPECT_EQ(stderr_of(waiter), news(lines));
}

TEST_F(Waiting, OverTheBudgetTheRestFollows) {  // 12
  seat_.bridge();
  base::Child waiter = wait_hook(start_payload("startup"));
  for (int i = 0; i < 12; ++i) {
    seat_.store_directive(std::to_string(i) + std::string(1500, 'x'));
  }
  EXPECT_EQ(exit_of(waiter, kEnds), kHandedOver);
  const std::string text = stderr_of(waiter);
  EXPECT_NE(text.find(" more are waiting; they follow at the next turn end."), std::string::npos);
  EXPECT_GT(seat_.waiting(), 0U);
  base::Child next = wait_hook(start_payload("clear"));
  EXPECT_EQ(exit_of(next, kEnds), kHandedOver);
}

TEST_F(Waiting, SeventhWakeInTenMinutesWaits) {  // 13
  seat_.bridge();
  const std::int64_t now_ms = base::SystemClock().wall_ms();
  std::string earlier;  // hand-overs to this client in the last minutes
  for (int i = 0; i < 5; ++i) {
    earlier += std::to_string(now_ms - 300000 + i) + ",";
  }
  base::Child first = wait_hook(start_payload("clear"));
  write_text(seat_.files().wait(), base::replace_all(read_text(seat_.files().wait()), "\"wakes\":[",
                                                     "\"wakes\":[" + earlier + "1"));
  seat_.store_directive("the sixth");
  EXPECT_EQ(exit_of(first, kEnds), kHandedOver);
  seat_.store_directive("the seventh");
  base::Child waiter = wait_hook(start_payload("clear"));
  EXPECT_EQ(exit_of(waiter, 1500), -1);
  EXPECT_EQ(seat_.waiting(), 1U);
}

TEST_F(Waiting, SinkThatComesLater) {  // 14
  base::Child waiter = wait_hook(start_payload("startup"));
  EXPECT_EQ(exit_of(waiter, 300), -1);
  const std::string line = seat_.store_directive();
  EXPECT_EQ(exit_of(waiter, kEnds), kHandedOver);
  EXPECT_EQ(stderr_of(waiter), news({line}));
}

TEST_F(Waiting, FolderRemovedAndMadeAnew) {  // 14
  HookSeat& seat = seat_;
  seat.store_directive("old");
  base::Child waiter = wait_hook(start_payload("startup"));
  ASSERT_EQ(run({"/bin/rm", "-rf", seat.files().folder}, {}).code, 0);
  EXPECT_EQ(exit_of(waiter, 700), -1);
  ASSERT_TRUE(base::make_private_directory(seat.files().folder).ok());
  const std::string line =
      seat.store_directive("new");  // the bridge heals its sink: a gap entry comes first
  EXPECT_EQ(exit_of(waiter, kEnds), kHandedOver);
  EXPECT_NE(stderr_of(waiter).find(line), std::string::npos);
}

TEST_F(Waiting, DamagedSinkThatIsReplaced) {  // 14
  seat_.store_directive("old");
  base::Child waiter = wait_hook(start_payload("startup"));
  write_text(seat_.files().database(), "this is a text file, and no database at all");
  EXPECT_EQ(exit_of(waiter, 1000), -1);
  const std::string line = seat_.store_directive("new");
  EXPECT_EQ(exit_of(waiter, kEnds), kHandedOver);
  EXPECT_NE(stderr_of(waiter).find(line), std::string::npos);
}

TEST_F(Waiting, IdleWaiterWritesNothingAndSleeps) {  // 15
  seat_.store_directive("from before");
  base::Child waiter = wait_hook(start_payload("startup"));
  const std::string proc = "/proc/" + std::to_string(waiter.pid());
  const auto switches = [&] {
    const std::string status = read_text(proc + "/status");
    const std::size_t at = status.find("\nvoluntary_ctxt_switches:");
    return std::stol(status.substr(status.find(':', at) + 1));
  };
  EXPECT_EQ(exit_of(waiter, 500), -1);
  const long before = switches();
  const std::string record = read_text(seat_.files().wait());
  EXPECT_EQ(exit_of(waiter, 2500), -1);
  EXPECT_LE(switches() - before, 1) << "a wake-up every five seconds at most";
  EXPECT_EQ(read_text(seat_.files().wait()), record);
  const std::string descriptors = run({"/bin/ls", "-l", proc + "/fd"}, {}).out;
  EXPECT_EQ(descriptors.find(".db"), std::string::npos) << descriptors;
  // Asleep it holds nothing of the program's file, which is most of what it had awake.
  const std::string status = read_text(proc + "/status");
  EXPECT_LT(std::stol(status.substr(status.find("VmRSS:") + 6)), 4096);
  EXPECT_LT(std::stol(status.substr(status.find("RssAnon:") + 8)), 1024);
}

TEST_F(Waiting, ContinuationThatIsNotOurWakeObeysRounds) {  // 17
  seat_.store_directive();
  EXPECT_EQ(seat_.hook(stop_payload("p1", true)).out, "");
  EXPECT_EQ(seat_.waiting(), 1U);
}

TEST_F(Waiting, TurnOfOurWakeCountsAsNotContinued) {  // section 2.1, loop guard
  seat_.bridge();
  base::Child waiter = wait_hook(start_payload("startup"));
  const std::string line = seat_.store_directive();
  ASSERT_EQ(exit_of(waiter, kEnds), kHandedOver);
  base::Child next = wait_hook(prompt_payload("<task-notification>" + news({line}), "p2"));
  EXPECT_TRUE(wait_until([&] { return seat_.history().size() == 1; }));
  const std::string later = seat_.store_event("session.stale", "during the woken turn");
  EXPECT_EQ(seat_.hook(stop_payload("p2", true)).out, block_answer({later}));
}

TEST_F(Waiting, TextQuotedByAPersonConfirmsNothing) {  // 18
  const std::string line = seat_.store_directive();
  EXPECT_NE(seat_.hook(stop_payload("p1", false)).out, "");
  ASSERT_EQ(seat_.rows().front().state, sink::RowState::written);
  const Ran ran =
      run({program("robot-council"), "wait", "--hook"},
          seat_.environment(session_environment("s1", {{"CLAUDE_CODE_SESSION_ATTENDED", "0"}})),
          prompt_payload("what is this? " + line, "p2"), seat_.folder());
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(seat_.history().size(), 0U) << "a stop hook printed it, no wake";
}

TEST_F(Waiting, RowsFromBeforeTheStartWaitForTheFirstTurnEnd) {  // 22
  const std::string old = seat_.store_directive("old");
  for (const char* source : {"startup", "resume"}) {
    base::Child waiter = wait_hook(start_payload(source));
    EXPECT_EQ(exit_of(waiter, 1200), -1) << source;
  }
  base::Child waiter = wait_hook(start_payload("startup"));
  const std::string line = seat_.store_directive("new");
  EXPECT_EQ(exit_of(waiter, kEnds), kHandedOver);
  EXPECT_EQ(stderr_of(waiter), news({line}));
  EXPECT_EQ(seat_.hook(stop_payload("p1", false)).out, block_answer({old}));
}

TEST_F(Waiting, KilledWhileHandingOverComesAgainMarked) {  // 11
  seat_.store_directive(std::string(9000, 'x'));
  // A pipe that is full stops the waiter between its offer and its mark.
  base::Result<base::Pipe> pipe = base::Pipe::open();
  ASSERT_TRUE(pipe.ok());
  ASSERT_TRUE(base::set_nonblocking(pipe->write_end.get()).ok());
  while (base::write_all(pipe->write_end.get(), std::string(4096, 'f'),
                         base::deadline_in(Milliseconds(1)))
             .ok()) {
  }
  base::ChildOptions options;
  options.argv = {program("robot-council"), "wait", "--hook"};
  for (const auto& [name, value] : seat_.environment(session_environment())) {
    options.environment.push_back(name + "=" + value);
  }
  options.directory = seat_.folder();
  options.standard_in = base::Stdio::pipe;
  options.standard_err = base::Stdio::given;
  options.given_err = std::make_shared<const base::Fd>(std::move(pipe->write_end));
  base::Result<base::Child> child = base::Child::start(options);
  ASSERT_TRUE(child.ok());
  ASSERT_TRUE(
      base::write_all(child->standard_in.get(), start_payload("clear"), test::in_time()).ok());
  EXPECT_TRUE(wait_until([&] {
    const std::vector<sink::Entry> rows = seat_.rows();
    return !rows.empty() && rows.front().state == sink::RowState::offered;
  }));
  child->send_signal(SIGKILL);
  EXPECT_EQ(child->wait(test::in_time())->signal, SIGKILL);
  base::Child next = wait_hook(start_payload("clear"));
  EXPECT_EQ(exit_of(next, kEnds), kHandedOver);
  EXPECT_TRUE(stderr_of(next).starts_with("Robot Council has news:\n[repeat] [directive] x"));
}

}  // namespace
}  // namespace robot_council::test
