#include "harness/payload.hpp"

#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "base/json_scan.hpp"
#include "base/utf8.hpp"
#include "harness/limits.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::harness {
namespace {

Payload parsed(std::string_view bytes) {
  base::Result<Payload> payload = parse_payload(bytes);
  EXPECT_TRUE(payload.ok()) << payload.error().what;
  return payload.ok() ? *payload : Payload{};
}

Payload fixture(const std::string& name) {
  return parsed(test::read_text(test::source_file("tests/fixtures/payloads/" + name)));
}

std::string refusal(std::string_view bytes) {
  const base::Result<Payload> payload = parse_payload(bytes);
  return payload.ok() ? "accepted" : payload.error().what;
}

TEST(PayloadFixtures, ClaudeCodeStop) {
  const Payload payload = fixture("claude-2.1.332-stop.json");
  EXPECT_EQ(payload.kind, PayloadKind::claude);
  EXPECT_TRUE(payload.stop_event);
  EXPECT_FALSE(payload.continuation);
  EXPECT_TRUE(payload.tells_continuation);
  EXPECT_EQ(payload.session, "08f0c3de-5a51-4b7e-9d3f-6f1f0c7a2b11");
  EXPECT_EQ(payload.turn, "bd6b2a90-11aa-4c1e-8b1e-2f4a7d1c0e55");
  EXPECT_TRUE(payload.transcript.ends_with(".jsonl"));
  EXPECT_EQ(payload.cwd, "/work/project/sub");
  EXPECT_EQ(payload.last_message, "first answer");
  ASSERT_NE(payload.member("background_tasks"), nullptr);
  EXPECT_TRUE(base::validate_json(payload.member("background_tasks")->text, 64).ok());
  EXPECT_TRUE(fixture("claude-2.1.332-stop-continuation.json").continuation);
}

TEST(PayloadFixtures, ClaudeCodeOtherEventsAreNoTurnEnd) {
  EXPECT_FALSE(fixture("claude-2.1.332-subagent-stop.json").stop_event);
  EXPECT_EQ(fixture("claude-2.1.332-subagent-stop.json").agent_id, "a164");
  EXPECT_FALSE(fixture("claude-2.1.332-pre-tool-use.json").stop_event);
  const Payload start = fixture("claude-2.1.332-session-start.json");
  EXPECT_FALSE(start.stop_event);
  EXPECT_EQ(start.source, "startup");
  const Payload prompt = fixture("claude-2.1.332-user-prompt-submit.json");
  EXPECT_FALSE(prompt.stop_event);
  EXPECT_EQ(prompt.prompt, "go");
  EXPECT_EQ(prompt.kind, PayloadKind::claude);
}

TEST(PayloadFixtures, CodexStopWithAndWithoutNulls) {  // P17
  const Payload payload = fixture("codex-0.171.0-stop.json");
  EXPECT_EQ(payload.kind, PayloadKind::codex);
  EXPECT_TRUE(payload.stop_event);
  EXPECT_EQ(payload.turn, "01a2b3c4-0000-7000-8000-000000000002");
  const Payload nulls = fixture("codex-0.171.0-stop-nulls.json");
  EXPECT_EQ(nulls.kind, PayloadKind::codex);
  EXPECT_EQ(nulls.transcript, "");
  EXPECT_EQ(nulls.last_message, "");
  EXPECT_TRUE(nulls.stop_event);
}

TEST(PayloadFixtures, GeminiAfterAgent) {
  const Payload payload = fixture("gemini-0.61.0-after-agent.json");
  EXPECT_EQ(payload.kind, PayloadKind::gemini);
  EXPECT_TRUE(payload.stop_event);
  EXPECT_EQ(payload.last_message, "answer 1");
  EXPECT_EQ(payload.turn, "");
}

TEST(PayloadFixtures, CopilotWithoutEventName) {
  const Payload payload = fixture("copilot-1.0.102-agent-stop.json");
  EXPECT_EQ(payload.kind, PayloadKind::copilot);
  EXPECT_TRUE(payload.stop_event);
  EXPECT_EQ(payload.session, "7d2f6f5e-9b8a-4c7d-8e6f-5a4b3c2d1e0f");
  EXPECT_TRUE(payload.transcript.ends_with("events.jsonl"));
}

TEST(PayloadFixtures, QwenCountsAsClaude) {
  const Payload payload = fixture("qwen-0.24.4-stop.json");
  EXPECT_EQ(payload.kind, PayloadKind::claude);
  EXPECT_TRUE(payload.stop_event);
}

TEST(PayloadFixtures, CursorStopWithByteOrderMark) {  // P01
  const Payload payload = fixture("cursor-3.17-stop-bom.json");
  EXPECT_EQ(payload.kind, PayloadKind::cursor);
  EXPECT_TRUE(payload.stop_event);
  EXPECT_FALSE(payload.continuation);
  EXPECT_EQ(payload.loop_count, 0);
  EXPECT_EQ(payload.session, "c0ffee00-1111-4222-8333-444455556666");
  EXPECT_EQ(payload.turn, "9e4f8a10-2222-4333-8444-555566667777");
  EXPECT_EQ(payload.status, "completed");
  EXPECT_TRUE(fixture("cursor-3.17-stop-loop1.json").continuation);  // P22
}

TEST(PayloadFixtures, CursorSessionStartWithEmptyFields) {  // P03
  const Payload payload = fixture("cursor-3.17-session-start.json");
  EXPECT_EQ(payload.kind, PayloadKind::cursor);
  EXPECT_FALSE(payload.stop_event);
  EXPECT_EQ(payload.turn, "");
}

TEST(PayloadFixtures, GooseNamesItsEventDifferently) {
  const Payload payload = fixture("goose-1.54-stop.json");
  EXPECT_EQ(payload.kind, PayloadKind::goose);
  EXPECT_TRUE(payload.stop_event);
  EXPECT_FALSE(payload.tells_continuation);
  EXPECT_EQ(payload.cwd, "/work/project");
}

struct KindCase {
  const char* payload;
  PayloadKind kind;
  bool stop_event;
};

void PrintTo(const KindCase& value, std::ostream* out) {
  *out << value.payload;
}

class Kinds : public testing::TestWithParam<KindCase> {};

TEST_P(Kinds, FirstMatchDecides) {
  const Payload payload = parsed(GetParam().payload);
  EXPECT_EQ(payload.kind, GetParam().kind) << kind_name(payload.kind);
  EXPECT_EQ(payload.stop_event, GetParam().stop_event);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Kinds,
    testing::Values(
        KindCase{R"({})", PayloadKind::unknown, false},
        KindCase{R"({"loop_count":0})", PayloadKind::cursor, true},
        KindCase{R"({"cursor_version":"3","hook_event_name":"stop"})", PayloadKind::cursor, true},
        KindCase{R"({"loop_count":"0","hook_event_name":"stop"})", PayloadKind::claude, true},
        KindCase{R"({"event":"Stop","turn_id":"x"})", PayloadKind::goose, true},
        KindCase{R"({"event":"Stop","hook_event_name":"Stop"})", PayloadKind::claude, true},
        KindCase{R"({"event":"AfterAgent","hook_event_name":"Other"})", PayloadKind::claude, false},
        KindCase{R"({"prompt_response":"x","turn_id":"y"})", PayloadKind::gemini, false},
        KindCase{R"({"hook_event_name":"AfterAgent"})", PayloadKind::gemini, true},
        KindCase{R"({"turn_id":"y","stopReason":"z","hook_event_name":"Stop"})", PayloadKind::codex,
                 true},
        KindCase{R"({"turn_id":null,"hook_event_name":"Stop"})", PayloadKind::claude, true},
        KindCase{R"({"stop_reason":"end_turn","hook_event_name":"Stop"})", PayloadKind::copilot,
                 true},
        KindCase{R"({"stopReason":"end_turn"})", PayloadKind::copilot, true},
        KindCase{R"({"hook_event_name":"agentStop"})", PayloadKind::claude, true},
        KindCase{R"({"stop_hook_active":false})", PayloadKind::unknown, true},
        KindCase{R"({"stop_hook_active":"false"})", PayloadKind::unknown, false},
        KindCase{R"({"hook_event_name":"SubagentStop"})", PayloadKind::claude, false},
        KindCase{R"({"hook_event_name":"StopFailure"})", PayloadKind::claude, false},
        KindCase{R"({"hook_event_name":"SessionEnd","stop_hook_active":true})", PayloadKind::claude,
                 false},
        KindCase{R"({"hook_event_name":"STOP"})", PayloadKind::claude, false},
        KindCase{R"({"hook_event_name":"","stop_hook_active":true})", PayloadKind::claude, false}));

TEST(PayloadContinuation, OnlyTheBooleanOrThePositiveCount) {
  EXPECT_TRUE(parsed(R"({"hook_event_name":"Stop","stop_hook_active" :  true })").continuation);
  EXPECT_FALSE(parsed(R"({"hook_event_name":"Stop","stop_hook_active":"true"})").continuation);
  EXPECT_FALSE(parsed(R"({"hook_event_name":"Stop","stop_hook_active":1})").continuation);
  EXPECT_FALSE(parsed(R"({"loop_count":0,"stop_hook_active":true})").continuation);
  EXPECT_TRUE(parsed(R"({"loop_count":1.0})").continuation);
  EXPECT_FALSE(parsed(R"({"loop_count":-1})").continuation);
  EXPECT_EQ(parsed(R"({"loop_count":1.5})").loop_count, std::nullopt);
  EXPECT_EQ(parsed(R"({"loop_count":99999999999999999999})").loop_count, std::nullopt);
}

TEST(PayloadTolerance, BlanksAndByteOrderMark) {
  EXPECT_EQ(parsed("\xEF\xBB\xBF \r\n\t{ \"event\" :\r\n \"Stop\" } ").event, "Stop");
}

TEST(PayloadTolerance, RawControlBytesInStrings) {  // P04, delivery 98
  const std::string bytes =
      std::string("{\"hook_event_name\":\"Stop\",\"cwd\":\"/a\nb\tc") + '\0' + "d\x1b\"}";
  EXPECT_EQ(parsed(bytes).cwd, std::string("/a\nb\tc\0d\x1b", 9));
}

TEST(PayloadTolerance, InvalidEscapesKeepTheBackslash) {
  const Payload payload =
      parsed(R"({"hook_event_name":"Stop","cwd":"C:\Users\q","prompt":"\u12"})");
  EXPECT_EQ(payload.cwd, R"(C:\Users\q)");
  EXPECT_EQ(payload.prompt, R"(\u12)");
  EXPECT_TRUE(payload.stop_event);
  EXPECT_EQ(parsed(R"({"cwd":"\"\\\/\b\f\n\r\t\u0041\ud83d\ude00"})").cwd,
            "\"\\/\b\f\n\r\tA\xF0\x9F\x98\x80");
}

