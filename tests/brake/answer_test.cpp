#include "brake/answer.hpp"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "brake/texts.hpp"
#include "harness/brake_client.hpp"

namespace robot_council::brake {
namespace {

struct Golden {
  std::string head;
  std::string middle;  // between two copies of the reason, "" when there is one
  std::string tail;
  int code;
  std::string silent;
};

const std::map<std::string, Golden>& goldens() {
  static const Golden exit2{"", "", "", 2, ""};
  static const std::string nested =
      R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":")";
  static const Golden deny2{R"({"decision":"deny","reason":")", "", "\"}\n", 2, ""};
  static const Golden block2{R"({"decision":"block","reason":")", "", "\"}\n", 2, ""};
  static const std::map<std::string, Golden> all = {
      {"antigravity",
       {R"({"decision":"deny","reason":")", "", "\"}\n", 0, "{\"decision\":\"allow\"}\n"}},
      {"claude_code", {nested, "", "\"}}\n", 2, ""}},
      {"codex_cli", {nested, "", "\"}}\n", 0, ""}},
      {"cursor",
       {R"({"permission":"deny","user_message":")", R"(","agent_message":")", "\"}\n", 0,
        "{\"permission\":\"allow\"}\n"}},
      {"devin", block2},
      {"factory_droid", exit2},
      {"gemini_cli", deny2},
      {"goose", block2},
      {"grok", deny2},
      {"mistral_vibe", {R"({"decision":"deny","reason":")", "", "\"}\n", 0, ""}},
      {"openhands", deny2},
      {"tabnine", deny2},
      {"vscode_copilot",
       {R"({"permissionDecision":"deny","permissionDecisionReason":")",
        R"(","hookSpecificOutput":{"hookEventName":"preToolUse","permissionDecision":"deny","permissionDecisionReason":")",
        "\"}}\n", 2, ""}},
      {"windsurf", exit2},
      {"never-heard-of", exit2},
  };
  return all;
}

// 50: for R, U and K, every byte on both streams and the code
TEST(Answer, GoldenRefusalsOfFourteenClients) {
  const std::vector<std::pair<std::string, std::string>> texts = {
      {stopped_text("say \"no\"\\"),
       R"(stopped: say \"no\"\\ -- do not retry or work around this; only a person can lift it)"},
      {unreadable_text("/h/é.json"),
       "stopped: a stop file could not be read (/h/é.json); a person must run resume -- do not "
       "retry or work around this; "
       "only a person can lift it"},
      {cannot_run_text(),
       "stopped: the stop check could not run; a person must look -- do not retry or work around "
       "this; only a person can "
       "lift it"},
  };
  ASSERT_EQ(goldens().size(), harness::brake_clients().size() + 1);
  for (const auto& [id, golden] : goldens()) {
    for (const auto& [text, escaped] : texts) {
      const Answer answer = refusal(id, text, "preToolUse");
      std::string expected;
      if (!golden.head.empty()) {
        expected = golden.head + escaped + (golden.middle.empty() ? "" : golden.middle + escaped) +
                   golden.tail;
      }
      EXPECT_EQ(answer.out, expected) << id;
      EXPECT_EQ(answer.err, text + "\n") << id;
      EXPECT_EQ(answer.code, golden.code) << id;
    }
  }
}

// 31, 55
TEST(Answer, OnlyAntigravityAndCursorEverSayAllow) {
  for (const auto& [id, golden] : goldens()) {
    const Answer answer = no_opinion(id);
    EXPECT_EQ(answer.out, golden.silent) << id;
    EXPECT_EQ(answer.err, "") << id;
    EXPECT_EQ(answer.code, 0) << id;
    const bool speaks = id == "antigravity" || id == "cursor";
    EXPECT_EQ(answer.out.find("allow") != std::string::npos, speaks) << id;
    EXPECT_EQ(answer.out.find("approve"), std::string::npos) << id;
  }
}

TEST(Answer, CopilotGetsItsOwnEventNameBackOrPreToolUse) {
  EXPECT_NE(refusal("vscode_copilot", "t", "").out.find(R"("hookEventName":"PreToolUse")"),
            std::string::npos);
  EXPECT_NE(refusal("vscode_copilot", "t", "a\"b").out.find(R"("hookEventName":"a\"b")"),
            std::string::npos);
  EXPECT_NE(refusal("claude_code", "t", "other").out.find(R"("hookEventName":"PreToolUse")"),
            std::string::npos);
}

// 52
TEST(Client, HookCommandIsTheTextOfTheContract) {
  EXPECT_EQ(
      harness::brake_command("goose"),
      R"(/bin/sh -c 'PATH="${HOME:-}/.local/bin:/usr/local/bin:/opt/homebrew/bin:/usr/bin:${PATH:-/bin}"; command -v robot-council >/dev/null 2>&1 || { echo "stopped: robot-council is missing; a person must reinstall it" >&2; exit 2; }; robot-council brake-check --client goose; case $? in 0) exit 0;; 2) exit 2;; esac; echo "stopped: the stop check could not run; a person must look" >&2; exit 2')");
}

// 18
TEST(Texts, ReasonsAreOneLineOfAtMost500Bytes) {
  EXPECT_EQ(clean_reason(""), "stopped by a person");
  EXPECT_EQ(clean_reason(" \n\t "), "stopped by a person");
  EXPECT_EQ(clean_reason("a\nb\x1B[0m\x7F \xC2\x9B c"), "a b [0m    c");
  EXPECT_EQ(clean_reason("bad \xFF byte"), "bad \xEF\xBF\xBD byte");
  const std::string euro = "\xE2\x82\xAC";
  std::string many;
  for (int n = 0; n < 4000; ++n) {
    many += euro;
  }
  EXPECT_EQ(clean_reason(many).size(), 498U) << "166 whole characters";
  EXPECT_EQ(clean_reason(std::string(10240, 'x')).size(), 500U);
}

}  // namespace
}  // namespace robot_council::brake
