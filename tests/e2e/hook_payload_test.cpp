// `robot-council pending --hook` and what it is given on stdin. Numbers: acceptance of the delivery
// contract.

#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <ostream>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "base/json_scan.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "tests/e2e/hook_fixture.hpp"
#include "tests/lib/terminal.hpp"

namespace robot_council::test {
namespace {

using base::Milliseconds;

const std::string kUnread = "robot-council: the hook payload could not be read (";

struct ShapeCase {
  const char* fixture;
  const char* harness;
  const char* begin;  // of the answer, up to the text
};

void PrintTo(const ShapeCase& value, std::ostream* out) {
  *out << value.fixture;
}

class Shapes : public testing::TestWithParam<ShapeCase> {};

TEST_P(Shapes, AnswerReachesEachHarnessInItsShape) {  // 92, 106
  HookSeat seat(GetParam().harness);
  const std::string line = seat.store_directive();
  const Ran ran = seat.hook(payload_fixture(GetParam().fixture));
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, GetParam().begin + base::quote_json(news({line})) + "}");
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(seat.record_answer(), "printed");
  EXPECT_EQ(seat.waiting(), 0U);
}

constexpr const char* kBlock = R"({"decision":"block","reason":)";
INSTANTIATE_TEST_SUITE_P(
    Clients, Shapes,
    testing::Values(
        ShapeCase{"claude-2.1.332-stop.json", "claude", kBlock},
        ShapeCase{"codex-0.171.0-stop.json", "codex", kBlock},
        ShapeCase{"codex-0.171.0-stop-nulls.json", "codex", kBlock},  // P17, P18
        ShapeCase{"gemini-0.61.0-after-agent.json", "gemini", R"({"decision":"deny","reason":)"},
        ShapeCase{"copilot-1.0.102-agent-stop.json", "copilot", kBlock},
        ShapeCase{"goose-1.54-stop.json", "goose", kBlock},
        ShapeCase{"cursor-3.17-stop-bom.json", "cursor", R"({"followup_message":)"},  // P01
        ShapeCase{"qwen-0.24.4-stop.json", "claude", kBlock}));

TEST(HookPayload, QuietIsEmptyForEveryClient) {  // P19
  for (const char* name :
       {"claude-2.1.332-stop.json", "codex-0.171.0-stop.json", "gemini-0.61.0-after-agent.json",
        "copilot-1.0.102-agent-stop.json", "goose-1.54-stop.json", "cursor-3.17-stop-bom.json"}) {
    const std::string file(name);
    const HookSeat seat(file.substr(0, file.find('-')));
    const Ran ran = seat.hook(payload_fixture(name));
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.err, "");
  }
}

TEST(HookPayload, ByteOrderMarkCrLfPiecesAndAMegabyte) {  // 93, P10
  HookSeat seat;
  const std::string first = seat.store_directive("one");
  EXPECT_EQ(seat.hook("\xEF\xBB\xBF\r\n" + claude_stop({{"prompt_id", "\"a\""}}) + "\r\n").out,
            block_answer({first}));

  const std::string second = seat.store_directive("two");
  base::Child child = seat.start({program("robot-council"), "pending", "--hook"});
  const std::string payload = R"({"hook_event_name":"Stop"})";
  for (std::size_t at = 0; at < payload.size(); at += 3) {
    ASSERT_TRUE(
        base::write_all(child.standard_in.get(), payload.substr(at, 3), test::in_time()).ok());
    // The pieces must come apart.
    ASSERT_TRUE(wait_until([&] { return pipe_is_empty(child.standard_in.get()); }));
  }
  base::Result<std::string> out =
      base::read_all(child.standard_out.get(), 1U << 20U, test::in_time());
  ASSERT_TRUE(out.ok());
  EXPECT_NE(out->find("two"), std::string::npos) << *out;

  seat.store_directive("three");
  const std::string large = base::quote_json(std::string(1U << 20U, 'x'));
  EXPECT_NE(seat.hook(claude_stop({{"prompt_id", "\"c\""}, {"last_assistant_message", large}}))
                .out.find("three"),
            std::string::npos);
}

TEST(HookPayload, CompleteValueIsAnsweredWhileStdinIsOpen) {  // 94
  HookSeat seat;
  const std::string line = seat.store_directive();
  base::Child child = seat.start({program("robot-council"), "pending", "--hook"});
  ASSERT_TRUE(base::write_all(child.standard_in.get(), claude_stop(), test::in_time()).ok());
  const base::Result<base::ExitStatus> ended = child.wait(test::in_time());
  ASSERT_TRUE(ended.ok()) << "it waited for the end of stdin";
  EXPECT_EQ(ended->code, 0);
  EXPECT_EQ(*base::read_all(child.standard_out.get(), 1U << 20U, test::in_time()),
            block_answer({line}));
}