TEST(PayloadTolerance, LoneSurrogatesAndInvalidUtf8BecomeReplacements) {
  EXPECT_EQ(parsed(R"({"cwd":"a\ud83dz"})").cwd, "a\xEF\xBF\xBDz");
  EXPECT_EQ(parsed(R"({"cwd":"a\ude00z"})").cwd, "a\xEF\xBF\xBDz");
  EXPECT_EQ(parsed(R"({"cwd":"\ud83d\ud83d\ude00"})").cwd, "\xEF\xBF\xBD\xF0\x9F\x98\x80");
  EXPECT_EQ(parsed("{\"cwd\":\"a\xFFz\"}").cwd, "a\xEF\xBF\xBDz");
  EXPECT_TRUE(base::is_utf8(parsed("{\"cwd\":\"\xED\xA0\x80\"}").cwd));
}

TEST(PayloadTolerance, LastOfEqualKeysWins) {
  const Payload payload = parsed(R"({"event":"Start","event":"Stop","cwd":"/a","cwd":5})");
  EXPECT_EQ(payload.event, "Stop");
  EXPECT_EQ(payload.cwd, "");
  EXPECT_EQ(payload.members.size(), 2U);
}

TEST(PayloadTolerance, WhatFollowsTheValueIsIgnored) {
  EXPECT_EQ(parsed(R"({"event":"Stop"} trailing { words)").event, "Stop");
}

