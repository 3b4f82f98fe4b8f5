// `robot-council pending --hook`: its decisions, the loop guard, an unreadable sink, the brake.
// Numbers: acceptance of the delivery contract.

#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include <gtest/gtest.h>

#include "base/atomic_file.hpp"
#include "base/files.hpp"
#include "base/json.hpp"
#include "base/json_scan.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "tests/e2e/hook_fixture.hpp"

namespace robot_council::test {
namespace {

std::string stop(const std::string& turn, bool continuation = false,
                 const std::string& message = "done") {
  return claude_stop({{"prompt_id", base::quote_json(turn)},
                      {"stop_hook_active", continuation ? "true" : "false"},
                      {"last_assistant_message", base::quote_json(message)}});
}

std::string member(const HookSeat& seat, const char* key) {
  const std::string record = read_text(seat.files().hook());
  return std::string(base::json_member(record, key));
}

TEST(HookDecision, QuietObjectInRowsSixToEightOnly) {  // 107
  const HookSeat seat;
  const Values object = {{"ROBOT_COUNCIL_QUIET", "object"}};
  EXPECT_EQ(seat.hook(stop("p1"), object).out, "{}");
  EXPECT_EQ(seat.hook("{}", object).out, "");
  EXPECT_EQ(seat.hook("words", object).out, "");
  EXPECT_EQ(seat.hook(payload_fixture("codex-0.171.0-stop.json"), object).out, "");
  EXPECT_EQ(seat.hook(claude_stop({{"agent_id", "\"a\""}}), object).out, "");
  HookSeat full;
  const std::string line = full.store_directive();
  EXPECT_EQ(full.hook(stop("p1"), object).out, block_answer({line}));
  full.store_directive("two");
  EXPECT_EQ(full.hook(stop("p1", true), object).out, "{}");
}

TEST(HookDecision, RecordTellsEachRow) {  // 108
  HookSeat seat;
  EXPECT_EQ(seat.hook(stop("p0")).out, "");
  EXPECT_FALSE(base::exists(seat.files().folder)) << "nothing is made where no bridge ever was";
  seat.store_directive();
  (void)seat.hook("words");
  EXPECT_EQ(seat.record_answer(), "payload unreadable");
  (void)seat.hook("{}");
  EXPECT_EQ(seat.record_answer(), "not a turn end");
  (void)seat.hook(payload_fixture("codex-0.171.0-stop.json"));
  EXPECT_EQ(seat.record_answer(), "another harness");
  EXPECT_NE(seat.hook(stop("p1")).out, "");
  EXPECT_EQ(seat.record_answer(), "printed");
  EXPECT_EQ(member(seat, "printed"), "1");
  EXPECT_EQ(base::json_member(member(seat, "idle"), "s1"), "");
  seat.store_directive("two");
  EXPECT_EQ(seat.hook(stop("p1", true)).out, "");
  EXPECT_EQ(seat.record_answer(), "loop guard");
  EXPECT_NE(base::json_member(member(seat, "idle"), "s1"), "");
  EXPECT_NE(seat.hook(stop("p2")).out, "");
  EXPECT_EQ(seat.hook(stop("p2", true)).out, "");
  EXPECT_EQ(seat.record_answer(), "nothing waiting");
  EXPECT_EQ(member(seat, "printed"), "0");
  EXPECT_TRUE(base::parse_iso(base::json_unescape(member(seat, "at"))).has_value());
  EXPECT_EQ(base::file_info(seat.files().hook(), base::Links::dont)->mode, 0600U);
  write_text(seat.files().database(), "no database");
  (void)seat.hook(stop("p3", true));
  EXPECT_EQ(seat.record_answer(), "sink unreadable");
}

// The machine's stop file, as `robot-council stop --everywhere` writes it.
void brake_on(const HookSeat& seat) {
  write_text(
      seat.home() + "/.robot-council/stops/_everywhere.json",
      R"({"version":1,"scope":"all","reason":"r","who":"","when":"2026-11-30T05:40:12Z","repo":""})");
  ASSERT_EQ(chmod((seat.home() + "/.robot-council").c_str(), 0700), 0);
  ASSERT_EQ(chmod((seat.home() + "/.robot-council/stops").c_str(), 0700), 0);
}

TEST(HookDecision, BrakeKeepsEverything) {  // 166, 108
  HookSeat seat;
  const std::string line = seat.store_directive();
  brake_on(seat);
  const Ran held = seat.hook(stop("p1"));
  EXPECT_EQ(held.code, 0);
  EXPECT_EQ(held.out, "");
  EXPECT_EQ(held.err, "robot-council: stopped; 1 events kept\n");
  EXPECT_EQ(seat.record_answer(), "held by the brake");
  EXPECT_EQ(seat.hook(stop("p1"), {{"ROBOT_COUNCIL_QUIET", "object"}}).out, "{}");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"pending"},
        std::vector<std::string>{"pending", "--format=block"}}) {
    const Ran plain = seat.command(words);
    EXPECT_EQ(plain.code, 0);
    EXPECT_EQ(plain.out, "");
    EXPECT_EQ(plain.err, "robot-council: stopped; 1 events kept\n");
  }
  EXPECT_EQ(seat.command({"pending", "--peek"}).out, line + "\n");
  EXPECT_EQ(seat.command({"pending", "--history"}).code, 0);
  EXPECT_EQ(seat.waiting(), 1U);
  ASSERT_TRUE(base::remove_file(seat.home() + "/.robot-council/stops/_everywhere.json").ok());
  EXPECT_EQ(seat.hook(stop("p2")).out, block_answer({line})) << "as new, without a repeat mark";
}

