#include "brake/check.hpp"

#include <atomic>
#include <string>

#include <gtest/gtest.h>

#include "base/environment.hpp"
#include "brake/watchdog.hpp"
#include "tests/brake/stop_fixture.hpp"

namespace robot_council::brake {
namespace {

using robot_council::test::write_text;
using test::stop_text;
using test::World;

HookPayload payload_of(std::string_view text) {
  PayloadReader reader;
  reader.feed(text);
  return reader.finish();
}

class CheckTest : public ::testing::Test {
 protected:
  Checked check(const std::string& id, const std::string& payload) {
    return check_tool_call({environment_, {world_.home}, directory_}, id, payload_of(payload));
  }
  Checked git(const std::string& event = "pre-commit") {
    return check_git({environment_, {world_.home}, directory_}, event);
  }
  void stop(const std::string& scope = R"("all")") {
    write_text(world_.home_copy(), stop_text(scope));
  }

  World world_;
  base::MapEnvironment environment_;
  std::string directory_ = world_.checkout;
  std::string elsewhere_ = [this] {
    std::string other = world_.folder / "other";
    World::make_git(other);
    return other;
  }();
};

TEST_F(CheckTest, CallerIsTheFirstOfTheDetectionTable) {
  const auto caller = [this](const std::string& payload) {
    return find_caller("claude_code", environment_, payload_of(payload));
  };
  EXPECT_EQ(caller("{}"), "claude_code");
  EXPECT_EQ(caller(R"({"hook_event_name":"PreToolUse","event":"x"})"), "claude_code");
  EXPECT_EQ(caller(R"({"event_type":"PreToolUse","cursor_version":"1"})"), "openhands");
  EXPECT_EQ(caller(R"({"cursor_version":"3.7","toolArgs":"{}"})"), "cursor");
  EXPECT_EQ(caller(R"({"toolCall":{"name":"x"},"conversationId":"c"})"), "antigravity");
  EXPECT_EQ(caller(R"({"toolCall":{"name":"x"}})"), "claude_code");
  EXPECT_EQ(caller(R"({"agent_action_name":"pre_run_command"})"), "windsurf");
  EXPECT_EQ(caller(R"({"toolArgs":"{}","toolName":"bash"})"), "vscode_copilot");
  EXPECT_EQ(caller(R"({"turn_id":"1","model":"gpt"})"), "codex_cli");
  EXPECT_EQ(caller(R"({"turn_id":"1"})"), "claude_code");
  EXPECT_EQ(caller(R"({"hookEventName":"pre_tool_use"})"), "grok");
  EXPECT_EQ(caller(R"({"event":"PreToolUse"})"), "goose");
  environment_.set("GEMINI_SESSION_ID", "g");
  EXPECT_EQ(caller("{}"), "gemini_cli");
  environment_.set("OPENHANDS_EVENT_TYPE", "PreToolUse");
  EXPECT_EQ(caller(R"({"cursor_version":"3.7"})"), "openhands");
  environment_.set("GROK_HOOK_EVENT", "pre_tool_use");
  EXPECT_EQ(caller(R"({"event_type":"x"})"), "grok");
}

// 37
TEST_F(CheckTest, GrokInTheClaudeEntryIsJudgedAsBothAndAnsweredAsGrok) {
  const std::string payload =
      R"({"hookEventName":"pre_tool_use","sessionId":"s","toolName":"bash"})";
  stop(R"(["claude_code"])");
  EXPECT_EQ(check("claude_code", payload).answer.out.substr(0, 18), R"({"decision":"deny")");
  stop(R"(["grok"])");
  EXPECT_EQ(check("claude_code", payload).answer.code, 2);
  stop(R"(["cursor"])");
  EXPECT_EQ(check("claude_code", payload).answer.out, "");
}

// 38
TEST_F(CheckTest, CursorInTheClaudeEntryGetsPermissionJson) {
  const std::string payload = R"({"cursor_version":"3.7","conversation_id":"c","cwd":""})";
  EXPECT_EQ(check("claude_code", payload).answer.out, "{\"permission\":\"allow\"}\n");
  stop();
  const Checked refused = check("claude_code", payload);
  EXPECT_EQ(refused.answer.out.substr(0, 20), R"({"permission":"deny")");
  EXPECT_EQ(refused.answer.code, 0);
}

// 39
TEST_F(CheckTest, UnknownIdIsRefusedUnderAList) {
  stop(R"(["cursor"])");
  EXPECT_EQ(check("never-heard-of", "{}").answer.code, 2);
  EXPECT_EQ(check("", "{}").answer.code, 2);
  EXPECT_EQ(check("grok", "{}").answer.code, 0);
}

// 35
TEST_F(CheckTest, ProjectVariableInsideRefusesThoughThePayloadIsOutside) {
  stop();
  directory_ = elsewhere_;
  const std::string outside = "{\"cwd\":\"" + elsewhere_ + "\"}";
  EXPECT_EQ(check("claude_code", outside).answer.code, 0);
  for (const char* name :
       {"CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "FACTORY_PROJECT_DIR", "COPILOT_PROJECT_DIR",
        "CURSOR_PROJECT_DIR", "OPENHANDS_PROJECT_DIR", "GROK_WORKSPACE_ROOT"}) {
    environment_.set(name, world_.checkout);
    EXPECT_EQ(check("claude_code", outside).answer.code, 2) << name;
    environment_.unset(name);
  }
  for (const char* field : {"cwd", "working_dir", "workspaceRoot"}) {
    EXPECT_EQ(check("claude_code", std::string("{\"") + field + "\":\"" + world_.checkout + "\"}")
                  .answer.code,
              2);
  }
  for (const char* field : {"workspace_roots", "workspacePaths"}) {
    EXPECT_EQ(
        check("claude_code", std::string("{\"") + field + "\":[\"/\",\"" + world_.checkout + "\"]}")
            .answer.code,
        2);
  }
  directory_ = world_.checkout;
  EXPECT_EQ(check("claude_code", outside).answer.code, 2)
      << "the process's own directory counts too";
}

// 44
TEST_F(CheckTest, UnreadablePayloadIsSilentWithoutStopFilesAndRefusedWithOne) {
  directory_ = elsewhere_;
  for (const std::string payload : {"", "no json", "[]", "{\"cwd\":"}) {
    EXPECT_EQ(check("claude_code", payload).answer.out, "");
  }
  stop();
  for (const std::string payload : {"", "no json", "[]", "{\"cwd\":"}) {
    EXPECT_EQ(check("claude_code", payload).answer.code, 2) << payload;
  }
  EXPECT_EQ(check("claude_code", "{}").answer.code, 0) << "a readable one of another repository";
}

// 46
TEST_F(CheckTest, NoHomeRefusesInTheDialect) {
  const Checked checked =
      check_tool_call({environment_, {}, directory_}, "codex_cli", payload_of("{}"));
  EXPECT_EQ(checked.answer.code, 0);
  EXPECT_EQ(
      checked.answer.out,
      R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",)"
      R"("permissionDecisionReason":"stopped: the stop check could not run; a person must look -- do not retry or )"
      R"(work around this; only a person can lift it"}})"
      "\n");
}