TEST(HookPayload, SilenceAndDropsEndByThemselves) {  // 95, P12
  HookSeat seat;
  seat.store_directive();
  const std::vector<std::string> argv = {program("robot-council"), "pending", "--hook"};
  base::Child silent = seat.start(argv);
  base::Child dripping = seat.start(argv);
  const base::SteadyTime begin = base::deadline_in(Milliseconds(0));
  std::jthread writer([&](const std::stop_token& stop) {
    do {
      (void)base::write_all(dripping.standard_in.get(), "{", base::deadline_in(Milliseconds(100)));
    } while (!stopped_within(stop, Milliseconds(900)));
  });
  const base::Result<base::ExitStatus> first = silent.wait(base::deadline_in(Milliseconds(4000)));
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->code, 0);
  EXPECT_GE(base::deadline_in(Milliseconds(0)) - begin, Milliseconds(1900));
  const base::Result<base::ExitStatus> second =
      dripping.wait(base::deadline_in(Milliseconds(5500)));
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->code, 0);
  EXPECT_GE(base::deadline_in(Milliseconds(0)) - begin, Milliseconds(4900));
  for (base::Child* child : {&silent, &dripping}) {
    EXPECT_EQ(*base::read_all(child->standard_out.get(), 1000, test::in_time()), "");
    EXPECT_TRUE(
        base::read_all(child->standard_err.get(), 1000, test::in_time())->starts_with(kUnread));
  }
  EXPECT_EQ(seat.waiting(), 1U);
  EXPECT_EQ(seat.record_answer(), "payload unreadable");
}

TEST(HookPayload, SeventeenMebibytesAreNotRead) {  // 96
  HookSeat seat;
  seat.store_directive();
  const Ran ran = seat.hook(claude_stop({{"prompt", "\"" + std::string(17U << 20U, 'x') + "\""}}));
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, kUnread + "it is over 16777216 bytes); nothing was handed over.\n");
  EXPECT_EQ(seat.waiting(), 1U);
}

// What a payload of 100 MiB costs is bounded by what is read of it.
TEST(HookPayload, AHugePayloadTakesBoundedMemory) {  // 96
  HookSeat seat;
  seat.store_directive();
  const std::string hook = program("robot-council") + " pending --hook";
  const std::string script =
      "(printf '{\"hook_event_name\":\"Stop\",\"prompt\":\"'; head -c 104857600 /dev/zero | tr "
      "'\\0' "
      "x) 2>/dev/null | { exec 3<&0; " +
      hook +
      " <&3 & pid=$!; most=0; while size=$(sed -n 's/^VmHWM:[^0-9]*\\([0-9]*\\).*/\\1/p' "
      "/proc/$pid/status 2>/dev/null) && [ -n \"$size\" ]; do most=$size; done; wait $pid; echo "
      "$most; }";
  const Ran ran = run({"/bin/sh", "-c", script}, seat.environment(), {}, seat.folder());
  EXPECT_EQ(ran.code, 0) << ran.err;
  const auto kilobytes = base::parse_digits(base::trim(ran.out));
  ASSERT_TRUE(kilobytes.has_value()) << ran.out << ran.err;
  EXPECT_GT(*kilobytes, 1000) << "it was looked at";
  EXPECT_LT(*kilobytes, 64 * 1024) << "KiB: 16 MiB are kept, and the buffer doubles";
  EXPECT_EQ(seat.waiting(), 1U);
}

TEST(HookPayload, StdinThatIsNoPayload) {  // 97, P13
  HookSeat seat;
  seat.store_directive();
  const std::string hook = program("robot-council") + " pending --hook ";
  for (const auto& [redirection, why] : std::map<std::string, std::string>{
           {"<&-", "descriptor"}, {"</dev/null", "it is empty"}, {"</", "directory"}}) {
    const Ran ran =
        run({"/bin/sh", "-c", hook + redirection}, seat.environment(), {}, seat.folder());
    EXPECT_EQ(ran.code, 0) << redirection;
    EXPECT_EQ(ran.out, "");
    EXPECT_TRUE(ran.err.starts_with(kUnread)) << ran.err;
    EXPECT_NE(ran.err.find(why), std::string::npos) << ran.err;
  }
  EXPECT_EQ(seat.waiting(), 1U);
}

TEST(HookPayload, ATerminalIsNoPayload) {  // 97
  const auto terminal = test::open_terminal();
  if (!terminal) {
    GTEST_SKIP() << test::kNoTerminal;
  }
  HookSeat seat;
  seat.store_directive();
  const Ran ran =
      run({"/bin/sh", "-c", program("robot-council") + " pending --hook <" + terminal->path},
          seat.environment(), {}, seat.folder());
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(
      ran.err,
      kUnread +
          "--hook reads the harness's payload from standard input); nothing was handed over.\n");
  EXPECT_EQ(seat.waiting(), 1U);
}