TEST(HookDecision, BrakeAtTheContinuationConfirms) {  // 67
  HookSeat seat;
  seat.store_directive();
  EXPECT_NE(seat.hook(stop("p1")).out, "");
  brake_on(seat);
  EXPECT_EQ(seat.hook(stop("p1", true)).out, "");
  ASSERT_EQ(seat.history().size(), 1U);
  EXPECT_EQ(seat.history().front().why, "confirmed");
}

TEST(HookDecision, DamagedSinkIsToldOnceInTenMinutes) {  // 109, O06
  HookSeat seat;
  seat.store_directive();
  write_text(seat.files().database(), "this is a text file, and no database at all");
  EXPECT_EQ(seat.hook(stop("p1", true)).out, "") << "never in a continuation";
  const Ran told = seat.hook(stop("p2"));
  EXPECT_EQ(told.code, 0);
  const std::string text = base::json_unescape(base::json_member(told.out, "reason"));
  EXPECT_TRUE(text.starts_with(
      "Robot Council could not read the fleet events waiting for this seat, and removed none of "
      "them: The sink `" +
      seat.files().database() + "` does not parse: "))
      << told.out;
  EXPECT_EQ(base::json_member(told.out, "decision"), "\"block\"");
  const Ran again = seat.hook(stop("p3"));
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(again.out, "");
  EXPECT_TRUE(again.err.starts_with("robot-council: The sink `")) << again.err;
  std::string record = read_text(seat.files().hook());
  const std::string stamp(base::json_member(record, "told"));
  write_text(seat.files().hook(), base::replace_all(record, stamp, "\"2026-01-01T00:00:00Z\""));
  EXPECT_NE(seat.hook(stop("p4")).out, "") << "more than ten minutes later";
  record = read_text(seat.files().hook());
  write_text(seat.files().hook(),
             base::replace_all(record, std::string(base::json_member(record, "told")),
                               "\"2999-01-01T00:00:00Z\""));
  EXPECT_NE(seat.hook(stop("p5")).out, "") << "a clock that was set back";
}