TEST(PayloadTolerance, DepthTenThousandIsSkipped) {  // delivery 102
  const std::string deep = std::string(10000, '[') + "\"]\\\"\"" + std::string(10000, ']');
  const Payload payload = parsed("{\"x\":" + deep + ",\"event\":\"Stop\"}");
  EXPECT_EQ(payload.event, "Stop");
  const base::Status kept = base::validate_json(payload.member("x")->text, kMaxPayloadDepth);
  ASSERT_TRUE(kept.ok());
  EXPECT_NE(payload.member("x")->text.find("[null]"), std::string::npos);
}

TEST(PayloadTolerance, WrongTypeInEveryField) {  // delivery 102
  for (const char* value :
       {"5", "null", "true", "[]", "{}", "-1.5e300", "[{\"a\":[1,\"\\ud800\"]}]"}) {
    std::string bytes = "{";
    for (const char* key :
         {"hook_event_name", "event", "session_id", "conversation_id", "prompt_id", "turn_id",
          "stop_hook_active", "loop_count", "agent_id", "transcript_path", "cwd", "status",
          "cursor_version", "prompt_response", "stopReason", "last_assistant_message"}) {
      bytes += std::string(bytes.size() > 1 ? "," : "") + "\"" + key + "\":" + value;
    }
    const Payload payload = parsed(bytes + "}");
    EXPECT_EQ(payload.session, "");
    EXPECT_EQ(payload.event, "");
    EXPECT_EQ(payload.agent_id, "");
  }
}