TEST_F(CheckTest, PathWithANulByteIsNotFollowedAndCountsAsUnknown) {
  stop();
  directory_ = elsewhere_;
  EXPECT_EQ(check("claude_code", R"({"cwd":"/src\u0000x"})").answer.code, 2);
}

// 62
TEST_F(CheckTest, BothCopilotPayloadsAreRefused) {
  stop(R"(["vscode_copilot"])");
  const std::string cli = R"({"sessionId":"s","timestamp":1,"cwd":")" + world_.checkout +
                          R"(","toolName":"bash","toolArgs":"{\"command\":\"ls\"}"})";
  const Checked by_cli = check("vscode_copilot", cli);
  EXPECT_EQ(by_cli.answer.code, 2);
  EXPECT_EQ(by_cli.answer.out.rfind(R"({"permissionDecision":"deny",)", 0), 0U);
  EXPECT_EQ(by_cli.refused->target, "bash");
  const std::string editor =
      R"({"hook_event_name":"PreToolUse","session_id":"s","tool_name":"runInTerminal","cwd":")" +
      world_.checkout + "\"}";
  EXPECT_NE(check("vscode_copilot", editor).answer.out.find(R"("hookEventName":"PreToolUse")"),
            std::string::npos);
}

// 80
TEST_F(CheckTest, RefusedCallIsToldToTheLogWithoutItsInput) {
  stop();
  const Checked checked =
      check("claude_code",
            R"({"session_id":"abc","tool_name":"Bash","tool_input":{"command":"rm secret"}})");
  ASSERT_TRUE(checked.refused.has_value());
  EXPECT_EQ(checked.refused->actor, "claude_code");
  EXPECT_EQ(checked.refused->session_id, "abc");
  EXPECT_EQ(checked.refused->target, "Bash");
  EXPECT_EQ(checked.refused->repository, world_.checkout);
  EXPECT_FALSE(check("unknown", "{}").answer.err.empty());
}