TEST(HookDecision, DamagedSinkIsToldInEachShape) {  // 129
  for (const auto& [file, begin] : std::map<std::string, std::string>{
           {"claude-2.1.332-stop.json",
            R"({"decision":"block","reason":"Robot Council could not read)"},
           {"codex-0.171.0-stop.json",
            R"({"decision":"block","reason":"Robot Council could not read)"},
           {"copilot-1.0.102-agent-stop.json",
            R"({"decision":"block","reason":"Robot Council could not read)"},
           {"goose-1.54-stop.json",
            R"({"decision":"block","reason":"Robot Council could not read)"},
           {"gemini-0.61.0-after-agent.json",
            R"({"decision":"deny","reason":"Robot Council could not read)"},
           {"cursor-3.17-stop-bom.json", R"({"followup_message":"Robot Council could not read)"}}) {
    HookSeat seat(file.substr(0, file.find('-')));
    seat.store_directive();
    write_text(seat.files().database(), "this is a text file, and no database at all");
    const Ran ran = seat.script(payload_fixture(file));
    EXPECT_EQ(ran.code, 0);
    EXPECT_TRUE(ran.out.starts_with(begin)) << ran.out;
  }
}

// Runs the hook as a user whom modes bind, from copies he can reach.
class OtherUser {
 public:
  explicit OtherUser(const HookSeat& seat) : seat_(seat) {}
  [[nodiscard]] static bool possible() { return geteuid() == 0; }
  [[nodiscard]] Ran hook(const std::string& payload, const Values& more) const {
    return run({"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                program("robot-council"), "pending", "--hook"},
               seat_.environment(more), payload, "/");
  }

 private:
  const HookSeat& seat_;
};

TEST(HookDecision, ToldMarkFallsBackToTheRuntimeFolder) {  // 5.4
  if (!OtherUser::possible()) {
    GTEST_SKIP() << "needs root to become another user";
  }
  HookSeat seat;
  seat.store_directive();
  // The sink is root's: for nobody it cannot be opened, and its folder takes no file.
  for (const std::string& folder :
       {seat.home(), seat.folder(), seat.home() + "/state", seat.home() + "/state/robot-council"}) {
    ASSERT_EQ(chmod(folder.c_str(), 0755), 0);
  }
  ASSERT_EQ(chmod(seat.files().folder.c_str(), 0755), 0);
  const std::string runtime = seat.home() + "/run";
  ASSERT_EQ(mkdir(runtime.c_str(), 0700), 0);
  ASSERT_EQ(chown(runtime.c_str(), 65534, 65534), 0);
  const OtherUser nobody(seat);
  const Values names = {{"CLAUDE_PROJECT_DIR", seat.folder()}, {"HOME", "/nonexistent"}};
  const Ran told = nobody.hook(stop("p1"), names);
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_NE(told.out.find("Robot Council could not read"), std::string::npos)
      << told.out << told.err;
  EXPECT_TRUE(base::exists(runtime + "/" + seat.files().key + ".hook"));
  const Ran again = nobody.hook(stop("p2"), names);
  EXPECT_EQ(again.out, "") << again.out;
  EXPECT_NE(again.err, "");
}

TEST(HookDecision, UnreadableSinkAndNowhereToNoteIt) {  // 110
  if (!OtherUser::possible()) {
    GTEST_SKIP() << "needs root to become another user";
  }
  HookSeat seat;
  seat.store_directive();
  for (const std::string& folder :
       {seat.home(), seat.folder(), seat.home() + "/state", seat.home() + "/state/robot-council"}) {
    ASSERT_EQ(chmod(folder.c_str(), 0755), 0);
  }
  ASSERT_EQ(chmod(seat.files().folder.c_str(), 0755), 0);
  const Ran ran = OtherUser(seat).hook(stop("p1"), {{"CLAUDE_PROJECT_DIR", seat.folder()},
                                                    {"HOME", "/nonexistent"},
                                                    {"XDG_RUNTIME_DIR", "/proc"}});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err, "");
}

TEST(LoopGuardHook, ContinuationIsSilentInAnySpelling) {  // 113
  HookSeat seat;
  const std::string line = seat.store_directive();
  for (const char* spelled : {"true", " true", "\ttrue ", "\r\ntrue"}) {
    const Ran ran = seat.hook(claude_stop({{"stop_hook_active", spelled}}));
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.err, "");
  }
  EXPECT_EQ(seat.waiting(), 1U);
  EXPECT_EQ(seat.hook(stop("p2")).out, block_answer({line}));
}

TEST(LoopGuardHook, ThreeRoundsOfNewEvents) {  // 114
  HookSeat seat;
  const Values rounds = {{"ROBOT_COUNCIL_ROUNDS", "3"}};
  for (int i = 0; i < 3; ++i) {
    const std::string line = seat.store_directive("event " + std::to_string(i));
    EXPECT_EQ(seat.hook(stop("p1", i > 0, std::to_string(i)), rounds).out, block_answer({line}))
        << i;
  }
  seat.store_directive("one too many");
  EXPECT_EQ(seat.hook(stop("p1", true, "last"), rounds).out, "");
  EXPECT_EQ(seat.waiting(), 1U);
}

TEST(LoopGuardHook, RepeatAloneDoesNotContinue) {  // 115
  HookSeat seat;
  const Values rounds = {{"ROBOT_COUNCIL_ROUNDS", "3"}};
  seat.store_directive();
  EXPECT_NE(seat.hook(stop("p1"), rounds).out, "");
  // Another prompt, and no proof that the first answer was taken in: the row waits again, printed
  // once.
  EXPECT_EQ(seat.hook(stop("p2", true), rounds).out, "");
  EXPECT_EQ(seat.waiting(), 1U);
  EXPECT_NE(seat.hook(stop("p3"), rounds).out.find("[repeat] [directive]"), std::string::npos);
}

TEST(LoopGuardHook, WrongRoundsAreSaid) {  // 116
  const HookSeat seat;
  for (const char* value : {"0", "9", "x"}) {
    const Ran ran = seat.hook(stop("p1"), {{"ROBOT_COUNCIL_ROUNDS", value}});
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.err, "robot-council: ROBOT_COUNCIL_ROUNDS takes 1 to 8; using 1.\n");
  }
}