TEST(PayloadTolerance, NestedValuesComeOutAsStrictJson) {
  const Payload payload = parsed(
      "{\"x\": [ 1.0 , {\"C:\\Users\" : \"\xFF\n\" , \"b\":[ ] , \"c\":{ }} , true,false, null "
      ",-0.5e+3]}");
  EXPECT_EQ(
      payload.member("x")->text,
      "[1.0,{\"C:\\\\Users\":\"\xEF\xBF\xBD\\n\",\"b\":[],\"c\":{}},true,false,null,-0.5e+3]");
}

TEST(PayloadRefused, NoObject) {  // delivery 99, P08
  EXPECT_EQ(refusal(""), "it is empty");
  EXPECT_EQ(refusal(" \n"), "it is empty");
  EXPECT_EQ(refusal("\xEF\xBB"), "it is empty");
  EXPECT_EQ(refusal("hello"), "no JSON object");
  EXPECT_EQ(refusal("[]"), "no JSON object");
  EXPECT_EQ(refusal("null"), "no JSON object");
  EXPECT_EQ(refusal("\"{}\""), "no JSON object");
  EXPECT_EQ(refusal("{not-json"), "cut short");
  EXPECT_EQ(refusal("{not-json}"), "not JSON");
}

TEST(PayloadRefused, CutAnywhere) {  // P07
  const std::string whole =
      test::read_text(test::source_file("tests/fixtures/payloads/claude-2.1.332-stop.json"));
  const std::size_t end = whole.rfind('}');
  for (std::size_t i = 1; i <= end; ++i) {
    ASSERT_EQ(refusal(std::string_view(whole).substr(0, i)), "cut short") << i;
  }
}

TEST(PayloadRefused, BrokenGrammar) {
  for (const char* bytes : {R"({"a" 1})", R"({"a":1 "b":2})", R"({"a":1,})", R"({,})", R"({"a":})",
                            R"({"a":01})", R"({"a":1.})", R"({"a":-})", R"({"a":1e})",
                            R"({"a":tru})", R"({"a":[1,]})", R"({"a":[1 2]})", R"({"a":{"b" 1}})",
                            R"({"a":{1:2}})", R"({a:1})", R"({"a":'x'})", R"({"a":NaN})"}) {
    EXPECT_EQ(refusal(bytes), "not JSON") << bytes;
  }
}

TEST(PayloadScanner, PiecesOfOneByteGiveTheSameEnd) {
  const std::string bytes = "\xEF\xBB\xBF\n{\"a\":\"}\\\"\\\\\",\"b\":[{}]}rest";
  ObjectScanner scanner;
  std::size_t length = 1;
  while (scanner.advance(std::string_view(bytes).substr(0, length)) !=
         ObjectScanner::State::complete) {
    ASSERT_LT(length, bytes.size());
    ++length;
  }
  EXPECT_EQ(scanner.begin(), 4U);
  EXPECT_EQ(bytes.substr(scanner.end()), "rest");
  EXPECT_EQ(length, scanner.end());
}

}  // namespace
}  // namespace robot_council::harness