TEST_F(CheckTest, GitWithoutAMarkerPassesWithANote) {
  EXPECT_EQ(git().answer.err, "");
  stop(R"(["cursor"])");
  EXPECT_EQ(git().answer.err, "note: agents are stopped here\n");
  EXPECT_EQ(git().answer.code, 0);
  EXPECT_FALSE(git().refused.has_value());
}

// 69
TEST_F(CheckTest, GitRefusesByTheMarkersClientAndAnUnknownOneAlways) {
  stop(R"(["cursor"])");
  environment_.set("CLAUDECODE", "1");
  EXPECT_EQ(git().answer.code, 0);
  EXPECT_EQ(git().answer.err, "");
  environment_.set("CURSOR_AGENT", "1");
  const Checked refused = git("pre-push");
  EXPECT_EQ(refused.answer.code, 1);
  EXPECT_EQ(refused.answer.err,
            "stopped: wrong branch -- do not retry or work around this; only a person can lift it\n"
            "seen: CURSOR_AGENT; a person uses a terminal that no agent started\n");
  EXPECT_EQ(refused.refused->target, "push");
  EXPECT_EQ(refused.refused->actor, "CURSOR_AGENT");
  environment_.unset("CURSOR_AGENT");
  environment_.set("OPENCODE", "1");
  EXPECT_EQ(git().answer.code, 1);
}

// 67
TEST_F(CheckTest, AgentCommitVariableGoesBeforeAllMarkersAndIsNamedNowhere) {
  stop();
  for (const char* person : {"0", "false", "No", " off ", "OFF"}) {
    environment_.set("CLAUDECODE", "1");
    environment_.set("ROBOT_COUNCIL_AGENT_COMMIT", person);
    EXPECT_EQ(git().answer.code, 0) << person;
    EXPECT_EQ(git().answer.err, "note: agents are stopped here\n");
  }
  environment_.unset("CLAUDECODE");
  for (const char* agent : {"1", "yes"}) {
    environment_.set("ROBOT_COUNCIL_AGENT_COMMIT", agent);
    EXPECT_EQ(git().answer.code, 1) << agent;
    EXPECT_EQ(git().answer.err.find("ROBOT_COUNCIL_AGENT_COMMIT"), std::string::npos);
    EXPECT_EQ(git().refused->actor.find("ROBOT_COUNCIL_AGENT_COMMIT"), std::string::npos);
  }
  environment_.set("ROBOT_COUNCIL_AGENT_COMMIT", "");
  EXPECT_EQ(git().answer.code, 0);
}

// 68
TEST_F(CheckTest, AgentEnvFileAddsMarkers) {
  stop(R"(["cursor"])");
  write_text(world_.checkout + "/.robot-council/agent-env", "# ours\nMY_AGENT # why\n1BAD\n");
  EXPECT_EQ(git().answer.code, 0);
  environment_.set("MY_AGENT", "x");
  EXPECT_EQ(git().answer.code, 1) << "of no known client, so in every scope";
}

TEST_F(CheckTest, GitDirectoryVariablesAreLookedAt) {
  stop();
  environment_.set("GEMINI_CLI", "1");
  directory_ = elsewhere_;
  EXPECT_EQ(git().answer.code, 0);
  environment_.set("GIT_DIR", world_.checkout + "/.git");
  EXPECT_EQ(git().answer.code, 1);
}

// 47
TEST(Watchdog, CallsLateWhenTheCheckHangsAndOnlyThen) {
  std::atomic<int> calls{0};
  {
    Watchdog quick(base::Milliseconds(60000), [&calls] { ++calls; });
    EXPECT_TRUE(quick.done());
    EXPECT_TRUE(quick.done());
  }
  EXPECT_EQ(calls, 0);
  Watchdog slow(base::Milliseconds(10), [&calls] { ++calls; });
  EXPECT_TRUE(robot_council::test::wait_until([&calls] { return calls == 1; }));
  EXPECT_FALSE(slow.done());
}

}  // namespace
}  // namespace robot_council::brake