// A seat belongs to a checkout, not to the client's session: after `/clear` or `--resume` the hooks
// come with another session id while the bridge lives on, and are given what waits.
TEST(HookSession, AnotherSessionIdAfterClearIsNoUnknownSession) {  // M11
  HookSeat seat;
  const std::string first = seat.store_directive("before the clear");
  EXPECT_EQ(seat.hook(claude_stop({{"session_id", "\"a\""}, {"prompt_id", "\"p1\""}})).out,
            block_answer({first}));
  EXPECT_EQ(seat.hook(claude_stop({{"session_id", "\"a\""},
                                   {"prompt_id", "\"p1\""},
                                   {"stop_hook_active", "true"}}))
                .out,
            "");
  const std::string second = seat.store_directive("after the clear");
  const Ran ran = seat.hook(claude_stop({{"session_id", "\"b\""}, {"prompt_id", "\"p2\""}}));
  EXPECT_EQ(ran.out, block_answer({second}));
  EXPECT_EQ(ran.err, "");
}

TEST(LoopGuardHook, TwelveStopsWithTheFlagAlwaysFalse) {  // 117, 118, P14
  HookSeat seat;
  int answers = 0;
  for (int i = 0; i < 12; ++i) {
    seat.store_directive("event " + std::to_string(i));
    const Ran ran = seat.hook(stop("p" + std::to_string(i)));
    EXPECT_EQ(ran.code, 0);
    if (i == 8) {
      EXPECT_EQ(ran.out, "");
      // Nothing proves that the answers before were taken in; the newest of them comes again with
      // the new event.
      const std::size_t waiting = seat.waiting();
      EXPECT_EQ(ran.err, "robot-council: 8 answers in a row went to this session; " +
                             std::to_string(waiting) + " events follow at its next turn end.\n");
      EXPECT_EQ(seat.record_answer(), "loop guard");
    } else {
      answers += ran.out.empty() ? 0 : 1;
      EXPECT_NE(ran.out.find("event " + std::to_string(i)), std::string::npos) << i;
    }
  }
  EXPECT_EQ(answers, 11);
}

TEST(LoopGuardHook, CursorLoopsZeroToSeven) {  // 119
  const auto payload = [](int loop) {
    return R"({"conversation_id":"c","generation_id":"g)" + std::to_string(loop) +
           R"(","status":"completed","loop_count":)" + std::to_string(loop) + "}";
  };
  HookSeat seat("cursor");
  for (int loop = 0; loop < 8; ++loop) {
    seat.store_directive("event " + std::to_string(loop));
    EXPECT_NE(seat.hook(payload(loop)).out, "") << loop;
  }
  seat.store_directive("ninth");
  EXPECT_EQ(seat.hook(payload(8)).out, "");
  HookSeat once("cursor");
  once.store_directive("one");
  EXPECT_NE(once.hook(payload(0), {{"ROBOT_COUNCIL_ROUNDS", "1"}}).out, "");
  once.store_directive("two");
  EXPECT_EQ(once.hook(payload(1), {{"ROBOT_COUNCIL_ROUNDS", "1"}}).out, "");
  EXPECT_EQ(once.waiting(), 1U);
}

TEST(LoopGuardHook, SessionsOfASeatAreCountedApart) {  // 120
  HookSeat seat;
  const Values rounds = {{"ROBOT_COUNCIL_ROUNDS", "2"}};
  const auto of = [](const char* session, bool continuation, const char* message) {
    return claude_stop({{"session_id", session},
                        {"stop_hook_active", continuation ? "true" : "false"},
                        {"last_assistant_message", message}});
  };
  seat.store_directive("1");
  EXPECT_NE(seat.hook(of("\"a\"", false, "\"1\""), rounds).out, "");
  seat.store_directive("2");
  EXPECT_NE(seat.hook(of("\"a\"", true, "\"2\""), rounds).out, "");
  seat.store_directive("3");
  EXPECT_EQ(seat.hook(of("\"a\"", true, "\"3\""), rounds).out, "");
  EXPECT_NE(seat.hook(of("\"b\"", false, "\"4\""), rounds).out, "");
}

TEST(HookDecision, WiredTwiceGivesOneAnswer) {  // 65
  HookSeat seat;
  const std::string line = seat.store_directive();
  const std::string payload = stop("p1");
  EXPECT_EQ(seat.hook(payload).out, block_answer({line}));
  EXPECT_EQ(seat.hook(payload).out, "");
  EXPECT_EQ(seat.record_answer(), "printed");
  EXPECT_EQ(base::json_member(member(seat, "idle"), "s1"), "");
}

TEST(HookDecision, EveryEndOfTheHookIsZero) {  // O05
  HookSeat seat;
  seat.store_directive();
  for (const std::string& payload :
       {std::string(), std::string("words"), stop("p1"), stop("p1", true), stop("p2")}) {
    EXPECT_EQ(seat.hook(payload).code, 0);
  }
  ASSERT_TRUE(base::remove_file(seat.files().database()).ok());
  ASSERT_EQ(mkdir(seat.files().database().c_str(), 0700), 0);
  EXPECT_EQ(seat.hook(stop("p3")).code, 0);
}

}  // namespace
}  // namespace robot_council::test