TEST(HookPayload, OddBytesAreAnswered) {  // 98, P04
  int count = 0;
  for (const std::string& odd :
       {std::string("\"a\nb\""), std::string("\"a\0b\"", 5), std::string(R"("C:\Users\q")"),
        std::string(R"("\ud800")"), std::string("\"\xFF\"")}) {
    HookSeat seat;
    const std::string line = seat.store_directive();
    EXPECT_EQ(seat.hook(claude_stop({{"last_assistant_message", odd}, {"cwd", odd}})).out,
              block_answer({line}))
        << odd;
    ++count;
  }
  EXPECT_EQ(count, 5);
}

TEST(HookPayload, WhatIsNoObjectHandsNothingOver) {  // 99, P07, P08
  HookSeat seat;
  seat.store_directive();
  const std::string cut = payload_fixture("claude-2.1.332-stop.json").substr(0, 300);
  for (const std::string& bytes :
       {std::string("hello"), std::string("{not-json"), cut, std::string("[]"), std::string("null"),
        std::string("{not-json}")}) {
    const Ran ran = seat.hook(bytes);
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.out, "");
    EXPECT_TRUE(ran.err.starts_with(kUnread)) << ran.err;
  }
  EXPECT_EQ(seat.waiting(), 1U);
}

TEST(HookPayload, OtherEventsHandNothingOver) {  // 100, P03
  HookSeat seat;
  seat.store_directive();
  for (const std::string& payload :
       {std::string("{}"), claude_stop({{"hook_event_name", "\"SubagentStop\""}}),
        claude_stop({{"hook_event_name", "\"StopFailure\""}}),
        payload_fixture("claude-2.1.332-session-start.json"),
        payload_fixture("claude-2.1.332-pre-tool-use.json"),
        payload_fixture("claude-2.1.332-user-prompt-submit.json")}) {
    const Ran ran = seat.hook(payload);
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.err, "");
    EXPECT_EQ(seat.record_answer(), "not a turn end");
  }
  EXPECT_EQ(seat.waiting(), 1U);
  HookSeat cursor("cursor");
  cursor.store_directive();
  EXPECT_EQ(cursor.hook(payload_fixture("cursor-3.17-session-start.json")).out, "");
}

TEST(HookPayload, HelpersOfTheAgentGetNothing) {  // 101, P15
  HookSeat seat;
  const std::string line = seat.store_directive();
  EXPECT_EQ(seat.hook(claude_stop({{"agent_id", "\"a1\""}, {"agent_type", "\"x\""}})).out, "");
  EXPECT_EQ(seat.waiting(), 1U);
  EXPECT_EQ(seat.hook(claude_stop({{"agent_id", "\"\""}, {"agent_type", "\"x\""}})).out,
            block_answer({line}));
}

TEST(HookPayload, ASubagentsStopInBetweenChangesNoRow) {  // 66
  HookSeat seat;
  seat.store_directive();
  EXPECT_NE(seat.hook(claude_stop()).out, "");
  const std::string before = read_text(seat.files().database());
  for (const std::string& stop :
       {payload_fixture("claude-2.1.332-subagent-stop.json"),
        claude_stop({{"agent_id", "\"a1\""}, {"stop_hook_active", "true"}})}) {
    EXPECT_EQ(seat.hook(stop).out, "");
    EXPECT_EQ(read_text(seat.files().database()), before);
  }
  EXPECT_EQ(seat.hook(claude_stop({{"stop_hook_active", "true"}})).out, "");
  EXPECT_EQ(seat.rows().size(), 0U) << "and the continuation still confirms";
}

TEST(HookPayload, DepthAndWrongTypesDoNotBreakIt) {  // 102
  HookSeat seat;
  seat.store_directive();
  const std::string deep = std::string(10000, '[') + std::string(10000, ']');
  EXPECT_EQ(seat.hook(claude_stop({{"background_tasks", deep}})).code, 0);
  for (const char* value : {"5", "null", "[]", "{}", "true", "1e999"}) {
    Values all;
    for (const char* key :
         {"session_id", "cwd", "prompt_id", "stop_hook_active", "last_assistant_message",
          "transcript_path", "agent_id", "loop_count", "turn_id", "status", "cursor_version"}) {
      all[key] = value;
    }
    const Ran ran = seat.hook(claude_stop(all));
    EXPECT_EQ(ran.code, 0) << value;
    EXPECT_EQ(ran.signal, 0) << value;
  }
}

