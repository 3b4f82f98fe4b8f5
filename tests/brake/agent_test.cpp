#include "brake/agent.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/environment.hpp"
#include "harness/brake_marker.hpp"

namespace robot_council::brake {
namespace {

using harness::BrakeMarker;
using harness::DevinMachine;

std::vector<BrakeMarker> find(const std::string& name, const std::string& value) {
  base::MapEnvironment environment;
  environment.set(name, value);
  return harness::find_brake_markers(environment, {}, DevinMachine::no);
}

struct Strong {
  const char* name;
  const char* value;
  const char* client;
};

const std::vector<Strong>& strong() {
  static const std::vector<Strong> all = {
      {"CLAUDE_CODE_CHILD_SESSION", "1", "claude_code"},
      {"CLAUDECODE", "1", "claude_code"},
      {"CLAUDE_CODE_SESSION_ID", "s", "claude_code"},
      {"CLAUDE_CODE_IS_COWORK", "x", "claude_code"},
      {"CODEX_THREAD_ID", "t", "codex_cli"},
      {"CODEX_SANDBOX", "seatbelt", "codex_cli"},
      {"CODEX_SANDBOX_NETWORK_DISABLED", "1", "codex_cli"},
      {"CODEX_CI", "1", "codex_cli"},
      {"CURSOR_AGENT", "1", "cursor"},
      {"CURSOR_EXTENSION_HOST_ROLE", "agent-exec", "cursor"},
      {"GEMINI_CLI", "1", "gemini_cli"},
      {"ANTIGRAVITY_AGENT", "1", "antigravity"},
      {"GROK_AGENT", "1", "grok"},
      {"GROK_SESSION_ID", "s", "grok"},
      {"COPILOT_CLI", "1", "vscode_copilot"},
      {"COPILOT_AGENT", "1", "vscode_copilot"},
      {"COPILOT_AGENT_SESSION_ID", "s", "vscode_copilot"},
      {"COPILOT_AGENT_JOB_ID", "j", "vscode_copilot"},
      {"GOOSE_TERMINAL", "1", "goose"},
      {"AGENT", "goose", "goose"},
      {"AGENT_SESSION_ID", "s", "goose"},
      {"OPENHANDS_SESSION_ID", "s", "openhands"},
      {"OPENHANDS_EVENT_TYPE", "e", "openhands"},
      {"WINDSURF_CASCADE_TERMINAL", "1", "windsurf"},
      {"AI_AGENT", "claude-code_2-1-332_harness", "claude_code"},
      {"AI_AGENT", "github-copilot-cli", "vscode_copilot"},
      {"AI_AGENT", "cursor@1", "cursor"},
      {"AI_AGENT", "codex/0.171", "codex_cli"},
      {"AI_AGENT", "something-else", ""},
      {"AGENT", "amp", ""},
      {"AGENT", "crush", ""},
      {"OPENCODE", "1", ""},
      {"OPENCODE_SESSION_ID", "s", ""},
      {"QWEN_CODE", "1", ""},
      {"AUGMENT_AGENT", "x", ""},
      {"CLINE_ACTIVE", "true", ""},
      {"AMP_CURRENT_THREAD_ID", "t", ""},
      {"CRUSH", "1", ""},
      {"PI_CODING_AGENT", "true", ""},
      {"KIMI_CODE_CLI", "1", ""},
      {"ROO_ACTIVE", "1", ""},
      {"KILOCODE_FEATURE", "cli", ""},
      {"TRAE_AI_SHELL_ID", "1", ""},
      {"IFLOW_CLI", "1", ""},
  };
  return all;
}

// 16, 65, 69
TEST(Marker, EachStrongOneNamesItsClient) {
  for (const Strong& marker : strong()) {
    const std::vector<BrakeMarker> found = find(marker.name, marker.value);
    ASSERT_EQ(found.size(), 1U) << marker.name << "=" << marker.value;
    EXPECT_EQ(found.front().name, marker.name);
    EXPECT_EQ(found.front().client, marker.client) << marker.name;
  }
}

// 66
TEST(Marker, WhatPersonsHaveTooIsNone) {
  const std::vector<std::pair<std::string, std::string>> weak = {
      {"CURSOR_TRACE_ID", "x"},
      {"CURSOR_CLI", "1"},
      {"TERM_PROGRAM", "vscode"},
      {"CODEIUM_EDITOR_APP_ROOT", "/x"},
      {"REPL_ID", "x"},
      {"CI", "true"},
      {"GOOSE_PROVIDER", "x"},
      {"COPILOT_MODEL", "x"},
      {"COPILOT_ALLOW_ALL", "1"},
      {"CODEX_MANAGED_BY_NPM", "1"},
      {"AGENT", "1"},
      {"AI_AGENT", "  "},
      {"CLAUDECODE", "0"},
      {"CLAUDECODE", ""},
      {"GROK_AGENT", "x"},
      {"CURSOR_AGENT", ""},
      {"CURSOR_AGENT_MODE", "1"},
      {"CLAUDE_CODE_SESSION_ID_OLD", "1"},
      {"KILOCODE_FEATURE", "ide"},
      {"CURSOR_EXTENSION_HOST_ROLE", "user"},
  };
  for (const auto& [name, value] : weak) {
    EXPECT_TRUE(find(name, value).empty()) << name << "=" << value;
  }
}

TEST(Marker, DevinIsAFile) {
  const base::MapEnvironment environment;
  const std::vector<BrakeMarker> found =
      harness::find_brake_markers(environment, {}, DevinMachine::yes);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().name, "/opt/.devin");
  EXPECT_EQ(found.front().client, "devin");
}

// 68
TEST(AgentEnv, GoodNamesCountAndBadOnesAreReported) {
  const AgentEnv parsed = parse_agent_env(
      "# comment\n\nGOOD_ONE\n  _two2 # with a comment\n3bad\nA-B\nA B\n\xC3\x84\n");
  EXPECT_EQ(parsed.names, (std::vector<std::string>{"GOOD_ONE", "_two2"}));
  EXPECT_EQ(parsed.bad.size(), 4U);
}

// 25
TEST(Ancestor, ProgramsOfAgentsAreKnownByName) {
  for (const char* name : {"claude", "codex", "gemini", "cursor-agent", "droid", "goose", "grok",
                           "vibe", "agy", "copilot", "devin", "openhands"}) {
    EXPECT_TRUE(harness::is_agent_program(name)) << name;
  }
  EXPECT_FALSE(harness::is_agent_program("claude2"));
  EXPECT_FALSE(harness::is_agent_program("bash"));
}

}  // namespace
}  // namespace robot_council::brake