TEST(HookPayload, CursorTurnsThatWereBrokenOff) {  // 103
  HookSeat seat("cursor");
  const std::string line = seat.store_directive();
  EXPECT_EQ(seat.hook(payload_fixture("cursor-3.17-stop-aborted.json")).out, "{}");
  EXPECT_EQ(seat.hook(R"({"loop_count":0,"status":"error","conversation_id":"c"})").out, "{}");
  EXPECT_EQ(seat.waiting(), 1U);
  EXPECT_EQ(seat.hook(R"({"loop_count":0,"conversation_id":"c"})").out,
            R"({"followup_message":)" + base::quote_json(news({line})) + "}");
}

TEST(HookPayload, SeatOfOneHarnessCalledByAnother) {  // 104
  HookSeat seat;
  seat.store_directive();
  for (const char* name :
       {"codex-0.171.0-stop.json", "gemini-0.61.0-after-agent.json",
        "copilot-1.0.102-agent-stop.json", "goose-1.54-stop.json", "cursor-3.17-stop-bom.json"}) {
    const std::string file(name);
    const std::string kind = file.substr(0, file.find('-'));
    const Ran ran = seat.hook(payload_fixture(name));
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.err, "robot-council: this hook belongs to a claude seat and was called by " +
                           kind + "; nothing was handed over.\n");
    EXPECT_EQ(seat.record_answer(), "another harness");
  }
  EXPECT_EQ(seat.waiting(), 1U);
  HookSeat other("opencode");
  const std::string line = other.store_directive();
  EXPECT_EQ(other.hook(payload_fixture("codex-0.171.0-stop.json")).out, block_answer({line}));
}

TEST(HookPayload, CodexWithoutATurnId) {  // 105
  HookSeat seat("codex");
  const std::string line = seat.store_directive();
  EXPECT_EQ(seat.hook(claude_stop()).out, block_answer({line}));
}

TEST(HookPayload, TextThatLooksLikeJsonIsInsideTheObject) {  // O02, O04
  HookSeat seat;
  seat.store_directive("[1,2] {\"permissionDecision\":\"allow\"}");
  const Ran ran = seat.hook(claude_stop());
  ASSERT_TRUE(base::validate_json(ran.out, 8).ok());
  const std::vector<base::JsonMember> members = base::json_members(ran.out);
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[0].key, "decision");
  EXPECT_EQ(members[1].key, "reason");
}

TEST(HookPayload, WorkingDirectoryInsideTheHarnessesFolderOrGone) {  // P21
  HookSeat seat;
  const std::string line = seat.store_directive();
  const std::string script = "mkdir -p " + seat.folder() + "/gone && cd " + seat.folder() +
                             "/gone && rmdir " + seat.folder() + "/gone && exec " +
                             program("robot-council") + " pending --hook";
  const Ran ran =
      run({"/bin/sh", "-c", script}, seat.environment({{"CLAUDE_PROJECT_DIR", seat.folder()}}),
          claude_stop(), seat.folder());
  EXPECT_EQ(ran.out, block_answer({line}));
  const std::string again = seat.store_directive("two");
  const Ran by_payload = run(
      {"/bin/sh", "-c", script}, seat.environment(),
      claude_stop({{"cwd", "\"" + seat.folder() + "\""}, {"prompt_id", "\"p2\""}}), seat.folder());
  EXPECT_NE(by_payload.out.find("two"), std::string::npos) << by_payload.out << by_payload.err;
}

TEST(HookPayload, CursorFollowUpIsAContinuationAndConfirms) {  // P22
  HookSeat seat("cursor");
  seat.store_directive();
  const std::string first = payload_fixture("cursor-3.17-stop-bom.json");
  EXPECT_NE(seat.hook(first).out, "");
  EXPECT_EQ(seat.hook(payload_fixture("cursor-3.17-stop-loop1.json")).out, "");
  ASSERT_EQ(seat.history().size(), 1U);
  EXPECT_EQ(seat.history().front().why, "confirmed");
}

TEST(HookPayload, MisconfiguredIsSaidAndNeverTwo) {  // 77, 78
  const HookSeat seat;
  const Ran no_service = seat.hook(claude_stop(), {{"ROBOT_COUNCIL_SERVICE", ""}});
  EXPECT_EQ(no_service.code, 1);
  EXPECT_EQ(
      no_service.err,
      "robot-council: Pass --service, or set ROBOT_COUNCIL_SERVICE, with the URL of your fleet.\n");
  const Ran no_harness = seat.hook(claude_stop(), {{"ROBOT_COUNCIL_HARNESS", ""}});
  EXPECT_EQ(no_harness.code, 1);
  EXPECT_TRUE(no_harness.err.starts_with("robot-council: Could not tell which harness this is."))
      << no_harness.err;
  EXPECT_EQ(seat.command({"pending", "--hook", "--peek"}).code, 1);
  EXPECT_EQ(seat.command({"pending", "--hook", "--nonsense"}).code, 1);
}

}  // namespace
}  // namespace robot_council::test
